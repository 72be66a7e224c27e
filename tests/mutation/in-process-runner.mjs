// A test runner for Stryker. A few thousand mutants need a few thousand runs of tests: jest starts anew for each and takes
// hours; here one process loads the modules again, which takes milliseconds, and runs the tests that can notice the mutant.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core'
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import { DryRunStatus, determineHitLimitReached, TestStatus, toMutantRunResult } from '@stryker-mutator/api/test-runner'
import { expect } from 'expect'
import { createModuleLoader } from './module-registry.mjs'
import { collectTests, SEPARATOR } from './suite.mjs'

const UNDER_TEST = join('packages', 'domain', 'src')
/** Of each property: a mutant that none of so many examples notices should be noticed by a test that says what is wrong. */
const MOST_EXAMPLES = 100
/**
 * How long each test took when nothing was changed, and how many places of each module each file of tests reaches: written by
 * the first process, read by all.
 */
const NOTES = 'test-notes.json'

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
  notes = null

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
    const reached = this.reachedBy(context.mutantCoverage.perTest)
    writeFileSync(join(this.root, NOTES), JSON.stringify({ durations, reached }))
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

  /** By file of tests and module, how many of its mutants are reached. */
  reachedBy(perTest) {
    const modules = new Map()
    for (const module of readdirSync(join(this.root, UNDER_TEST), { recursive: true, encoding: 'utf8' })) {
      if (!module.endsWith('.ts')) continue
      const source = readFileSync(join(this.root, UNDER_TEST, module), 'utf8')
      for (const [, ids] of source.matchAll(/stryCov_\w+\(([^)]*)\)/g))
        for (const [, id] of ids.matchAll(/"(\d+)"/g)) modules.set(id, module)
    }
    const reached = {}
    for (const [test, hits] of Object.entries(perTest)) {
      reached[fileOf(test)] ??= {}
      for (const module of Object.keys(hits).map((id) => modules.get(id)))
        reached[fileOf(test)][module] = (reached[fileOf(test)][module] ?? 0) + 1
    }
    return reached
  }

  /** The tests that reach most of the module know it best; of the others the quickest come first. */
  inOrder(files, module) {
    const { fileDurations, reached } = this.readNotes()
    const path = relative(join(this.root, UNDER_TEST), module)
    const rankOf = (file) => (reached[file]?.[path] ?? 0) / (fileDurations.get(file) ?? 1)
    return files.toSorted((a, b) => rankOf(b) - rankOf(a) || (fileDurations.get(a) ?? 0) - (fileDurations.get(b) ?? 0))
  }

  quickestFirst(tests) {
    const { durations } = this.readNotes()
    return tests.toSorted((a, b) => (durations[a.id] ?? 0) - (durations[b.id] ?? 0))
  }

  readNotes() {
    if (this.notes !== null) return this.notes
    const { durations, reached } = JSON.parse(readFileSync(join(this.root, NOTES), 'utf8'))
    const fileDurations = new Map()
    for (const [id, duration] of Object.entries(durations))
      fileDurations.set(fileOf(id), (fileDurations.get(fileOf(id)) ?? 0) + duration)
    this.notes = { durations, reached, fileDurations }
    return this.notes
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
