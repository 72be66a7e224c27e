import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as binding from '@prisma/schema-engine-wasm/schema_engine_bg'
import { MigrationAdapter } from './migrate-adapter'

export type { MigrationList, SchemasContainer } from '@prisma/schema-engine-wasm/schema_engine_bg'

/** Node has it; the type declarations of Node 20 leave it to the browser's library, which does not belong here. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>
}

/** No table is exempt from migrations. */
export const NO_FILTER = { externalTables: [], externalEnums: [] }

let loaded: Promise<void> | undefined

/**
 * Runs something with Prisma's own schema engine, as WebAssembly out of the package registry: its binary would have to
 * be downloaded from elsewhere. The package's entry point expects a bundler that imports `.wasm` files, so it is
 * instantiated here.
 */
export async function withSchemaEngine<T>(
  databaseUrl: string,
  use: (engine: binding.SchemaEngine) => Promise<T>,
): Promise<T> {
  loaded ??= instantiate()
  await loaded
  const adapter = new MigrationAdapter(databaseUrl)
  try {
    const bound = bindMigrationAwareSqlAdapterFactory(adapter)
    const engine = await binding.SchemaEngine.new({ datamodels: undefined }, () => {}, bound)
    try {
      return await use(engine)
    } finally {
      engine.free()
    }
  } catch (error) {
    if (!adapter.failure) throw error
    const migration = /migration_name="([^"]+)"/.exec(String(error))?.[1]
    throw new Error(`${migration === undefined ? '' : `${migration}: `}${adapter.failure.message}`, {
      cause: adapter.failure,
    })
  } finally {
    await adapter.close()
  }
}

async function instantiate(): Promise<void> {
  // When the engine panics it calls this before it aborts; the abort itself says nothing.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message(message: string) {
        process.stderr.write(`The schema engine panicked: ${message}\n`)
      },
    },
  })
  const entry = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const bytes = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': hostFunctions() })
  binding.__wbg_set_wasm(instance.exports)
  const start = instance.exports.__wbindgen_start
  if (typeof start !== 'function') throw new Error('The schema engine has no start function')
  start()
}

/**
 * What the engine calls in us. Its timers (the longest: ten seconds for Prisma's advisory lock) are never cleared; they
 * must not keep a process alive that has nothing else left to do.
 */
function hostFunctions(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(binding).map(([name, value]) => {
      if (!name.startsWith('__wbg_setTimeout') || typeof value !== 'function') return [name, value]
      const setTimer = value as (...args: unknown[]) => NodeJS.Timeout
      return [name, (...args: unknown[]) => setTimer(...args).unref()]
    }),
  )
}
