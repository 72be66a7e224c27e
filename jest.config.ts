/** @jest-config-loader esbuild-register */
import type { Config } from 'jest'

/** Shared by all kinds of test; workspace packages resolve to their sources, so no build is needed first. */
const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform: { '^.+\\.[jt]s$': ['@swc/jest', { jsc: { target: 'es2023' } }] },
  // These packages are made of ES modules, which jest does not load as they are.
  transformIgnorePatterns: ['/node_modules/(?!(@prisma/schema-engine-wasm|temporal-polyfill|temporal-utils)/)'],
  moduleNameMapper: {
    '^@dwell/(contracts|domain|database|queues|mail|runtime|publisher|testing)/(.*)$': '<rootDir>/packages/$1/src/$2',
  },
  modulePathIgnorePatterns: ['<rootDir>/(apps|packages|examples)/[^/]+/dist/'],
} satisfies Config['projects'] extends (infer P)[] | undefined ? Exclude<P, string> : never

/** Postgres and Redis for the kinds of test that need them. */
const services = {
  globalSetup: '<rootDir>/scripts/jest-services.mjs',
  globalTeardown: '<rootDir>/scripts/jest-services-end.mjs',
}

const config: Config = {
  // Against real servers on a machine that does other things too: a limit for what hangs, not for what is slow.
  testTimeout: 30_000,
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['**/src/**/*.test.ts', '<rootDir>/tests/**/*.test.ts'],
      testPathIgnorePatterns: ['\\.(int|e2e|web)\\.test\\.ts$', '/node_modules/'],
    },
    { ...base, ...services, displayName: 'integration', testMatch: ['**/*.int.test.ts'] },
    { ...base, ...services, displayName: 'e2e', testMatch: ['**/*.e2e.test.ts'] },
    {
      ...base,
      displayName: 'web',
      testMatch: ['**/*.web.test.ts'],
      globalSetup: '<rootDir>/scripts/jest-product.mjs',
      globalTeardown: '<rootDir>/scripts/jest-product-end.mjs',
      setupFilesAfterEnv: ['<rootDir>/tests/web/src/setup.ts'],
    },
  ],
}

export default config
