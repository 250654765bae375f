// Compares the bytes of the demo's live feeds with the city's own text tables. The reader shares no code with the demo.
// Fails if a predicted call is not one of the trip's calls, if times decrease, if a vehicle is off its shape or outside
// the stretch between its last and its next call, if an alert refers to something that is not in the city, or if the
// data for a time depends on what was requested before.
import { expect, test } from 'bun:test'
import { transit_realtime } from 'gtfs-realtime-bindings'
import { type CityFeed, makeCity } from '../../../src/demo/city.ts'
import { CityDays } from '../../../src/demo/simulator/city-days.ts'
import { encodeFeed, FEEDS, type FeedName, feedAt } from '../../../src/demo/simulator/feed-state.ts'
import { bySize } from '../../size.ts'

type Message = transit_realtime.FeedMessage
type Row = Readonly<Record<string, string>>

const city = makeCity({ seed: 1, scale: 1, firstDate: 20261120, days: 20 })
const days = new CityDays(city, 7)
const tripRows = byKey(readTable(city, 'trips.txt'), 'trip_id')
const stopRows = byKey(readTable(city, 'stops.txt'), 'stop_id')
const routeIds = new Set(readTable(city, 'routes.txt').map((row) => row['route_id']))
const agencyIds = new Set(readTable(city, 'agency.txt').map((row) => row['agency_id']))
const callRows = Map.groupBy(readTable(city, 'stop_times.txt'), (row) => row['trip_id'])
const shapeRows = Map.groupBy(readTable(city, 'shapes.txt'), (row) => row['shape_id'])
const { ScheduleRelationship } = transit_realtime.TripDescriptor
const CallRelationship = transit_realtime.TripUpdate.StopTimeUpdate.ScheduleRelationship

/** A Tuesday morning, when many vehicles run. */
const PEAK = instant('2026-11-24T08:00:00+01:00')
const SHAPE_REACH_METERS = 20
/** How far from its shape, in meters, a vehicle on a detour may be. */
const DETOUR_METERS = 160
/** Tolerance in meters, since positions are 32-bit floats and distances along shapes are in whole meters. */
const ROUNDING_METERS = 3

function readTable(feed: CityFeed, name: string): Row[] {
  const file = feed.files.find((each) => each.name === name)
  const lines = [...(file?.chunks() ?? [])].join('').trimEnd().split('\n')
  const [header, ...rows] = lines.map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/))
  return rows.map((fields) => Object.fromEntries(header.map((column, index) => [column, fields[index]])))
}

function byKey(rows: readonly Row[], key: string): Map<string, Row> {
  return new Map(rows.map((row) => [row[key], row]))
}

function instant(text: string): number {
  return Date.parse(text) / 1000
}

function read(feed: FeedName, nowSeconds: number, from = days): Message {
  return transit_realtime.FeedMessage.decode(encodeFeed(feedAt(from, feed, nowSeconds)))
}

function clockSeconds(text: string): number {
  const [hours, minutes, seconds] = text.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

/** The instant from which the times of a service day count. Only for winter, when Paris is an hour ahead of UTC. */
function zeroOf(date: string): number {
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6))) / 1000 - 3600
}

/** Times from 04:00 on a date to 06:00 on the next day. */
function* momentsOf(date: string, stepSeconds: number): Generator<number> {
  for (let at = zeroOf(date) + 4 * 3600; at < zeroOf(date) + 30 * 3600; at += stepSeconds) yield at
}

interface Call {
  readonly sequence: number
  readonly stop: string
  readonly arrival: number
  readonly departure: number
  readonly meters: number
}

/**
 * The scheduled calls, as instants, of the run that an update or a position is about. If the run was shifted, its calls
 * are shifted too.
 */
