// Tests live vehicles (indexes/live/vehicle-reader.ts) in the city of vehicle-city.ts. Positions are worked out by hand
// from the plan of the city. Fails if a vehicle is at the wrong place or on the wrong trip, if a vehicle is shown
// although its report is too old, or if a dropped report is not counted.
import { describe, expect, test } from 'bun:test'
import { textOf } from '../../../loaders/strings.ts'
import { clock, descriptor, named, report, spot, update } from './vehicle-city.ts'
import { city, only, stopName, timetable } from './vehicle-readers.ts'

describe('reported vehicles', () => {
  test('are shown at their reported position, on their trip, with what follows from it', () => {
    const place = spot(8, 400)
    const more = { timestampSeconds: clock(3), speedMetersPerSecond: 8.33, occupancy: 'few_seats_available' }
    const found = city().read([report(place, 'e1', more)], { now: clock(3, 10) })
    expect(found.reasons).toEqual({})
    expect(found.knowledge).toBe('gps')
    const { bearingDegrees, speedKmh, line, direction, offRouteMeters, ...vehicle } = only(found)
    expect(offRouteMeters).toBeCloseTo(8, 1)
    expect(textOf(timetable.strings, timetable.lines.id[line])).toBe('E')
    expect(direction).toBeDefined()
    expect(bearingDegrees).toBeCloseTo(90, 1)
    expect(speedKmh).toBeCloseTo(29.988, 3)
    expect({ ...vehicle, nextStop: stopName(vehicle.nextStop) }).toEqual({
      id: 'v1',
      tripRef: '20260610:e1',
      headsign: 'To e1',
      // Positions are shown as reported, not moved onto the shape.
      ...place,
      // By the timetable, the first 400 of the 1000 m take two of the five minutes, until 8:02. This vehicle is there at
      // 8:03, a minute late.
      delaySeconds: 60,
      status: 'in_transit',
      currentStop: undefined,
      nextStop: 'E1',
      isNamed: true,
      source: 'gps',
      recordedSeconds: clock(3),
      occupancy: 'few_seats_available',
    })
  })

  test('0,0, invalid places, and those outside the network are dropped and counted', () => {
    const found = city().read([
      report({ lat: 0, lon: 0 }, 'e1', named('a')),
      report({ lat: Number.NaN, lon: 7.75 }, 'e1', named('b')),
      report({ lat: 91, lon: 7.75 }, 'e1', named('c')),
      report({}, 'e1', named('d')),
      report(spot(0, 13_100), 'e1', named('e')),
      report(spot(0, 2500), 'e1', named('f')),
    ])
    expect(found.vehicles.map(({ id }) => id)).toEqual(['f'])
    expect(found.reasons).toEqual({ bad_position: 3, no_position: 1, outside_network: 1 })
  })

  test('are dropped more than 2 km from the shape of their trip', () => {
    const found = city().read([
      report(spot(1990, 1000), 'e1', named('near')),
      report(spot(2010, 1000), 'e2', { ...named('far'), timestampSeconds: clock(0) }),
    ])
    expect(found.vehicles.map(({ id }) => id)).toEqual(['near'])
    expect(found.reasons).toEqual({ off_shape: 1 })
  })

  test('if nearer, have their distance from it; without a shape, the line through the stops is used, and no distance is given', () => {
    const found = city().read([
      report(spot(250, 1000), 'e1', named('detour')),
      report(spot(8300, 1000), 'x1', named('near')),
      report(spot(10_100, 1000), 'x1', { ...named('far'), timestampSeconds: clock(0) - 1 }),
    ])
    const off = found.vehicles.map(({ id, offRouteMeters }) => [id, offRouteMeters && Math.round(offRouteMeters)])
    expect(off).toEqual([
      ['detour', 250],
      ['near', undefined],
    ])
    expect(city().read([report(spot(10_100, 1000), 'x1')]).reasons).toEqual({ off_shape: 1 })
  })

  test('an older report after a newer one is ignored: the vehicle does not jump back', () => {
    const { read } = city()
    read([report(spot(0, 800), 'e1', { timestampSeconds: clock(4) })], { now: clock(4) })
    const found = read([report(spot(0, 400), 'e1', { timestampSeconds: clock(2) })], { now: clock(4, 20) })
    expect(found.reasons).toEqual({ older_report: 1 })
    expect(only(found)).toMatchObject({ ...spot(0, 800), recordedSeconds: clock(4) })
  })

  test('of two on one trip, the newer one is shown', () => {
    const first = report(spot(0, 300), 'e1', { ...named('a'), timestampSeconds: clock(2) })
    const second = report(spot(0, 500), 'e1', { ...named('b'), timestampSeconds: clock(2, 5) })
    for (const both of [
      [first, second],
      [second, first],
    ]) {
      const found = city().read(both, { now: clock(3) })
      expect(only(found).id).toBe('b')
      expect(found.reasons).toEqual({ trip_claimed_twice: 1 })
    }
  })

  test('a vehicle disappears five minutes after its report', () => {
    const { read } = city()
    const reports = [report(spot(0, 300), 'e1', { timestampSeconds: clock(2) })]
    expect(read(reports, { now: clock(7) }).vehicles.length).toBe(1)
    const later = read(reports, { now: clock(7, 1) })
    expect(later.vehicles).toEqual([])
    expect(later.reasons).toEqual({ old_position: 1 })
    // The network still reports positions by GPS, although it shows no vehicle at the moment.
    expect(later.knowledge).toBe('gps')
  })

  test('a time ahead of the clock counts as now and does not prolong the life of the vehicle', () => {
    const { read } = city()
    const reports = [report(spot(0, 300), 'e1', { timestampSeconds: clock(60) })]
    const found = read(reports, { now: clock(2) })
    expect(only(found).recordedSeconds).toBe(clock(2))
    expect(found.reasons).toEqual({ future_report: 1 })
    expect(read(reports, { now: clock(7, 1) }).vehicles).toEqual([])
  })

  test('are identified by their descriptor, else by their entity; a report without a time has that of its feed', () => {
    const found = city().read([report(spot(0, 300), 'e1', { vehicle: undefined, timestampSeconds: undefined })], {
      now: clock(2),
    })
    expect(only(found)).toMatchObject({ id: 'entity-1', recordedSeconds: clock(2) })
  })

  test('without a trip they are on their route; without a route they are dropped', () => {
    const onRoute = descriptor(undefined, { routeId: 'E' })
    const found = city().read([
      report(spot(3, 300), onRoute, named('a')),
      report(spot(3, 300), undefined, named('b')),
      report(spot(3, 300), descriptor('nowhere'), named('c')),
      report(spot(3, 300), descriptor('nowhere', { routeId: 'E' }), named('d')),
    ])
    expect(found.vehicles.map(({ id, tripRef, headsign }) => [id, tripRef, headsign])).toEqual([
      ['a', '', 'To e1'],
      ['d', '', 'To e1'],
    ])
    expect(found.reasons).toEqual({ vehicle_without_line: 2, vehicle_without_trip: 2 })
    // If a vehicle has no trip, its bearing is the direction of the line's nearest shape.
    expect(found.vehicles[0]?.bearingDegrees).toBeCloseTo(90, 1)
  })

  test('a vehicle without a trip is on the running trip that names it', () => {
    const vehicle = { id: 'v1', label: undefined, licensePlate: undefined }
    const updates = [update('e1', { 10: 60 }, { vehicle }), update('e2', { 10: 60 }, { vehicle })]
    const found = city().read([report(spot(0, 300), undefined, { timestampSeconds: clock(3) })], {
      now: clock(3),
      updates,
    })
    expect(only(found)).toMatchObject({ id: 'v1', tripRef: '20260610:e1', source: 'gps', delaySeconds: 60 })
  })
})

