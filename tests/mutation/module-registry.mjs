// The domain's modules and tests, loaded anew as often as wanted without a new process: compiled once, run again each time.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { Script } from 'node:vm'
import { transformSync } from 'esbuild'

/**
 * @param {string} root of the checkout, or of a copy of it
 * @param {string} renewed the folder whose modules are renewed with each registry; all others are loaded once
 * @param {ReadonlyMap<string, unknown>} [substitutes] what stands for packages
 */
export function createModuleLoader(root, renewed, substitutes = new Map()) {
  const scripts = new Map()
  const lasting = new Map()

  function compile(file) {
    const { code } = transformSync(readFileSync(file, 'utf8'), { loader: 'ts', format: 'cjs', target: 'node20' })
    const wrapper = `(function (exports, require, module, __filename, __dirname) {${code}\n})`
    return { run: new Script(wrapper, { filename: file }), require: createRequire(file) }
  }

  /** The source that a request means; null where it is a package or a module of Node. */
  function sourceOf(request, from) {
    const [, name, path] = /^@dwell\/([a-z]+)\/(.+)$/.exec(request) ?? []
    if (name !== undefined) return `${join(root, 'packages', name, 'src', path)}.ts`
    if (!request.startsWith('.')) return null
    const file = `${resolve(dirname(from), request)}.ts`
    return existsSync(file) ? file : null
  }

  return {
    /** A registry of its own: nothing that a module remembers gets from one into another. */
    createRegistry() {
      const fresh = new Map()

      function load(file) {
        const registry = file.startsWith(renewed) ? fresh : lasting
        const known = registry.get(file)
        if (known !== undefined) return known.exports
        if (!scripts.has(file)) scripts.set(file, compile(file))
        const script = scripts.get(file)
        const module = { exports: {} }
        registry.set(file, module)
        const require = (request) => {
          const source = sourceOf(request, file)
          if (source !== null) return load(source)
          return substitutes.get(request) ?? script.require(request)
        }
        script.run.runInThisContext()(module.exports, require, module, file, dirname(file))
        return module.exports
      }

      return { load, loaded: () => new Set(fresh.keys()) }
    },
  }
}
