// PostgreSQL refuses to run as root. Whoever is root runs it as an ordinary user, who must be able to reach both the
// programs and the data; a checkout below /root, or in a private temporary directory, is out of that user's reach.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Accounts that exist on common systems, best first: the one made for the purpose, then the one that owns nothing. */
const CANDIDATES = ['postgres', 'nobody']

/** @returns {{name: string, uid: number, gid: number} | undefined} undefined where the current user will do */
export function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of CANDIDATES) {
    const user = users.find((fields) => fields[0] === name)
    if (user) return { name, uid: Number(user[2]), gid: Number(user[3]) }
  }
  throw new Error(
    `PostgreSQL cannot run as root, and no user called ${CANDIDATES.join(' or ')} exists. Run this as an ordinary user.`,
  )
}

/** Whether the user can enter the directory; tried, not computed, since more than mode bits may decide. */
export function canEnter(user, directory) {
  if (!user) return true
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], {
      uid: user.uid,
      gid: user.gid,
      cwd: '/',
      stdio: 'ignore',
    }).status === 0
  )
}

/** Whether the user can run the program. */
export function canRun(user, program, args = ['--version']) {
  const as = user ? { uid: user.uid, gid: user.gid } : {}
  return spawnSync(program, args, { ...as, cwd: '/', stdio: 'ignore' }).status === 0
}
