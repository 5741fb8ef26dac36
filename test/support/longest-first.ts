/**
 * The order of test files: projects as the configuration names them, so that the short files of the
 * last one fill up what the long ones of the first leave of both cores.
 * @module
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = this.ctx.projects.map(({ name }) => name)
    const placeOf = ({ project }: TestSpecification) => order.indexOf(project.name)
    // Within a project the longest of the last run, or else the largest.
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}
