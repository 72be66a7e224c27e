import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const CONTRACTS = fileURLToPath(new URL('../../packages/contracts/src/', import.meta.url))
/** Where `npm start` puts the console, for `npm run dev -w apps/web`. */
const CONSOLE = 'http://127.0.0.1:3000'

export default defineConfig({
  plugins: [react()],
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
