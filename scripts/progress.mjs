// Lines for people who wait: what is being done, that it still is, how long it took.
const STILL_AFTER_MS = 15_000

/** @param {NodeJS.WritableStream} stream */
export function createProgress(stream) {
  const log = (text) => stream.write(`${text}\n`)

  /**
   * Runs a step and says so. A step that takes long says that it still runs.
   *
   * @template T
   * @param {string} text what is done, e.g. `Installing packages`
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async function step(text, work) {
    const began = performance.now()
    const seconds = () => (performance.now() - began) / 1000
    log(`${text} …`)
    const timer = setInterval(() => log(`  still ${text.toLowerCase()}, ${Math.round(seconds())} s`), STILL_AFTER_MS)
    try {
      const result = await work()
      log(`${text}: done in ${seconds().toFixed(1)} s`)
      return result
    } catch (error) {
      log(`${text}: failed after ${seconds().toFixed(1)} s`)
      throw error
    } finally {
      clearInterval(timer)
    }
  }

  return { log, step }
}
