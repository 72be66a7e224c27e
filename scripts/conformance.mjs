// npm run conformance — plays the cases of tests/cases against the product, from outside.
import { createRequire } from 'node:module'
import { prepare } from './install.mjs'
import { createProgress } from './progress.mjs'

try {
  await prepare(createProgress(process.stderr))
  const require = createRequire(import.meta.url)
  require('esbuild-register/dist/node').register()
  const { main } = require('../tests/conformance/src/main.ts')
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
