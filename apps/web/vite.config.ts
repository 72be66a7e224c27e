import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const CONTRACTS = fileURLToPath(new URL('../../packages/contracts/src/', import.meta.url))
/** Where `npm start` puts the console, for `npm run dev -w apps/web`. */
const CONSOLE = 'http://127.0.0.1:3000'

export default defineConfig({
  plugins: [react(), compressed()],
  resolve: { alias: [{ find: /^@dwell\/contracts\//, replacement: CONTRACTS }] },
  server: { proxy: { '/api': CONSOLE, '/admin': CONSOLE, '/docs': CONSOLE } },
  build: {
    target: 'es2023',
    // Nothing but images is worth inlining, and styles and scripts must not be: the security policy forbids them inline.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
})

/** Beside every script and style its compressed form: console sends that to whoever takes it. */
function compressed(): Plugin {
  return {
    name: 'dwell-compressed',
    apply: 'build',
    writeBundle({ dir = '' }) {
      for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|svg)$/.test(name)) continue
        const file = join(dir, name)
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
      }
    },
  }
}
