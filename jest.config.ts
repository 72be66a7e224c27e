/** @jest-config-loader esbuild-register */
import type { Config } from 'jest'

/** Shared by all three kinds of test; workspace packages resolve to their sources, so no build is needed first. */
const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2023' } }] },
  moduleNameMapper: { '^@dwell/(contracts|domain|database|queues|runtime|publisher|testing)/(.*)$': '<rootDir>/packages/$1/src/$2' },
  modulePathIgnorePatterns: ['<rootDir>/(apps|packages|examples)/[^/]+/dist/'],
} satisfies Config['projects'] extends (infer P)[] | undefined ? Exclude<P, string> : never

const config: Config = {
  projects: [
    { ...base, displayName: 'unit', testMatch: ['**/src/**/*.test.ts'], testPathIgnorePatterns: ['\\.(int|e2e)\\.test\\.ts$', '/node_modules/'] },
    { ...base, displayName: 'integration', testMatch: ['**/*.int.test.ts'] },
    { ...base, displayName: 'e2e', testMatch: ['**/*.e2e.test.ts'] },
  ],
}

export default config
