// A test runner for Stryker. A few thousand mutants need a few thousand runs of tests: jest starts anew for each and takes
// hours; here one process loads the modules again, which takes milliseconds, and runs the tests that can notice the mutant.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core'
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import { DryRunStatus, determineHitLimitReached, TestStatus, toMutantRunResult } from '@stryker-mutator/api/test-runner'
import { expect } from 'expect'
import { createModuleLoader } from './module-registry.mjs'
import { collectTests, SEPARATOR } from './suite.mjs'

const UNDER_TEST = join('packages', 'domain', 'src')
/** Of each property: a mutant that none of so many examples notices should be noticed by a test that says what is wrong. */
const MOST_EXAMPLES = 100
/** How long each test took when nothing was changed: written by the first process, read by all. */
const DURATIONS = 'test-durations.json'

class InProcessRunner {
  /** @type {[]} */
  static inject = []
  root = process.cwd()
  loader = createModuleLoader(this.root, join(this.root, UNDER_TEST), new Map([['fast-check', this.fewExamples()]]))
  files = readdirSync(join(this.root, UNDER_TEST), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
  /** By test file, what it loads; filled when first needed. */
  dependencies = null
  durations = null

  capabilities() {
    return { reloadEnvironment: true }
  }

  async init() {
    process.env.TZ ??= 'UTC'
    Object.assign(globalThis, { expect })
  }

  /** The same values for each mutant, and no time spent on making a counterexample small. */
  fewExamples() {
    const { default: fc } = createRequire(join(this.root, UNDER_TEST, 'x.ts'))('fast-check')
    fc.configureGlobal({ seed: 1, endOnFailure: true })
    const assert = (property, { numRuns = MOST_EXAMPLES, ...rest } = {}) =>
      fc.assert(property, { ...rest, numRuns: Math.min(numRuns, MOST_EXAMPLES) })
    return { __esModule: true, default: { ...fc, assert } }
  }

  /** @returns {Promise<import('@stryker-mutator/api/test-runner').DryRunResult>} */
  async dryRun() {
    const context = this.instrumenterContext()
    context.mutantCoverage = { static: {}, perTest: {} }
    const results = []
    for (const file of this.files) {
      context.currentTestId = undefined
      const tests = this.load(file, this.loader.createRegistry())
      results.push(...(await runTests(tests, { before: (id) => Object.assign(context, { currentTestId: id }) })))
    }
    context.currentTestId = undefined
    const durations = Object.fromEntries(results.map(({ id, timeSpentMs }) => [id, timeSpentMs]))
    writeFileSync(join(this.root, DURATIONS), JSON.stringify(durations))
    const tests = results.map((result) => ({ ...result, fileName: join(this.root, UNDER_TEST, fileOf(result.id)) }))
    return { status: DryRunStatus.Complete, tests, mutantCoverage: context.mutantCoverage }
  }

  /**
   * @param {import('@stryker-mutator/api/test-runner').MutantRunOptions} options
   * @returns {Promise<import('@stryker-mutator/api/test-runner').MutantRunResult>}
   */
  async mutantRun({ activeMutant, testFilter, mutantActivation, sandboxFileName, hitLimit, disableBail }) {
    const context = this.instrumenterContext()
    const wanted = testFilter === undefined ? null : new Set(testFilter)
    const files = wanted === null ? this.filesThatLoad(sandboxFileName) : [...new Set(testFilter.map(fileOf))]
    context.mutantCoverage = undefined
    context.hitLimit = hitLimit
    context.hitCount = hitLimit === undefined ? undefined : 0
    const results = []
    try {
      for (const file of this.inOrder(files, sandboxFileName)) {
        context.activeMutant = mutantActivation === 'static' ? activeMutant.id : undefined
        const loaded = this.tryToLoad(file)
        context.activeMutant = activeMutant.id
        const chosen = loaded.filter(({ id }) => wanted === null || wanted.has(id) || id === file)
        results.push(...(await runTests(this.quickestFirst(chosen), { bails: !disableBail })))
        if (!disableBail && results.at(-1)?.status === TestStatus.Failed) break
      }
    } finally {
      context.activeMutant = undefined
    }
    const endless = determineHitLimitReached(context.hitCount, context.hitLimit)
    return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests: results }, disableBail)
  }

  instrumenterContext() {
    const name = INSTRUMENTER_CONSTANTS.NAMESPACE
    globalThis[name] ??= {}
    return globalThis[name]
  }

  load(file, registry) {
    return collectTests(file, () => registry.load(join(this.root, UNDER_TEST, file)))
  }

  /** Where a mutant keeps a file from loading, none of its tests can pass. */
  tryToLoad(file) {
    try {
      return this.load(file, this.loader.createRegistry())
    } catch (error) {
      return [{ id: file, run: () => Promise.reject(error) }]
    }
  }

  /** The tests of the module itself know it best; of the others the quickest come first. */
  inOrder(files, module) {
    const own = module.replace(/\.ts$/, '.test.ts')
    const rankOf = (file) => (own.endsWith(file) ? -1 : (this.knownDurations().get(file) ?? 0))
    return files.toSorted((a, b) => rankOf(a) - rankOf(b))
  }

  quickestFirst(tests) {
    const durationOf = ({ id }) => this.knownDurations().get(id) ?? 0
    return tests.toSorted((a, b) => durationOf(a) - durationOf(b))
  }

  /** Of each test and of each file of tests. */
  knownDurations() {
    if (this.durations !== null) return this.durations
    const file = join(this.root, DURATIONS)
    const written = existsSync(file) ? Object.entries(JSON.parse(readFileSync(file, 'utf8'))) : []
    this.durations = new Map(written)
    for (const [id, duration] of written)
      this.durations.set(fileOf(id), (this.durations.get(fileOf(id)) ?? 0) + duration)
    return this.durations
  }

  filesThatLoad(module) {
    this.dependencies ??= new Map(
      this.files.map((file) => {
        const registry = this.loader.createRegistry()
        this.load(file, registry)
        return [file, registry.loaded()]
      }),
    )
    return this.files.filter((file) => this.dependencies.get(file).has(module))
  }
}

async function runTests(tests, { before = (_id) => {}, bails = false }) {
  const results = []
  for (const { id, run } of tests) {
    before(id)
    const began = performance.now()
    const failure = await outcomeOf(run)
    const result = { id, name: id, timeSpentMs: performance.now() - began }
    if (failure === null) results.push({ ...result, status: TestStatus.Success })
    else results.push({ ...result, status: TestStatus.Failed, failureMessage: failure })
    if (bails && failure !== null) break
  }
  return results
}

/** Null where the test passes, else why it does not. */
async function outcomeOf(run) {
  try {
    await run()
    return null
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

function fileOf(testId) {
  return testId.split(SEPARATOR, 1)[0]
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessRunner)]
