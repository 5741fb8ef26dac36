/**
 * One measured figure with its floor and its target.
 * @module
 */
import { median, ratios, type Spread } from './statistics.ts'

/** A bound on the figure itself, or on its ratio to the floor. */
export interface Target {
  of: 'value' | 'ratio'
  atLeast?: number
  atMost?: number
}

/** A row of the JSON file. */
export interface Row {
  group: string
  name: string
  /** Median over the rounds. */
  value: number
  unit: string
  /** Median of what it is compared with; null without a comparison. */
  floor: number | null
  /** Ratio of each round's value to the floor of the same round. */
  ratio: Spread | null
  target: Target | null
  /** Null without a target. */
  holds: boolean | null
  /** What to know before trusting the figure. */
  remark?: string
}

/** The measurements of a group for one row. */
export interface Measured {
  name: string
  unit: string
  /** One value per round. */
  values: readonly number[]
  /** The floors of the same rounds. */
  floors?: readonly number[]
  target?: Target
  remark?: string
}

export function toRow(group: string, measured: Measured): Row {
  const { name, unit, values, floors, target, remark } = measured
  const value = median(values)
  const ratio = floors ? ratios(values, floors) : null
  return {
    group,
    name,
    value,
    unit,
    floor: floors ? median(floors) : null,
    ratio,
    target: target ?? null,
    holds: target ? holds(target, value, ratio) : null,
    ...(remark !== undefined && { remark }),
  }
}

function holds({ of, atLeast, atMost }: Target, value: number, ratio: Spread | null): boolean {
  const figure = of === 'value' ? value : ratio?.median
  if (figure === undefined) throw new TypeError('a target of the ratio needs floors')
  return figure >= (atLeast ?? -Infinity) && figure <= (atMost ?? Infinity)
}
