// npm run build — installs and builds whatever is missing or out of date.
import { prepare } from './install.mjs'
import { createProgress } from './progress.mjs'

const progress = createProgress(process.stdout)
try {
  await prepare(progress)
} catch (error) {
  progress.log(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
