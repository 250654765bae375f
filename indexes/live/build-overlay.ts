// Converts live trips to the columns of an overlay, in one buffer that threads share.
import { NONE, sealColumn, type TypedArray } from '../../loaders/columns.ts'
import { EMPTY_STRING, StringPoolBuilder } from '../../loaders/strings.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import type { StopIndex, Timetable } from '../timetable/timetable.ts'
import { compareLive } from './live-order.ts'
import { type LiveCall, type LiveTrip, vehicleOfTrip } from './live-trip.ts'
import {
  CALL_ALIGHTABLE,
  CALL_BOARDABLE,
  CALL_PREDICTED,
  CALL_SKIPPED,
  CALL_UNPLANNED,
  effectiveDeparture,
  INSTANCE_DELETED,
  type LiveCallIndex,
  NEVER_OVER,
  type Overlay,
  type OverlayMeta,
  overSeconds,
} from './overlay.ts'
import { openColumns, type PackedColumns, packColumns } from './shared-columns.ts'

/** Builds the overlay from live trips. */
export function buildOverlay(timetable: Timetable, trips: readonly LiveTrip[], meta: OverlayMeta): Overlay {
  const strings = new StringPoolBuilder()
  const instances = layInstances(timetable, trips, strings)
  const calls = layCalls(trips, meta, strings)
  const unordered = { meta, strings: strings.seal(), ...instances, calls }
  return { ...unordered, boards: layBoards(timetable, unordered) }
}

function layInstances(timetable: Timetable, trips: readonly LiveTrip[], strings: StringPoolBuilder) {
  const count = trips.length
  const column = {
    trip: new Uint32Array(count).fill(NONE),
    day: new Int32Array(count),
    runStart: new Int32Array(count).fill(NO_RUN),
    line: new Uint32Array(count),
    direction: new Uint32Array(count),
    state: new Uint8Array(count),
    feed: new Uint8Array(count),
    ref: new Uint32Array(count),
    headsign: new Uint32Array(count),
    vehicle: new Uint32Array(count),
    callOffset: new Uint32Array(count + 1),
    next: new Uint32Array(count).fill(NONE),
  } satisfies Record<keyof Overlay['instances'], TypedArray>
  const instanceOfTrip = new Uint32Array(timetable.trips.id.length).fill(NONE)
  let callCount = 0
  for (const [at, trip] of trips.entries()) {
    const { instance } = trip
    if (instance !== undefined) {
      column.trip[at] = instance.trip
      column.runStart[at] = instance.runStartSeconds
      column.next[at] = instanceOfTrip[instance.trip]
      instanceOfTrip[instance.trip] = at
    }
    column.day[at] = trip.day
    column.line[at] = trip.line
    column.direction[at] = trip.direction
    column.state[at] = trip.state
    column.feed[at] = trip.feed
    column.ref[at] = strings.internText(trip.ref)
    column.headsign[at] = strings.internText(trip.headsign)
    column.vehicle[at] = strings.internText(vehicleOfTrip(trip))
    callCount += trip.calls.length
    column.callOffset[at + 1] = callCount
  }
  return {
    instances: column as unknown as Overlay['instances'],
    instanceOfTrip: sealColumn(instanceOfTrip) as Overlay['instanceOfTrip'],
  }
}

