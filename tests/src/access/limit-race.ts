// A Worker that takes units out of shared cells as fast as it can, for the race of authentication.test.ts.
import { QuotaCells } from '../../../src/metering/limit-cells.ts'

declare const self: Worker

/** The messages to a racer. */
export interface RaceOrder {
  readonly memory: SharedArrayBuffer
  readonly cell: number
  readonly month: bigint
  readonly limit: bigint
  readonly costs: readonly number[]
}

/** What it got. */
export interface RaceResult {
  readonly granted: number
  readonly refusedCosts: readonly number[]
}

self.onmessage = ({ data }: MessageEvent<RaceOrder>) => {
  const cells = new QuotaCells(data.memory)
  let granted = 0
  const refusedCosts: number[] = []
  for (const cost of data.costs) {
    const quick = cells.take(data.cell, cost, data.month, Number(data.limit))
    if (quick === undefined && cells.reserve(data.cell, BigInt(cost), data) === undefined) refusedCosts.push(cost)
    else granted += cost
  }
  self.postMessage({ granted, refusedCosts } satisfies RaceResult)
}
self.postMessage('awake')
