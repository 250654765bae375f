// Handles trips that have no trip update but whose vehicle reports its position. The delay of such a trip is derived
// from this position.
import type { Timetable } from '../timetable/timetable.ts'
import type { TripInstance } from '../timetable/trips.ts'
import { type LiveCall, type LiveTrip, scheduledCalls, stopsOfTrip, useOfCall } from './live-trip.ts'
import { keyOf } from './live-trips.ts'
import { INSTANCE_RUNS } from './overlay.ts'
import { predictCalls } from './predict.ts'

/** A vehicle and its position on a timetable trip. */
export interface PlacedVehicle {
  readonly instance: TripInstance
  /** The call that the vehicle is at. Between calls, this is the next call. */
  readonly call: number
  readonly delaySeconds: number
  readonly recordedSeconds: number
  readonly feed: number
  /** The id of the vehicle; empty if the vehicle has no id. */
  readonly vehicle: string
}

/** Builds a live trip from the position of its vehicle. The delay at this position also applies to later calls. */
export function tripOfVehicle(timetable: Timetable, placed: PlacedVehicle, nowSeconds: number): LiveTrip {
  const { instance, call, delaySeconds, recordedSeconds } = placed
  const { trip } = instance
  const pattern = timetable.trips.pattern[trip]
  const stops = stopsOfTrip(timetable, trip)
  const scheduled = scheduledCalls(timetable, instance)
  const event = { delaySeconds, timeSeconds: undefined, scheduledSeconds: undefined }
  const update = { ...SCHEDULED, arrival: event, departure: event }
  const updates = stops.map((_, position) => (position === call ? update : undefined))
  const passed = { leftSeconds: [], reachedCall: call, reachedSeconds: recordedSeconds }
  const knowledge = { calls: scheduled, updates, delaySeconds: undefined, nowSeconds, passed }
  const calls = predictCalls(knowledge, () => {}).map((each, position): LiveCall => {
    const use = useOfCall(timetable, { trip, position }, undefined)
    const planned = { position, scheduled: scheduled[position], isUnplanned: false, headsign: '' }
    return { ...each, ...planned, ...use, stop: stops[position] }
  })
  return {
    instance,
    day: instance.day,
    ref: '',
    name: '',
    line: timetable.patterns.line[pattern],
    direction: timetable.patterns.direction[pattern],
    state: INSTANCE_RUNS,
    feed: placed.feed,
    timestampSeconds: recordedSeconds,
    headsign: '',
    vehicle: placed.vehicle,
    isCarried: false,
    calls,
  }
}

/**
 * Adds trips that were derived from vehicle positions to the live trips. A derived trip replaces the live trip for the
 * same trip instance, because the delay of that live trip was only carried along its block.
 */
export function joinPlaced(trips: readonly LiveTrip[], placed: readonly LiveTrip[]): readonly LiveTrip[] {
  if (placed.length === 0) return trips
  const keys = new Set(placed.map(keyOf))
  return [...trips.filter((trip) => !keys.has(keyOf(trip))), ...placed]
}

const SCHEDULED = {
  stopSequence: undefined,
  stopId: undefined,
  relationship: 'scheduled',
  assignedStopId: undefined,
  headsign: undefined,
  pickupType: undefined,
  dropOffType: undefined,
} as const
