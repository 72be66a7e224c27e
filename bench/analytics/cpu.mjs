// Time that processes had on a core. On a machine that has other work it tells more than what a clock says.
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Milliseconds that processes and their children have used so far, by process; null where the system does not say (other than
 * Linux).
 *
 * @param {readonly number[]} pids
 * @returns {Map<number, number> | null}
 */
export function usedCores(pids) {
  try {
    return new Map(pids.flatMap((pid) => [pid, ...childrenOf(pid)]).map((pid) => [pid, ownMs(pid)]))
  } catch {
    return null
  }
}

/** What was used between two looks. What began or ended in between is not seen to its full extent. */
export function usedBetween(before, after) {
  if (before === null || after === null) return null
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0)
}

function ownMs(pid) {
  let nanoseconds = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // It has just ended.
    }
  }
  return nanoseconds / 1e6
}

function childrenOf(pid) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => {
      try {
        const stat = readFileSync(`/proc/${one}/stat`, 'utf8')
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid
      } catch {
        return false
      }
    })
}
