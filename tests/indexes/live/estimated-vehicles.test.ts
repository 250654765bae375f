// Tests vehicles that nobody reports, in the city of vehicle-city.ts: their positions are estimated from predictions or
// the timetable. Also tests the columns of all vehicles in shared memory.
import { describe, expect, test } from 'bun:test'
import { buildVehicles, type LiveVehicle, openVehicles, packVehicles } from '../../../indexes/live/build-vehicles.ts'
import { type LiveTrip, vehicleOfTrip } from '../../../indexes/live/live-trip.ts'
import { findVehicles, listVehicles, MOST_PLACED, type VehicleIndex } from '../../../indexes/live/vehicles.ts'
import { greatCircleMeters } from '../../../indexes/spatial/great-circle.ts'
import { findLine } from '../../../indexes/timetable/lines.ts'
import type { LineIndex } from '../../../indexes/timetable/timetable.ts'
import { textOf } from '../../../loaders/strings.ts'
import { clock, descriptor, named, report, spot, update } from './vehicle-city.ts'
import { city, metersFrom, only, stopName, timetable } from './vehicle-readers.ts'

describe('estimated vehicles', () => {
  test('are where predictions place them, marked as estimated, with the time of the estimate', () => {
    const updates = [update('e1', { 10: 120 })]
    const found = city().read([], { now: clock(4), updates })
    expect(found.knowledge).toBe('estimated')
    const vehicle = only(found)
    // The vehicle left at 8:02 and arrives at 8:07: two of the five minutes have passed.
    expect(metersFrom(vehicle, spot(0, 400))).toBeLessThan(0.5)
    expect({
      ...vehicle,
      lat: 0,
      lon: 0,
      bearingDegrees: 0,
      speedKmh: 0,
      nextStop: stopName(vehicle.nextStop),
    }).toMatchObject({
      id: 'est-20260610:e1',
      tripRef: '20260610:e1',
      headsign: 'To e1',
      delaySeconds: 120,
      status: 'in_transit',
      currentStop: undefined,
      nextStop: 'E1',
      source: 'interpolated',
      recordedSeconds: clock(4),
      occupancy: undefined,
    })
    expect(vehicle.bearingDegrees).toBeCloseTo(90, 1)
    // 1000 m in 5 minutes.
    expect(vehicle.speedKmh).toBeCloseTo(12, 1)
  })

  test('wait at a stop while their trip does', () => {
    const vehicle = only(city().read([], { now: clock(7, 30), updates: [update('e1', { 10: 120 })] }))
    expect(metersFrom(vehicle, spot(0, 1000))).toBeLessThan(0.5)
    expect([vehicle.status, stopName(vehicle.currentStop), stopName(vehicle.nextStop), vehicle.speedKmh]).toEqual([
      'stopped_at',
      'E1',
      'E2',
      0,
    ])
  })

  test('exist from the first departure until the last arrival', () => {
    const { read } = city()
    const updates = [update('e1', { 10: 120 })]
    const counts = [clock(1, 59), clock(2), clock(11, 59), clock(12)].map(
      (now) => read([], { now, updates }).vehicles.length,
    )
    expect(counts).toEqual([0, 1, 1, 0])
  })

  test('of a late trip take the planned travel time from the last stop that the feed dropped to the next one', () => {
    // As scheduled, the trip leaves E1 at 8:06 and arrives at E2 at 8:10. The feed no longer reports E0 and E1.
    const at = (minutes: number) => only(city().read([], { now: clock(minutes), updates: [update('e1', { 30: 240 })] }))
    const waiting = at(9)
    expect(metersFrom(waiting, spot(0, 1000))).toBeLessThan(0.5)
    expect([waiting.status, stopName(waiting.nextStop), waiting.speedKmh]).toEqual(['stopped_at', 'E2', 0])
    const running = at(13)
    expect(metersFrom(running, spot(0, 1750))).toBeLessThan(0.5)
    expect(running.speedKmh).toBeCloseTo(15, 1)
  })

  test('of an early trip were equally early at the stops that the feed dropped', () => {
    const at = (minutes: number) =>
      only(city().read([], { now: clock(minutes), updates: [update('e1', { 30: -180 })] }))
    // The vehicle left E1 at 8:03 and arrives at E2 at 8:07.
    expect(metersFrom(at(5), spot(0, 1500))).toBeLessThan(0.5)
    expect(at(5).speedKmh).toBeCloseTo(15, 1)
    expect(metersFrom(at(1), spot(0, 800))).toBeLessThan(0.5)
  })

  test('travel from the call before a skipped one to the call after it', () => {
    const vehicle = only(city().read([], { now: clock(5), updates: [update('e1', { 10: 0, 20: 'skipped' })] }))
    expect(metersFrom(vehicle, spot(0, 1000))).toBeLessThan(0.5)
    expect([vehicle.status, stopName(vehicle.nextStop)]).toEqual(['in_transit', 'E2'])
  })

  test('go straight from stop to stop without a shape', () => {
    const vehicle = only(city().read([], { now: clock(4), updates: [update('x1', { 10: 60 })] }))
    expect(metersFrom(vehicle, spot(8000, 900))).toBeLessThan(1)
  })

  test('are not shown for canceled trips, or if nothing ahead is predicted', () => {
    const canceled = update('e1', {}, { trip: descriptor('e1', { relationship: 'canceled' }) })
    expect(city().read([], { now: clock(4), updates: [canceled] }).vehicles).toEqual([])
    const lost = update('e1', { 10: 60, 20: 'no_data' })
    expect(city().read([], { now: clock(4), updates: [lost] }).vehicles).toEqual([])
    expect(city().read([], { now: clock(4) }).knowledge).toBe('none')
  })

  test('are replaced by a reported one on the trip or with the vehicle id of the trip', () => {
    const onTrip = report(spot(0, 300), 'e1', { timestampSeconds: clock(4) })
    const found = city().read([onTrip], {
      now: clock(4),
      updates: [update('e1', { 10: 120 }), update('l1', { 10: 0 })],
    })
    expect(found.vehicles.map(({ id, source }) => [id, source])).toEqual([
      ['v1', 'gps'],
      ['est-20260610:l1', 'interpolated'],
    ])
    expect(found.knowledge).toBe('mixed')
    const vehicle = { id: 'v1', label: undefined, licensePlate: undefined }
    const elsewhere = city().read([onTrip], { now: clock(4), updates: [update('l1', { 10: 0 }, { vehicle })] })
    expect(elsewhere.vehicles.map(({ id }) => id)).toEqual(['v1'])
  })

  test('from the timetable alone are shown only on request, and never alongside a live one', () => {
    const updates = [
      update('e1', { 10: 120 }),
      update('l1', {}, { trip: descriptor('l1', { relationship: 'canceled' }) }),
    ]
    const found = city().read([], { now: clock(4), updates, scheduled: true })
    expect(found.vehicles.map(({ id, source, delaySeconds }) => [id, source, delaySeconds])).toEqual([
      ['est-20260610:e1', 'interpolated', 120],
      ['est-20260610:b1', 'scheduled', undefined],
      ['est-20260610:x1', 'scheduled', undefined],
    ])
    expect(metersFrom(found.vehicles[1] as LiveVehicle, spot(6000, 800))).toBeLessThan(0.5)
  })
})

