// Tests two networks that follow the same random messages from three feeds. One of them receives all messages. The
// other belongs to a new replica, which starts later: with the memory that the first network serialized at a random
// time, and with the messages since then. Fails if the live data or the memory of the two networks differs.

import { deserialize } from 'bun:jsc'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type GtfsRealtime from 'gtfs-realtime-bindings'
import { FollowedNetwork } from '../../../src/fleet-live/followed-network.ts'
import type { LiveMessage } from '../../../src/fleet-live/live-store.ts'
import { OPENED, type OpenedLive, takeLive } from '../../../src/networks/live-state.ts'
import type { Snapshot } from '../../../src/networks/network.ts'
import { AlertBook } from '../../../src/realtime/alert-book.ts'
import { SeenBook } from '../../../src/realtime/seen-book.ts'
import { failOnProblem } from '../../fail-on-problem.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'
import { Dice } from '../../oracles/fleet/event-loop.ts'
import { bySize, SEED } from '../../size.ts'
import { digestOfLive, NETWORK, smallSnapshot } from './live-replicas.ts'

const HISTORIES = bySize({ quick: 5, ci: 30, full: 500 })
const MESSAGES = 60
const START_SECONDS = Date.parse('2026-06-10T05:55:00Z') / 1000
const DATE = '20260610'
const FEEDS = ['whole', 'differences', 'alerts']
const TRIPS = ['a1', 'a2', 'a3', 'r1', 'r2', 'b1', 'b2']
const STOPS = ['G', 'CA', 'CB', 'P', 'T']
const CAUSES = ['Works', 'A strike', 'Ice on the rails']

type Entity = GtfsRealtime.transit_realtime.IFeedEntity

let snapshot: Snapshot
let folder: string
beforeAll(async () => {
  snapshot = await smallSnapshot()
  folder = mkdtempSync(join(tmpdir(), 'quai-followed-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test(`${HISTORIES} histories, each with a new replica (seed ${SEED})`, () => {
  const dice = new Dice(SEED)
  const digests = new Set<string>()
  for (let history = 0; history < HISTORIES; history++) {
    const messages = someMessages(dice)
    const first = new Follower(join(folder, `${history}-first`))
    first.begin({ seq: 0, format: 'none', bytes: new Uint8Array() }, [])
    const joinAt = 1 + dice.below(MESSAGES - 2)
    follow(first, messages.slice(0, joinAt), dice)
    const memory = first.network.pack()
    const later = 1 + dice.below(MESSAGES - joinAt - 1)
    follow(first, messages.slice(joinAt, joinAt + later), dice)
    const newcomer = new Follower(join(folder, `${history}-newcomer`))
    newcomer.begin(memory, messages.slice(joinAt, joinAt + later))
    for (const message of messages.slice(joinAt + later)) {
      for (const each of [first, newcomer]) each.network.apply([message])
      const place = { history, joinAt, seq: message.seq }
      expect({ ...place, digest: newcomer.digest }).toEqual({ ...place, digest: first.digest })
    }
    expect(deserialize(newcomer.network.pack().bytes)).toEqual(deserialize(first.network.pack().bytes))
    digests.add(first.digest)
    for (const each of [first, newcomer]) each.network.close()
  }
  expect(digests.size).toBe(HISTORIES)
}, 600_000)

/**
 * Applies messages in groups of random size, as a replica does: it applies all that have arrived since its last check.
 */
function follow({ network }: Follower, messages: readonly LiveMessage[], dice: Dice): void {
  for (let at = 0; at < messages.length; ) {
    const count = 1 + dice.below(3)
    network.apply(messages.slice(at, at + count))
    at += count
  }
}

/** A network of a replica, and the live data that its data threads would have. */
class Follower {
  readonly network: FollowedNetwork
  private live: OpenedLive | undefined

  constructor(dataDir: string) {
    this.network = new FollowedNetwork({
      order: { id: NETWORK, feeds: FEEDS.map(feedOrder), scheduledVehicles: true },
      clock: { nowMillis: () => START_SECONDS * 1_000 },
      seen: new SeenBook(dataDir, failOnProblem),
      alerts: new AlertBook(dataDir, failOnProblem),
      log: { info: () => {}, warn: () => {} },
      version: 0,
      onChange: (live) => {
        this.live = takeLive(this.live, live, OPENED)
      },
    })
  }

  begin(...given: Parameters<FollowedNetwork['load']>): void {
    this.network.adopt(snapshot)
    this.network.load(...given)
  }

  get digest(): string {
    return this.live === undefined ? '' : digestOfLive(this.live)
  }
}

function feedOrder(id: string) {
  return {
    id,
    url: '',
    intervalSeconds: 15,
    headers: {},
    budget: undefined,
    maxAgeSeconds: undefined,
    provides: undefined,
  }
}

function someMessages(dice: Dice): LiveMessage[] {
  let atSeconds = START_SECONDS
  return Array.from({ length: MESSAGES }, (_, at) => {
    atSeconds += dice.below(60)
    const feed = dice.pick(FEEDS)
    const kind = dice.chance(0.7) ? 'body' : dice.pick(['same', 'failed'] as const)
    const atMillis = atSeconds * 1_000
    const lastError = { atMillis, source: feed, reason: 'http_500', message: 'it failed' }
    return {
      seq: at + 1,
      network: NETWORK,
      before: at,
      feed,
      status: {
        kind,
        atMillis,
        fetchedAtMillis: atMillis,
        lastError: kind === 'failed' ? lastError : undefined,
        isWell: kind !== 'failed',
        backOffMillis: 0,
        budget: undefined,
      },
      body: kind === 'body' ? someBody(dice, feed, atSeconds) : undefined,
      committedMillis: atMillis,
    }
  })
}

function someBody(dice: Dice, feed: string, atSeconds: number): Uint8Array {
  const saidSeconds = atSeconds - dice.below(20)
  const entities = feed === 'alerts' ? someAlerts(dice) : TRIPS.flatMap((trip) => someEntities(dice, trip, saidSeconds))
  return realtimeFeed(saidSeconds, entities, feed === 'differences' ? 'DIFFERENTIAL' : 'FULL_DATASET')
}

function someEntities(dice: Dice, tripId: string, saidSeconds: number): Entity[] {
  const entities: Entity[] = []
  const trip = { tripId, startDate: DATE }
  if (dice.chance(0.4)) {
    const stops = STOPS.filter(() => dice.chance(0.5))
    const stopTimeUpdate = stops.map((stopId) => ({ stopId, departure: { delay: dice.below(400) - 60 } }))
    entities.push({ id: `t-${tripId}`, tripUpdate: { trip, stopTimeUpdate } })
  } else if (dice.chance(0.1)) entities.push({ id: `t-${tripId}`, isDeleted: true })
  if (dice.chance(0.3)) {
    const position = { latitude: 48.575 + dice.below(150) / 10_000, longitude: 7.735 + dice.below(350) / 10_000 }
    const timestamp = dice.chance(0.5) ? saidSeconds - dice.below(30) : undefined
    entities.push({ id: `v-${tripId}`, vehicle: { trip, position, vehicle: { id: `bus-${tripId}` }, timestamp } })
  }
  return entities
}

function someAlerts(dice: Dice): Entity[] {
  return CAUSES.filter(() => dice.chance(0.6)).map((text, at) => ({
    id: dice.chance(0.8) ? `alert-${at}` : `alert-${dice.below(100)}`,
    alert: {
      informedEntity: [{ routeId: dice.pick(['A', '7']) }],
      headerText: { translation: [{ text, language: 'en' }] },
    },
  }))
}