function plannedCalls(trip: transit_realtime.ITripDescriptor, start?: string | null): Call[] {
  const id = (trip.tripId ?? '').replace(/-(renfort|bis)$/, '')
  const rows = callRows.get(id) ?? []
  const first = clockSeconds(rows[0]['departure_time'])
  const startTime = start ?? trip.startTime
  const shift = startTime ? clockSeconds(startTime) - first : 0
  const zero = zeroOf(trip.startDate ?? '') + shift
  return rows.map((row) => ({
    sequence: Number(row['stop_sequence']),
    stop: row['stop_id'],
    arrival: zero + clockSeconds(row['arrival_time']),
    departure: zero + clockSeconds(row['departure_time']),
    meters: Number(row['shape_dist_traveled']),
  }))
}

function at(event: transit_realtime.TripUpdate.IStopTimeEvent | null | undefined, planned: number): number | undefined {
  if (event === null || event === undefined) return undefined
  return Number(event.time) || planned + Number(event.delay)
}

test('a time has one state, whatever was requested before', () => {
  const others = new CityDays(city, 7)
  read('trip-updates', PEAK - 86_400, others)
  for (const feed of FEEDS) {
    expect(encodeFeed(feedAt(others, feed, PEAK))).toEqual(encodeFeed(feedAt(days, feed, PEAK)))
    expect(encodeFeed(feedAt(new CityDays(city, 8), feed, PEAK))).not.toEqual(encodeFeed(feedAt(days, feed, PEAK)))
    expect(Number(read(feed, PEAK).header.timestamp)).toBe(PEAK)
  }
})

test('entity ids and vehicles are unique, all night and all day', () => {
  for (const now of momentsOf('20261127', 1800)) {
    for (const feed of FEEDS) {
      const ids = read(feed, now).entity.map((entity) => entity.id)
      expect([now, new Set(ids).size]).toEqual([now, ids.length])
    }
  }
})

test('every relationship of a trip and of a call occurs within a day', () => {
  const ofTrips = new Set<number>()
  const ofCalls = new Set<number>()
  let moved = 0
  for (const now of momentsOf('20261124', 1200)) {
    for (const { tripUpdate } of read('trip-updates', now).entity) {
      ofTrips.add(tripUpdate?.trip.scheduleRelationship ?? -1)
      for (const call of tripUpdate?.stopTimeUpdate ?? []) {
        ofCalls.add(call.scheduleRelationship ?? -1)
        if (!call.stopTimeProperties?.assignedStopId) continue
        const [from, to] = [call.stopId ?? '', call.stopTimeProperties.assignedStopId].map((id) => stopRows.get(id))
        expect(from?.['parent_station']).toBeTruthy()
        expect(to?.['parent_station']).toBe(from?.['parent_station'] ?? '')
        moved++
      }
    }
  }
  const { SCHEDULED, CANCELED, UNSCHEDULED, ADDED, NEW, DUPLICATED, REPLACEMENT } = ScheduleRelationship
  expect([...ofTrips].sort((a, b) => a - b)).toEqual(
    [SCHEDULED, ADDED, UNSCHEDULED, CANCELED, REPLACEMENT, DUPLICATED, NEW].sort((a, b) => a - b),
  )
  expect([...ofCalls].sort((a, b) => a - b)).toEqual(
    [CallRelationship.SCHEDULED, CallRelationship.SKIPPED, CallRelationship.NO_DATA, CallRelationship.UNSCHEDULED].sort(
      (a, b) => a - b,
    ),
  )
  expect(moved).toBeGreaterThan(20)
})

test('predicted calls belong to the trip, are still to come, and increase in time', () => {
  for (const now of momentsOf('20261127', bySize({ quick: 5400, ci: 900, full: 120 }))) {
    for (const { tripUpdate } of read('trip-updates', now).entity) {
      if (!tripUpdate) throw new Error('an entity has no trip update')
      checkUpdate(tripUpdate, now)
    }
  }
})

