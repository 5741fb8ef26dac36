/**
 * Says how long each project of the tests has taken, and how its random numbers are had again.
 * @module
 */
import type { Reporter, TestModule } from 'vitest/node'

interface Spent {
  files: number
  tests: number
  /** Of its files, one after the other. */
  ms: number
  from: number
  until: number
}

export default class ProjectSeconds implements Reporter {
  readonly #spent = new Map<string, Spent>()

  onTestModuleStart({ project }: TestModule): void {
    const now = performance.now()
    const nothing = { files: 0, tests: 0, ms: 0, from: now, until: now }
    if (!this.#spent.has(project.name)) this.#spent.set(project.name, nothing)
  }

  onTestModuleEnd(module: TestModule): void {
    const spent = this.#spent.get(module.project.name)
    if (!spent) return
    const { collectDuration, duration, setupDuration } = module.diagnostic()
    spent.files++
    spent.tests += [...module.children.allTests()].length
    spent.ms += collectDuration + duration + setupDuration
    spent.until = performance.now()
  }

  onTestRunEnd(): void {
    const lines = [...this.#spent].map(([name, { files, tests, ms, from, until }]) => {
      const wall = `${seconds(until - from)} from its first to its last`
      return `${name}: ${wall}, ${seconds(ms)} in its ${files} files, ${tests} tests`
    })
    const again = `random numbers: CAUSEWAY_FUZZ_SEED=${process.env['CAUSEWAY_FUZZ_SEED']} gives them again`
    process.stdout.write(`\n${[...lines, again].map((line) => `  ${line}\n`).join('')}`)
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