describe('columns', () => {
  test('in shared memory give the vehicles of a line by id, and those near a place, until they are too old', () => {
    const found = city().read(
      [
        report(spot(0, 900), 'e1', { ...named('b'), timestampSeconds: clock(4) }),
        report(spot(0, 100), 'e2', { ...named('a'), timestampSeconds: clock(3) }),
        report(spot(3000, 500), 'l1', { ...named('c'), timestampSeconds: clock(4) }),
      ],
      { now: clock(4) },
    )
    const meta = { snapshotId: 's', version: 1, builtSeconds: clock(4), maxAgeSeconds: 300, knowledge: found.knowledge }
    const vehicles = openVehicles(structuredClone(packVehicles(buildVehicles(timetable, found.vehicles, meta))))
    expect(vehicles.meta).toEqual(meta)
    const idsOf = (list: readonly number[]) =>
      list.map((vehicle) => textOf(vehicles.strings, vehicles.rows.id[vehicle as VehicleIndex]))
    const line = findLine(timetable, 'E') as LineIndex
    expect(idsOf(listVehicles(vehicles, line, clock(8)))).toEqual(['a', 'b'])
    expect(idsOf(listVehicles(vehicles, line, clock(8, 1)))).toEqual(['b'])
    const near = findVehicles(vehicles, { ...spot(0, 800), radiusMeters: 1000 }, clock(4))
    expect(idsOf(near.map(({ index }) => index))).toEqual(['b', 'a'])
    expect(near.map(({ distanceMeters }) => Math.round(distanceMeters))).toEqual([100, 700])
  })

  test('give the same vehicles near a place from a thread’s own tree as from the tree that all threads share', () => {
    const parked = report(spot(0, 900), 'e1', { ...named('b'), timestampSeconds: clock(4) })
    const template = only(city().read([parked], { now: clock(4) }))
    const meta = { snapshotId: 's', version: 1, builtSeconds: clock(4), maxAgeSeconds: 300, knowledge: 'gps' } as const
    const make = (count: number) => {
      const found = Array.from({ length: count }, (_, number): LiveVehicle => {
        const place = spot((number * 37) % 6000, (number * 101) % 900)
        return { ...template, ...place, id: String(number).padStart(5, '0') }
      })
      return openVehicles(packVehicles(buildVehicles(timetable, found, meta)))
    }
    const [few, many] = [make(MOST_PLACED), make(MOST_PLACED + 1)]
    expect([few.tree.length > 0, many.tree.length > 0]).toEqual([false, true])
    const circle = { ...spot(2000, 400), radiusMeters: 300 }
    const near = findVehicles(few, circle, clock(4))
    expect(near.length).toBeGreaterThan(100)
    expect(findVehicles(many, circle, clock(4)).filter(({ index }) => index < MOST_PLACED)).toEqual(near)
    const sorted = Array.from({ length: MOST_PLACED }, (_, index) => index as VehicleIndex)
      .map((index) => ({
        index,
        distanceMeters: greatCircleMeters(circle.lat, circle.lon, few.rows.lat[index], few.rows.lon[index]),
      }))
      .filter(({ distanceMeters }) => distanceMeters <= 300)
      .sort((a, b) => a.distanceMeters - b.distanceMeters || a.index - b.index)
    expect(near).toEqual(sorted)
  })

  test('without vehicles are empty', () => {
    const meta = { snapshotId: 's', version: 1, builtSeconds: 0, maxAgeSeconds: 300, knowledge: 'none' } as const
    const vehicles = openVehicles(packVehicles(buildVehicles(timetable, [], meta)))
    expect(findVehicles(vehicles, { ...spot(0, 0), radiusMeters: 5000 }, 0)).toEqual([])
    expect(listVehicles(vehicles, 0 as LineIndex, 0)).toEqual([])
  })
})

