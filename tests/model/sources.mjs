// Loads the product from its sources: nothing needs to be built, and a planted fault is a change of what people read.
import { readFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { join } from 'node:path'
import { transformSync } from 'esbuild'

const ROOT = join(import.meta.dirname, '..', '..')

/**
 * @param {string} file the module to begin with, from the root of the checkout
 * @param {{file: string, find: string, replace: string} | null} fault what to get wrong on purpose, in the memory of this
 *   process only
 */
export function loadFromSources(file, fault) {
  const loader = /** @type {any} */ (Module)
  const resolve = loader._resolveFilename
  loader._resolveFilename = function resolveFromSources(request, ...rest) {
    const [, name, path] = /^@dwell\/([a-z]+)\/(.+)$/.exec(request) ?? []
    return resolve.call(this, name === undefined ? request : join(ROOT, 'packages', name, 'src', path), ...rest)
  }
  let isPlanted = fault === null
  loader._extensions['.ts'] = (module, filename) => {
    let source = readFileSync(filename, 'utf8')
    if (fault !== null && filename === join(ROOT, fault.file)) {
      source = plant(source, fault)
      isPlanted = true
    }
    const { code } = transformSync(source, {
      loader: 'ts',
      format: 'cjs',
      target: 'node20',
      sourcemap: 'inline',
      sourcefile: filename,
    })
    module._compile(code, filename)
  }
  const loaded = createRequire(join(ROOT, 'package.json'))(join(ROOT, file))
  if (!isPlanted) throw new Error(`Nothing loads ${fault.file}: the fault is not planted`)
  return loaded
}

/** A fault whose place has gone would prove nothing: its text must be there exactly once. */
export function plant(source, { file, find, replace }) {
  const parts = source.split(find)
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} places like ${JSON.stringify(find)}`)
  return parts.join(replace)
}