function checkUpdate(update: transit_realtime.ITripUpdate, now: number): void {
  const { trip, stopTimeUpdate, tripProperties } = update
  const name = `${trip.tripId} ${trip.startTime} at ${now}`
  const planned = plannedCalls(trip, tripProperties?.startTime)
  expect(trip.routeId).toBe(tripRows.get((trip.tripId ?? '').replace(/-renfort$/, ''))?.['route_id'] ?? '')
  if (trip.scheduleRelationship === ScheduleRelationship.CANCELED) {
    expect(stopTimeUpdate?.length ?? 0).toBe(0)
    return
  }
  let last = Number.NEGATIVE_INFINITY
  let sequence = 0
  const isWhole = [ScheduleRelationship.NEW, ScheduleRelationship.REPLACEMENT].some(
    (each) => each === trip.scheduleRelationship,
  )
  for (const call of stopTimeUpdate ?? []) {
    const own = planned[Number(call.stopSequence) - 1]
    if (own?.stop !== call.stopId) throw new Error(`${name}: no call ${call.stopSequence} at ${call.stopId}`)
    if (own.sequence <= sequence) throw new Error(`${name}: calls out of order`)
    sequence = own.sequence
    const arrival = at(call.arrival, own.arrival)
    const departure = at(call.departure, own.departure)
    const isTimed = arrival !== undefined || departure !== undefined
    const isEmpty = [CallRelationship.SKIPPED, CallRelationship.NO_DATA].some(
      (each) => each === call.scheduleRelationship,
    )
    if (isTimed === isEmpty) throw new Error(`${name}: call ${sequence} of relationship ${call.scheduleRelationship}`)
    for (const time of [arrival, departure]) {
      if (time === undefined) continue
      if (time < last) throw new Error(`${name}: call ${sequence} at ${time} after ${last}`)
      last = time
    }
    const left = departure ?? arrival
    if (!isWhole && left !== undefined && left <= now) throw new Error(`${name}: call ${sequence} is past`)
  }
  const isSilentAtEnd = stopTimeUpdate?.at(-1)?.scheduleRelationship === CallRelationship.NO_DATA
  if (sequence !== planned.length && !isSilentAtEnd) throw new Error(`${name}: ends at call ${sequence}`)
}

test('most runs are slightly late, some very late, some early; predictions reach half an hour ahead', () => {
  const delays: number[] = []
  let ahead = 0
  for (const now of momentsOf('20261124', 3600)) {
    for (const { tripUpdate } of read('trip-updates', now).entity) {
      const first = tripUpdate?.stopTimeUpdate?.[0]
      if (
        !Number(first?.departure?.time) ||
        !first?.departure ||
        !tripUpdate ||
        tripUpdate.trip.scheduleRelationship !== 0
      )
        continue
      const planned = plannedCalls(tripUpdate.trip)[Number(first.stopSequence) - 1]
      delays.push(Number(first.departure.time) - planned.departure)
      if (first.stopSequence === 1) ahead = Math.max(ahead, Number(first.departure.time) - now)
    }
  }
  const share = (isOne: (delay: number) => boolean): number => delays.filter(isOne).length / delays.length
  expect(delays.length).toBeGreaterThan(1000)
  expect(share((delay) => delay >= -60 && delay <= 300)).toBeGreaterThan(0.85)
  expect(share((delay) => delay > 300)).toBeGreaterThan(0.01)
  expect(share((delay) => delay < -60)).toBeGreaterThan(0.005)
  expect(Math.max(...delays)).toBeLessThan(1500)
  expect(Math.min(...delays)).toBeGreaterThan(-240)
  expect(ahead).toBeGreaterThan(1500)
})

test('a run at 25:30 belongs to the day before', () => {
  const night = instant('2026-11-28T01:30:00+01:00')
  const updates = read('trip-updates', night).entity.map((entity) => entity.tripUpdate)
  const running = updates.filter((update) => update?.stopTimeUpdate?.[0]?.stopSequence !== 1)
  expect(running.length).toBeGreaterThan(3)
  expect(new Set(running.map((update) => update?.trip.startDate))).toEqual(new Set(['20261127']))
  expect(read('vehicle-positions', night).entity.length).toBeGreaterThan(3)
})