describe('a vehicle has a single id', () => {
  const vehicle = { id: '10', label: undefined, licensePlate: undefined }
  const boardsName = (trips: readonly LiveTrip[]) => trips.map(vehicleOfTrip)

  test('an estimated one has the id that its feed gives for the trip', () => {
    const { read, trips } = city()
    const found = read([], { now: clock(4), updates: [update('e1', { 10: 120 }, { vehicle })] })
    expect(only(found).id).toBe('10')
    expect(boardsName(trips())).toEqual(['10'])
  })

  test('an id given for two trips is used for the first one only', () => {
    const updates = [update('e2', { 10: -1440 }, { vehicle }), update('e1', { 10: 300 }, { vehicle })]
    const found = city().read([], { now: clock(7), updates })
    expect(found.vehicles.map(({ id, tripRef }) => [id, tripRef])).toEqual([['10', '20260610:e1']])
  })

  test('boards name the vehicle that reports itself on the trip', () => {
    const { read, trips } = city()
    const updates = [update('e1', { 10: 120 }, { vehicle }), update('x1', { 10: 60 })]
    read([report(spot(0, 400), 'e1'), report(spot(8000, 400), 'x1', named('v2'))], { now: clock(4), updates })
    expect(boardsName(trips())).toEqual(['v1', 'v2'])
    read([], { now: clock(4, 30), updates })
    expect(boardsName(trips())).toEqual(['10', ''])
  })

  test('a report without a vehicle is identified by its entity, which boards do not show', () => {
    const { read, trips } = city()
    const found = read([report(spot(0, 400), 'e1', { vehicle: undefined })], { updates: [update('e1', { 10: 120 })] })
    expect(only(found).id).toBe('entity-1')
    expect(boardsName(trips())).toEqual([''])
  })
})
