// The streams of a storm. Each stream is reopened when it ends, as an app would do. Its events must contain boards with
// rows in the right order.
import { pick, type Random } from '../../src/demo/seeded-random.ts'
import { listOf, objectOf, toRow } from '../replayed-boards.ts'
import { StreamClient } from '../service/stream-client.ts'
import type { StormNetwork } from './storm-client.ts'
import type { StormTally } from './storm-tally.ts'

const LOOK_MILLIS = 100
const INTERVAL_SECONDS = 5
/** Pause before a new stream is opened in place of one that ended. */
const PAUSE_MILLIS = 500

/** What is needed to open streams and to count their results. */
export interface StormStreamOrder {
  readonly base: string
  readonly keys: readonly string[]
  readonly networks: readonly StormNetwork[]
  readonly random: Random
  readonly tally: StormTally
}

/** Streams of several keys. When a stream ends, another is opened in its place. */
export class StormStreams {
  private isOver = false
  private readonly open = new Set<StreamClient>()
  private readonly done: Promise<unknown>

  constructor(order: StormStreamOrder, count: number) {
    this.done = Promise.all(Array.from({ length: count }, (_, at) => this.keepOpen(order, at)))
  }

  /** Closes the connections of some streams. */
  cut(count: number): void {
    for (const stream of [...this.open].slice(0, count)) void stream.leave()
  }

  async stop(): Promise<void> {
    this.isOver = true
    for (const stream of this.open) void stream.leave()
    await this.done
  }

  private async keepOpen({ base, keys, networks, random, tally }: StormStreamOrder, at: number): Promise<void> {
    while (!this.isOver) {
      const { id, stopIds } = pick(random, networks)
      const stop = encodeURIComponent(`${id}:stop:${pick(random, stopIds)}`)
      const path = `/v1/stops/${stop}/departures/stream?interval=${INTERVAL_SECONDS}`
      tally.unansweredStreams++
      const stream = new StreamClient(base + path, keys[at % keys.length] ?? '')
      this.open.add(stream)
      while (!stream.isEnded && stream.status === 0) await Bun.sleep(LOOK_MILLIS)
      if (stream.status !== 0) tally.unansweredStreams--
      if (stream.status === 200) tally.streams++
      else if (stream.status !== 0) {
        const isExpected = stream.status === 503 || stream.status === 429
        const why = `${stream.status} ${stream.refusal.slice(0, 200)}`
        if (isExpected) tally.refuse(`stream ${stream.status}`)
        else tally.check('streams', `${path} returned ${why}`)
      }
      await this.read(stream, tally)
      const first = stream.events.find(({ event }) => event === 'departures')
      if (first !== undefined && unitsOf(first.data) > 0) tally.chargedStreams++
      await Bun.sleep(PAUSE_MILLIS)
    }
  }

  /** Checks a stream's events as they arrive, until the stream ends. */
  private async read(stream: StreamClient, tally: StormTally): Promise<void> {
    let checked = 0
    while (!stream.isEnded || checked < stream.events.length) {
      for (const { event, data } of stream.events.slice(checked)) {
        checked++
        tally.events++
        if (event === 'departures') tally.check('stream events', faultOf(data))
      }
      if (!stream.isEnded) await Bun.sleep(LOOK_MILLIS)
    }
  }
}

/** The units that a stream costs, as stated by its first event. */
function unitsOf(data: string): number {
  return Number(objectOf(objectOf(JSON.parse(data))['meta'])['units'])
}

/** What is wrong with the board in an event; undefined if nothing is. */
function faultOf(data: string): string | undefined {
  const rows = listOf(objectOf(JSON.parse(data))['data']).map(toRow)
  const times = rows.map(({ expected, scheduled }) => expected ?? scheduled)
  const isSorted = times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0))
  return isSorted ? undefined : `rows out of order: ${data.slice(0, 300)}`
}