test('outside its calendar, the city has no vehicles', () => {
  expect(read('trip-updates', instant('2026-12-25T08:00:00+01:00')).entity).toEqual([])
  expect(read('vehicle-positions', instant('2026-12-25T08:00:00+01:00')).entity).toEqual([])
})

test('a vehicle is on its shape, between the two calls its trip is between', () => {
  let checked = 0
  let tripless = 0
  for (const now of momentsOf('20261127', bySize({ quick: 5400, ci: 1200, full: 180 }))) {
    const updates = new Map(
      read('trip-updates', now).entity.map(({ tripUpdate }) => [nameOf(tripUpdate?.trip, tripUpdate), tripUpdate]),
    )
    for (const { vehicle } of read('vehicle-positions', now).entity) {
      if (!vehicle?.trip) {
        tripless++
        continue
      }
      expect(now - Number(vehicle.timestamp)).toBeWithin(0, 10)
      const update = updates.get(nameOf(vehicle.trip))
      if (!update) continue
      checkVehicle(vehicle, update)
      checked++
    }
  }
  expect(checked).toBeGreaterThan(500)
  expect(tripless).toBeWithin(20, checked / 3)
})

/**
 * A name that is the same for the vehicle and the update of a trip. For a copied trip, the vehicle has the copy's id,
 * while the update has the original's id and, separately, the copy's.
 */
function nameOf(
  trip: transit_realtime.ITripDescriptor | undefined,
  update?: transit_realtime.ITripUpdate | null,
): string {
  return `${update?.tripProperties?.tripId || trip?.tripId} ${trip?.startDate} ${trip?.startTime}`
}

/** Checks that a vehicle is on its shape, between the trip's last call before the report and the trip's next call. */
function checkVehicle(vehicle: transit_realtime.IVehiclePosition, update: transit_realtime.ITripUpdate): void {
  const trip = vehicle.trip ?? {}
  const calls = plannedCalls(trip, update.tripProperties?.startTime)
  const isRerouted = trip.scheduleRelationship === ScheduleRelationship.REPLACEMENT
  const updates = update.stopTimeUpdate ?? []
  const skipped = new Set(
    updates.filter((call) => call.scheduleRelationship === CallRelationship.SKIPPED).map((call) => call.stopSequence),
  )
  const served = new Set(updates.map((call) => call.stopSequence))
  const isLeftOut = (call: Call): boolean => skipped.has(call.sequence) || (isRerouted && !served.has(call.sequence))
  const next = calls[Number(vehicle.currentStopSequence) - 1]
  const before = calls.findLast((call) => call.sequence < next.sequence && !isLeftOut(call)) ?? next
  const isStopped = vehicle.currentStatus === transit_realtime.VehiclePosition.VehicleStopStatus.STOPPED_AT
  const stretch = { from: (isStopped ? next : before).meters, to: next.meters }
  const nearest = nearestOnShape(trip, vehicle, stretch)
  if (nearest > (isRerouted && next.sequence - before.sequence > 1 ? DETOUR_METERS : SHAPE_REACH_METERS)) {
    throw new Error(`${trip.tripId}: ${nearest} m off the stretch to call ${next.sequence}, ${JSON.stringify(stretch)}`)
  }
}