describe('what a report omits', () => {
  test('the bearing is the reported one, clockwise from north', () => {
    const place = spot(0, 300)
    expect(only(city().read([report(place, 'e1', { bearing: 75.5 })])).bearingDegrees).toBe(75.5)
  })

  test('without one, or with a 0 that means none, it is computed from the path so far', () => {
    for (const bearing of [undefined, 0, -1, 400]) {
      expect(only(city().read([report(spot(0, 300), 'e1', { bearing })])).bearingDegrees).toBeCloseTo(90, 1)
    }
    // From LB to LC the loop leads north, so a bearing of 0 can be real; from LD to LA it leads south.
    const up = report(spot(3500, 1000), 'l1', { bearing: 0 })
    expect(only(city().read([up])).bearingDegrees).toBe(0)
    const down = report(spot(3500, 0), 'l1', { timestampSeconds: clock(17) })
    expect(only(city().read([down], { now: clock(17) })).bearingDegrees).toBeCloseTo(180, 1)
  })

  test('without a trip or a line shape, it is that of the last move', () => {
    const { read } = city()
    const onRoute = descriptor(undefined, { routeId: 'X' })
    read([report(spot(8000, 300), onRoute, { timestampSeconds: clock(1) })], { now: clock(1) })
    const found = read([report(spot(8100, 300), onRoute, { timestampSeconds: clock(2) })], { now: clock(2) })
    expect(only(found).bearingDegrees).toBeCloseTo(0, 1)
  })

  test('a missing or impossible speed is computed from the last two positions, else from the timetable', () => {
    for (const speedMetersPerSecond of [undefined, 101, -1, Number.NaN]) {
      const { read } = city()
      const first = only(
        read([report(spot(0, 300), 'e1', { timestampSeconds: clock(2), speedMetersPerSecond })], { now: clock(2) }),
      )
      // 1000 m in 5 minutes.
      expect(first.speedKmh).toBeCloseTo(12, 1)
      const soon = report(spot(0, 310), 'e1', { timestampSeconds: clock(2, 4), speedMetersPerSecond })
      expect(only(read([soon], { now: clock(2, 4) })).speedKmh).toBeCloseTo(12, 1)
      const moved = [report(spot(0, 500), 'e1', { timestampSeconds: clock(2, 20), speedMetersPerSecond })]
      // 190 m in 16 s. The report is read twice, which does not mean that the vehicle has stopped.
      expect(only(read(moved, { now: clock(2, 20) })).speedKmh).toBeCloseTo(42.75, 1)
      expect(only(read(moved, { now: clock(2, 40) })).speedKmh).toBeCloseTo(42.75, 1)
    }
  })

  test('a vehicle at a stop has no speed, only its stop', () => {
    const { read } = city()
    read([report(spot(0, 800), 'e1', { timestampSeconds: clock(4) })], { now: clock(4) })
    const standing = report(spot(3, 990), 'e1', { timestampSeconds: clock(5), status: 'stopped_at', stopId: 'E1' })
    const vehicle = only(read([standing], { now: clock(5) }))
    expect([vehicle.speedKmh, stopName(vehicle.currentStop), stopName(vehicle.nextStop)]).toEqual([0, 'E1', 'E2'])
    const unnamed = report(spot(3, 990), 'e1', { timestampSeconds: clock(5), status: 'stopped_at' })
    expect(stopName(only(city().read([unnamed], { now: clock(5) })).currentStop)).toBe('E1')
  })

  test('the next stop is the reported one, by sequence or stop; skipped stops are passed over', () => {
    const bySequence = report(spot(0, 200), 'e1', { stopSequence: 20 })
    const byStop = report(spot(0, 200), 'e1', { stopId: 'E1', status: 'incoming_at' })
    for (const each of [bySequence, byStop]) expect(stopName(only(city().read([each])).nextStop)).toBe('E1')
    const found = city().read([bySequence], { updates: [update('e1', { 10: 0, 20: 'skipped' })] })
    expect(stopName(only(found).nextStop)).toBe('E2')
    expect(only(found).currentStop).toBeUndefined()
  })

  test('the delay that boards show for the next call takes precedence over the one computed from the position', () => {
    const here = report(spot(0, 400), 'e1', { timestampSeconds: clock(3) })
    const reported = city().read([here], { now: clock(3), updates: [update('e1', { 20: 240, 30: 300 })] })
    expect(only(reported).delaySeconds).toBe(240)
    const silent = city().read([here], { now: clock(3), updates: [update('e1', { 10: 'no_data' })] })
    expect(only(silent).delaySeconds).toBe(60)
    const canceled = update('e1', {}, { trip: descriptor('e1', { relationship: 'canceled' }) })
    expect(only(city().read([here], { now: clock(3), updates: [canceled] })).delaySeconds).toBeUndefined()
  })

  test('a vehicle that waits for its departure is not early, and one far from its path has no delay', () => {
    const waiting = report(spot(0, 5), 'e1', { timestampSeconds: clock(-4) })
    expect(only(city().read([waiting], { now: clock(-4) })).delaySeconds).toBe(0)
    const astray = report(spot(900, 400), 'e1', { timestampSeconds: clock(3) })
    expect(only(city().read([astray], { now: clock(3) })).delaySeconds).toBeUndefined()
  })

  test('unknown occupancy values are ignored', () => {
    expect(only(city().read([report(spot(0, 400), 'e1', { occupancy: 'roomy' })])).occupancy).toBeUndefined()
  })

  test('a vehicle on a hidden trip is not shown', () => {
    const deleted = update('e1', {}, { trip: descriptor('e1', { relationship: 'deleted' }) })
    const found = city().read([report(spot(0, 400), 'e1')], { updates: [deleted] })
    expect([found.vehicles, found.reasons]).toEqual([[], { deleted_trip: 1 }])
  })
})

