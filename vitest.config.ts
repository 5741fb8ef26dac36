import { defineConfig } from 'vitest/config'

// Continuous integration reads the counts from a file.
const report = process.env['CAUSEWAY_TEST_REPORT']

export default defineConfig({
  // Workspace packages resolve to their TypeScript source, so tests need no build.
  ssr: {
    resolve: { conditions: ['@causeway/source'], externalConditions: ['@causeway/source'] },
  },
  test: {
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['*/src/**/*.test.ts', 'test/unit/**/*.test.ts', 'test/vectors/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          pool: 'forks',
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 60_000,
          hookTimeout: 300_000,
        },
      },
    ],
    coverage: { provider: 'v8', include: ['*/src/**/*.ts'], exclude: ['**/*.test.ts'] },
  },
})