function nearestOnShape(
  trip: transit_realtime.ITripDescriptor,
  { position }: transit_realtime.IVehiclePosition,
  stretch: { from: number; to: number },
): number {
  const row = tripRows.get((trip.tripId ?? '').replace(/-(renfort|bis)$/, ''))
  const points = (shapeRows.get(row?.['shape_id'] ?? '') ?? []).map((point) => ({
    north: (Number(point['shape_pt_lat']) - (position?.latitude ?? 0)) * 111_195,
    east: (Number(point['shape_pt_lon']) - (position?.longitude ?? 0)) * 111_195 * Math.cos((47.2 * Math.PI) / 180),
    meters: Number(point['shape_dist_traveled']),
  }))
  let nearest = Number.POSITIVE_INFINITY
  for (let index = 1; index < points.length; index++) {
    const [a, b] = [points[index - 1], points[index]]
    const length = b.meters - a.meters
    const low = Math.max(0, (stretch.from - ROUNDING_METERS - a.meters) / length)
    const high = Math.min(1, (stretch.to + ROUNDING_METERS - a.meters) / length)
    if (length === 0 || low > 1 || high < 0 || low > high) continue
    const [dn, de] = [b.north - a.north, b.east - a.east]
    const foot = -(a.north * dn + a.east * de) / (dn * dn + de * de)
    const part = Math.max(low, Math.min(high, foot))
    nearest = Math.min(nearest, Math.hypot(a.north + dn * part, a.east + de * part))
  }
  return nearest
}

test('six to ten alerts in two languages refer to existing parts; one is in the future, one in the past', () => {
  const effects = new Set<number>()
  const severities = new Set<number>()
  const selectorKinds = new Set<string>()
  for (const now of momentsOf('20261124', 1800)) {
    const alerts = read('alerts', now).entity.flatMap(({ alert }) => (alert ? [alert] : []))
    expect([now, alerts.length]).toEqual([now, Math.min(10, Math.max(6, alerts.length))])
    for (const alert of alerts) {
      effects.add(alert.effect ?? -1)
      severities.add(alert.severityLevel ?? -1)
      for (const text of [alert.headerText, alert.descriptionText, alert.url]) {
        expect(text?.translation?.map(({ language }) => language)).toEqual(['fr', 'en'])
        for (const each of text?.translation ?? []) expect(each.text).toMatch(/^[^{}]{10,}$/)
      }
      for (const period of alert.activePeriod ?? []) expect(Number(period.end)).toBeGreaterThan(Number(period.start))
      expect(alert.informedEntity?.length).toBeGreaterThan(0)
      for (const selector of alert.informedEntity ?? []) selectorKinds.add(checkSelector(selector))
    }
    const periods = alerts.map((alert) => alert.activePeriod ?? []).filter((each) => each.length > 0)
    expect(periods.some((each) => each.every((period) => Number(period.start) > now))).toBe(true)
    const ends = periods.map((each) => Math.max(...each.map((period) => Number(period.end))))
    expect(ends.some((end) => end <= now && end > now - 3600)).toBe(true)
  }
  expect(effects.size).toBeGreaterThanOrEqual(7)
  expect(severities.size).toBe(4)
  expect([...selectorKinds].sort()).toContain('routeId stopId')
  expect([...selectorKinds].sort()).toContain('routeId tripId')
  expect([...selectorKinds].sort()).toContain('stopId')
  expect([...selectorKinds].sort()).toContain('agencyId')
})

function checkSelector(selector: transit_realtime.IEntitySelector): string {
  const { agencyId, routeId, stopId, trip } = selector
  const kinds: string[] = []
  for (const [kind, id, isKnown] of [
    ['agencyId', agencyId, agencyIds.has(agencyId ?? '')],
    ['routeId', routeId, routeIds.has(routeId ?? '')],
    ['stopId', stopId, stopRows.has(stopId ?? '')],
    ['tripId', trip?.tripId, tripRows.has(trip?.tripId ?? '')],
  ] as const) {
    if (!id) continue
    expect([id, isKnown]).toEqual([id, true])
    kinds.push(kind)
  }
  return kinds.join(' ')
}

test('a state at the peak is generated in less than 50 ms', () => {
  const warm = [1, 2, 3].map((step) => timeOf(PEAK + step * 10))
  expect(Math.min(...warm)).toBeLessThan(50)
})

function timeOf(nowSeconds: number): number {
  const start = performance.now()
  for (const feed of FEEDS) encodeFeed(feedAt(days, feed, nowSeconds))
  return performance.now() - start
}