describe('paths that pass a place twice', () => {
  test('on a street used in both directions, a vehicle’s time decides its position', () => {
    for (const [minute, next] of [
      [3, 'B1'],
      [17, 'B0r'],
    ] as const) {
      const found = city().read([report(spot(6003, 600), 'b1', { timestampSeconds: clock(minute) })], {
        now: clock(minute),
      })
      expect(stopName(only(found).nextStop)).toBe(next)
    }
  })

  test('a late vehicle’s reported stop decides its position', () => {
    const { read } = city()
    // At 8:17, the vehicle should be on its way back. It is still on its way out, 14 minutes late.
    read([report(spot(6000, 500), 'b1', { timestampSeconds: clock(16), stopSequence: 20 })], { now: clock(16) })
    const found = read([report(spot(6000, 600), 'b1', { timestampSeconds: clock(17) })], { now: clock(17) })
    expect(stopName(only(found).nextStop)).toBe('B1')
    expect(only(found).delaySeconds).toBe(14 * 60)
  })

  test('the bearing decides the direction', () => {
    const back = report(spot(6000, 1500), 'b1', { timestampSeconds: clock(10), bearing: 268 })
    expect(stopName(only(city().read([back], { now: clock(10) })).nextStop)).toBe('B1r')
    const out = report(spot(6000, 1500), 'b1', { timestampSeconds: clock(10), bearing: 88 })
    expect(stopName(only(city().read([out], { now: clock(10) })).nextStop)).toBe('B2')
  })

  test('a loop that ends where it began starts at its start and ends at its end', () => {
    const start = report(spot(3000, 40), 'l1', { timestampSeconds: clock(0, 10) })
    const begun = only(city().read([start], { now: clock(0, 10) }))
    expect([stopName(begun.nextStop), begun.delaySeconds]).toEqual(['LB', -2])
    const end = report(spot(3040, 0), 'l1', { timestampSeconds: clock(20) })
    const ended = only(city().read([end], { now: clock(20) }))
    expect([stopName(ended.nextStop), ended.delaySeconds]).toEqual(['LA', 12])
  })
})
