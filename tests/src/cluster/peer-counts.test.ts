// Tests limits on rates, streams and password attempts that several replicas share. The replicas report their counts to
// each other. While a test simulates requests, they do so five times a second, and in one case, some of the reports are
// lost.
import { expect, test } from 'bun:test'
import { TRY_LIMITS, Tries } from '../../../src/account-api/tries.ts'
import { allocateGrantCells, GrantCells } from '../../../src/cluster/grant-cells.ts'
import { type Counts, MOST_RATE_DEBT_MICROS, PeerCounts } from '../../../src/cluster/peer-counts.ts'
import { PeerTries } from '../../../src/cluster/peer-tries.ts'
import { allocateCells, type Rate, RateCells } from '../../../src/metering/limit-cells.ts'
import { allocateStreamSlots, KEY_STREAM_LIMIT, StreamSlots } from '../../../src/streams/stream-slots.ts'
import { Dice } from '../../oracles/fleet/event-loop.ts'
import { SEED } from '../../size.ts'

const TICK_MILLIS = 200
const STEP_MILLIS = 10
const START_MILLIS = 1_700_000_000_000
const CELL = 3
const ACCOUNT = 'a3'

/** Replicas that share a clock. */
class Replicas {
  nowMillis = START_MILLIS
  readonly all: readonly Replica[]
  readonly rate: Rate

  constructor(count: number, rate: Rate) {
    this.rate = rate
    this.all = Array.from({ length: count }, (_, at) => new Replica(this, at))
    for (const { cells } of this.all) cells.setReplicas(count, 1)
  }

  tickAll(times: number): void {
    for (let time = 0; time < times; time++) for (const replica of this.all) replica.tick()
  }
}

class Replica {
  readonly cells = new GrantCells(allocateGrantCells())
  readonly slots = new StreamSlots(allocateStreamSlots())
  readonly counts: PeerCounts
  readonly tickMillis: number
  reported: Counts = {}
  private readonly rates = new RateCells(allocateCells(), MOST_RATE_DEBT_MICROS)
  private readonly world: Replicas

  constructor(world: Replicas, at: number) {
    this.world = world
    this.tickMillis = (at * 70) % TICK_MILLIS
    this.counts = new PeerCounts({
      cells: this.cells,
      rates: this.rates,
      pace: {
        nowMillis: () => world.nowMillis,
        wallMillis: () => world.nowMillis,
        sleep: async () => {},
        random: () => 0,
      },
      rateOf: (accountId) => (accountId === ACCOUNT ? { cell: CELL, rate: world.rate } : undefined),
      heldStreams: () => this.slots.countHeld(),
      announceStreams: (elsewhere) => {
        this.slots.elsewhere = elsewhere
      },
    })
  }

  /** Handles a request as the gate of a data thread would; returns whether it is admitted. */
  request(): boolean {
    const { rate, nowMillis, all } = this.world
    const { isAllowed, left } = this.rates.take(CELL, rate, nowMillis * 1_000)
    if (isAllowed) this.cells.countAdmitted(CELL)
    if (left < rate.burst * (1 - 1 / all.length)) this.counts.noteHot(ACCOUNT)
    return isAllowed
  }

  tick(): void {
    this.reported = this.counts.report()
    const others = this.world.all.filter((each) => each !== this)
    this.counts.take(Object.fromEntries(others.map((each) => [`r${this.world.all.indexOf(each)}`, each.reported])))
  }
}

/**
 * Sends requests for some seconds. Returns how many requests each replica received and admitted.
 * @param perSecond requests per second, for each replica
 * @param lostShare share of the reports that are lost
 */
function request(replicas: Replicas, seconds: number, of: { perSecond: readonly number[]; lostShare?: number }) {
  const dice = new Dice(SEED)
  const [requested, admitted] = [replicas.all.map(() => 0), replicas.all.map(() => 0)]
  const endMillis = replicas.nowMillis + seconds * 1_000
  for (; replicas.nowMillis < endMillis; replicas.nowMillis += STEP_MILLIS) {
    for (const [at, replica] of replicas.all.entries()) {
      if ((replicas.nowMillis - replica.tickMillis) % TICK_MILLIS === 0 && !dice.chance(of.lostShare ?? 0))
        replica.tick()
      for (let call = (of.perSecond[at] * STEP_MILLIS) / 1_000; dice.chance(call); call--) {
        requested[at]++
        if (replica.request()) admitted[at]++
      }
    }
  }
  return { requested, admitted }
}