function layCalls(
  trips: readonly LiveTrip[],
  { baseSeconds }: OverlayMeta,
  strings: StringPoolBuilder,
): Overlay['calls'] {
  const count = trips.reduce((sum, trip) => sum + trip.calls.length, 0)
  const column = {
    instance: new Uint32Array(count),
    stop: new Uint32Array(count),
    position: new Uint16Array(count),
    scheduledArrival: new Int32Array(count),
    scheduledDeparture: new Int32Array(count),
    arrival: new Int32Array(count),
    departure: new Int32Array(count),
    headsign: new Uint32Array(count).fill(EMPTY_STRING),
    flags: new Uint8Array(count),
  } satisfies Record<keyof Overlay['calls'], TypedArray>
  let row = 0
  for (const [instance, trip] of trips.entries()) {
    for (const call of trip.calls) {
      column.instance[row] = instance
      column.stop[row] = call.stop
      column.position[row] = call.position
      column.scheduledArrival[row] = call.scheduled.arrival - baseSeconds
      column.scheduledDeparture[row] = call.scheduled.departure - baseSeconds
      column.arrival[row] = call.arrival - baseSeconds
      column.departure[row] = call.departure - baseSeconds
      if (call.headsign !== '') column.headsign[row] = strings.internText(call.headsign)
      column.flags[row] = flagsOf(call)
      row++
    }
  }
  return column as unknown as Overlay['calls']
}

function flagsOf(call: LiveCall): number {
  return (
    (call.isPredicted ? CALL_PREDICTED : 0) |
    (call.isSkipped ? CALL_SKIPPED : 0) |
    (call.isBoardable ? CALL_BOARDABLE : 0) |
    (call.isAlightable ? CALL_ALIGHTABLE : 0) |
    (call.isUnplanned ? CALL_UNPLANNED : 0)
  )
}

function layBoards(timetable: Timetable, overlay: Omit<Overlay, 'boards'>): Overlay['boards'] {
  const { calls, instances, meta } = overlay
  const stopCount = timetable.stops.id.length
  const rows: LiveCallIndex[] = []
  const departures = new Float64Array(calls.stop.length)
  for (let call = 0 as LiveCallIndex; call < calls.stop.length; call++) {
    if ((calls.flags[call] & CALL_BOARDABLE) === 0) continue
    if (instances.state[calls.instance[call]] === INSTANCE_DELETED) continue
    departures[call] = effectiveDeparture(overlay, call)
    rows.push(call)
  }
  rows.sort(
    (left, right) =>
      calls.stop[left] - calls.stop[right] ||
      departures[left] - departures[right] ||
      compareLive(timetable, overlay, { left, right }) ||
      left - right,
  )
  const offset = new Uint32Array(stopCount + 1)
  const effective = new Int32Array(rows.length)
  const over = new Int32Array(rows.length)
  for (const [row, call] of rows.entries()) {
    const at = calls.stop[call] + 1
    offset[at] = offset[at] + 1
    effective[row] = departures[call]
    over[row] = Math.min(NEVER_OVER, overSeconds(overlay, call) - meta.baseSeconds)
  }
  for (let stop = 0; stop < stopCount; stop++) {
    offset[stop + 1] = offset[stop + 1] + offset[stop]
  }
  return {
    offset: sealColumn<StopIndex>(offset),
    call: sealColumn<number, LiveCallIndex>(Uint32Array.from(rows)),
    effective: sealColumn<number>(effective),
    over: sealColumn<number>(over),
  }
}

/** An overlay in the form in which it is sent between threads. */
export interface PackedOverlay extends PackedColumns {
  readonly meta: OverlayMeta
}

/** Packs an overlay into shared memory to send it to other threads. */
export function packOverlay({ meta, strings, instances, calls, boards, instanceOfTrip }: Overlay): PackedOverlay {
  return { meta, ...packColumns({ strings, instances, calls, boards, '': { instanceOfTrip } }) }
}

/** Whether two overlays are equal except for their versions. */
export function isSameOverlay(one: PackedOverlay | undefined, other: PackedOverlay | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return (
    Bun.deepEquals({ ...one.meta, version: 0 }, { ...other.meta, version: 0 }) &&
    Bun.deepEquals(one.directory, other.directory) &&
    Buffer.from(one.buffer).equals(Buffer.from(other.buffer))
  )
}

/** Opens a packed overlay in its shared memory, without copying it. */
export function openOverlay(packed: PackedOverlay): Overlay {
  const { '': single, ...groups } = openColumns(packed)
  return { meta: packed.meta, ...groups, ...single } as Overlay
}
