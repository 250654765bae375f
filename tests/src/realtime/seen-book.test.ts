// Tests the capabilities that a network has because of its feeds: set by the operator, seen in messages, or assumed.
// Fails if a capability disappears while its feed is configured, if a restart loses a capability, or if there is a
// capability that the settings deny.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type FeedKind, SeenBook } from '../../../src/realtime/seen-book.ts'
import { failOnProblem } from '../../fail-on-problem.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quai-seen-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A network with the feeds `f0`, `f1`…, one for each value of `provides`. */
function network(...settings: readonly (readonly FeedKind[] | undefined)[]) {
  const feeds = settings.map((provides, at) => ({
    id: `f${at}`,
    url: '/feed.pb',
    intervalSeconds: 15,
    headers: {},
    budget: undefined,
    maxAgeSeconds: undefined,
    provides,
  }))
  return { id: 'n', feeds, scheduledVehicles: false }
}

test('before a first message, trips and alerts are assumed, and vehicles can be estimated', () => {
  const assumed = { trips: true, alerts: true, vehicles: 'estimated' } as const
  expect(new SeenBook(folder, failOnProblem).capabilitiesOf(network(undefined))).toEqual(assumed)
})

test('a network without feeds has none, and vehicles by the timetable if configured', () => {
  const book = new SeenBook(folder, failOnProblem)
  expect(book.capabilitiesOf(network())).toEqual({ trips: false, alerts: false, vehicles: 'none' })
  const scheduled = { ...network(), scheduledVehicles: true }
  expect(book.capabilitiesOf(scheduled)).toEqual({ trips: false, alerts: false, vehicles: 'estimated' })
})

test('what was seen survives a restart, and is removed with the feed', () => {
  new SeenBook(folder, failOnProblem).note('n', 'f0', ['trips', 'vehicles'])
  expect(new SeenBook(folder, failOnProblem).capabilitiesOf(network(undefined)).vehicles).toBe('gps')
  new SeenBook(folder, failOnProblem).note('n', 'f0', ['estimated'])
  expect(new SeenBook(folder, failOnProblem).capabilitiesOf(network(undefined)).vehicles).toBe('mixed')
  expect(new SeenBook(folder, failOnProblem).capabilitiesOf({ ...network(), id: 'n' }).vehicles).toBe('none')
})

test('a configured feed provides what the setting says, whatever was seen', () => {
  const book = new SeenBook(folder, failOnProblem)
  book.note('n', 'f0', ['trips', 'vehicles', 'alerts', 'estimated'])
  const of = (provides: readonly FeedKind[]) => book.capabilitiesOf(network(provides))
  expect(of(['alerts'])).toEqual({ trips: false, alerts: true, vehicles: 'none' })
  expect(of(['vehicles'])).toEqual({ trips: false, alerts: false, vehicles: 'gps' })
  expect(of(['trips'])).toEqual({ trips: true, alerts: false, vehicles: 'estimated' })
  expect(book.capabilitiesOf(network(['alerts'], ['trips']))).toMatchObject({ trips: true, alerts: true })
})

test('no capability disappears, whatever feeds contain over time', () => {
  const kinds = fc.uniqueArray(fc.constantFrom<FeedKind | 'estimated'>('trips', 'vehicles', 'alerts', 'estimated'))
  const rank = { none: 0, estimated: 1, gps: 2, mixed: 3 }
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(1), kinds), { maxLength: 6 }), (messages) => {
      const own = mkdtempSync(join(folder, 'run-'))
      const order = network(undefined, ['alerts'])
      let before = new SeenBook(own, failOnProblem).capabilitiesOf(order)
      for (const [feed, seen] of messages) {
        new SeenBook(own, failOnProblem).note('n', `f${feed}`, seen)
        const now = new SeenBook(own, failOnProblem).capabilitiesOf(order)
        expect(Number(now.trips)).toBeGreaterThanOrEqual(Number(before.trips))
        expect(Number(now.alerts)).toBeGreaterThanOrEqual(Number(before.alerts))
        expect(rank[now.vehicles]).toBeGreaterThanOrEqual(rank[before.vehicles])
        before = now
      }
    }),
    { seed: 11, numRuns: 200 },
  )
})