test.each([
  { count: 3, rate: { perSecond: 10, burst: 20 }, lostShare: 0 },
  { count: 3, rate: { perSecond: 100, burst: 100 }, lostShare: 0 },
  { count: 5, rate: { perSecond: 50, burst: 100 }, lostShare: 0 },
  { count: 3, rate: { perSecond: 10, burst: 20 }, lostShare: 0.3 },
])('a flood of twenty times the rate over $count replicas gets the rate: $rate, lost $lostShare', (of) => {
  const replicas = new Replicas(of.count, of.rate)
  const perSecond = replicas.all.map(() => (20 * of.rate.perSecond) / of.count)
  const admitted = request(replicas, 30, { perSecond, lostShare: of.lostShare }).admitted.reduce(
    (sum, each) => sum + each,
    0,
  )
  const fair = of.rate.burst + 30 * of.rate.perSecond
  expect(admitted / fair).toBeLessThanOrEqual(of.count === 5 ? 1.1 : 1.05)
  expect(admitted / fair).toBeGreaterThanOrEqual(0.95)
  // If only one replica gets requests afterwards, it must admit the whole rate.
  const pinned = request(replicas, 30, {
    perSecond: replicas.all.map((_, at) => (at === 1 ? 20 * of.rate.perSecond : 0)),
  })
  expect(pinned.admitted[1]).toBeGreaterThanOrEqual(0.99 * 30 * of.rate.perSecond - of.rate.burst)
})

test('a client at one replica gets its full rate', () => {
  const replicas = new Replicas(3, { perSecond: 10, burst: 20 })
  const { requested, admitted } = request(replicas, 30, { perSecond: [0, 9.9, 0] })
  // The arrivals are random, so there can be more requests than the rate and the burst allow.
  expect(admitted[1]).toBeGreaterThan(0.9 * Math.min(requested[1], 30 * 10 + 20))
  replicas.nowMillis += 60_000
  expect(request(replicas, 30, { perSecond: [0, 200, 0] }).admitted[1]).toBeGreaterThanOrEqual(318)
})

test('an idle account is no longer reported, and its counts are not applied twice', () => {
  const replicas = new Replicas(2, { perSecond: 10, burst: 20 })
  request(replicas, 3, { perSecond: [100, 100] })
  request(replicas, 30, { perSecond: [0, 0] })
  expect(replicas.all.map(({ reported }) => reported)).toEqual([{}, {}])
  expect(request(replicas, 0.1, { perSecond: [10_000, 0] }).admitted[0]).toBe(20)
  request(replicas, 30, { perSecond: [0, 0] })
  expect(request(replicas, 0.1, { perSecond: [0, 10_000] }).admitted[1]).toBe(20)
})

test('streams of a key count on all replicas, above a share of the limit', () => {
  const replicas = new Replicas(3, { perSecond: 1, burst: 1 })
  const open = (at: number) => replicas.all[at].slots.take({ keyId: 'k', accountId: ACCOUNT }).kind
  for (let count = 0; count < KEY_STREAM_LIMIT - 2; count++) expect(open(0)).toBe('taken')
  expect(open(1)).toBe('taken')
  replicas.tickAll(3)
  expect(open(2)).toBe('taken')
  replicas.tickAll(2)
  expect(replicas.all.map((_, at) => open(at))).toEqual(['full', 'full', 'full'])
  replicas.all[0].slots.releaseOf(0)
  replicas.tickAll(2)
  expect(open(2)).toBe('taken')
})

test('attempts count on all replicas until undone, however often they are reported', () => {
  const clock = { nowMillis: () => START_MILLIS }
  const pace = { nowMillis: () => 0, wallMillis: () => 0, sleep: async () => {}, random: () => 0 }
  const sides = Array.from({ length: 3 }, () => {
    const tries = new Tries(clock, TRY_LIMITS.pair, new Uint8Array(32))
    const peers = new PeerTries(pace)
    peers.share({ pair: tries })
    return { tries, peers }
  })
  const exchange = () => {
    for (const { peers } of sides) {
      const others = sides.filter((each) => each.peers !== peers)
      peers.take(Object.fromEntries(others.map((each) => [`r${sides.indexOf(each)}`, each.peers.report()])))
    }
  }
  const undo = Array.from({ length: TRY_LIMITS.pair.limit }, (_, count) => sides[count % 3].tries.count('a'))
  expect(sides.map(({ tries }) => tries.waitSeconds('a'))).toEqual([0, 0, 0])
  for (let times = 0; times < 3; times++) exchange()
  expect(sides.every(({ tries }) => tries.waitSeconds('a') > 0)).toBe(true)
  undo[0]()
  exchange()
  expect(sides.map(({ tries }) => tries.waitSeconds('a'))).toEqual([0, 0, 0])
  expect(sides.map(({ tries }) => tries.take('a') > 0)).toEqual([false, false, false])
})
