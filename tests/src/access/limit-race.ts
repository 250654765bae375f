// A Worker that takes units from shared cells as fast as it can, for the race in call-limits.test.ts.
import { QuotaCells } from '../../../src/metering/limit-cells.ts'

declare const self: Worker

/** The message that starts a racer. */
export interface RaceOrder {
  readonly memory: SharedArrayBuffer
  readonly cell: number
  readonly period: bigint
  readonly limit: bigint
  readonly costs: readonly number[]
}

/** The number of units that the racer was granted, and the costs that it was refused. */
export interface RaceResult {
  readonly granted: number
  readonly refusedCosts: readonly number[]
}

self.onmessage = ({ data }: MessageEvent<RaceOrder>) => {
  const cells = new QuotaCells(data.memory)
  let granted = 0
  const refusedCosts: number[] = []
  for (const cost of data.costs) {
    const { cell, period, limit } = data
    const quick = cells.take(cell, cost, period, Number(limit))
    if (quick === undefined && cells.reserve(cell, BigInt(cost), { period, limit }) === undefined)
      refusedCosts.push(cost)
    else granted += cost
  }
  self.postMessage({ granted, refusedCosts } satisfies RaceResult)
}
self.postMessage('awake')
