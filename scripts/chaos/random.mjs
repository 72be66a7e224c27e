// Numbers that look random and can be had again: the same seed gives the same decisions.

/** @param {number} seed a whole number */
export function createRandom(seed) {
  let state = seed >>> 0

  /** A number from 0 up to 1, which it never is. */
  function fraction() {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  return {
    fraction,
    /** A whole number from 0 to `below` - 1. */
    below: (below) => Math.floor(fraction() * below),
    /** @template T @param {readonly T[]} options @returns {T} */
    pick: (options) => options[Math.floor(fraction() * options.length)],
  }
}
