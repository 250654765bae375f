// The demo's TripUpdates at an instant: current runs, upcoming runs and cancellations. Each mode reports times in a
// different form, like on-board computers of different makes.
import { transit_realtime } from 'gtfs-realtime-bindings'
import { formatTime, toRouteId } from '../city-tables.ts'
import type { CityDay, CityDays } from './city-days.ts'
import { predictTimes } from './prediction.ts'
import {
  beginOf,
  callCountOf,
  endOf,
  nextPosition,
  plannedArrival,
  plannedDeparture,
  plannedEnd,
  type Run,
} from './run.ts'

type Entity = transit_realtime.IFeedEntity
type StopTime = transit_realtime.TripUpdate.IStopTimeUpdate
type Event = transit_realtime.TripUpdate.IStopTimeEvent

/** Which fields an arrival or departure has: the time, the delay, both, or the time and the scheduled time. */
type EventStyle = 'time' | 'delay' | 'both' | 'scheduled'

const { ScheduleRelationship } = transit_realtime.TripDescriptor
const CallRelationship = transit_realtime.TripUpdate.StopTimeUpdate.ScheduleRelationship
const RELATIONSHIPS = {
  scheduled: ScheduleRelationship.SCHEDULED,
  canceled: ScheduleRelationship.CANCELED,
  unscheduled: ScheduleRelationship.UNSCHEDULED,
  new: ScheduleRelationship.NEW,
  added: ScheduleRelationship.ADDED,
  duplicated: ScheduleRelationship.DUPLICATED,
  replacement: ScheduleRelationship.REPLACEMENT,
} as const
const STYLES = { metro: 'time', tram: 'both', bus: 'both', ferry: 'delay' } as const
/** A run's update names the vehicle from this many seconds before the first departure. */
const VEHICLE_KNOWN_SECONDS = 900

/** Returns the TripUpdate entities at an instant, in seconds since 1970. */
export function listTripUpdates(days: CityDays, nowSeconds: number): Entity[] {
  const entities: Entity[] = []
  for (const day of days.listAt(nowSeconds)) {
    const seconds = nowSeconds - day.zeroSeconds
    for (const run of day.runs) {
      if (isKnown(run, seconds)) entities.push(toEntity(days, { day, run, nowSeconds }))
    }
  }
  return entities
}

/** Whether a run is in the feed at a time in seconds after the service day's zero. */
export function isKnown(run: Run, seconds: number): boolean {
  return seconds >= run.knownFromSeconds && seconds < (run.kind === 'canceled' ? plannedEnd(run) : endOf(run))
}

/**
 * The trip descriptor of a run. A duplicated run is named by its new trip id, except in its TripUpdate, which names the
 * original trip.
 */
export function describeTrip(days: CityDays, day: CityDay, run: Run): transit_realtime.ITripDescriptor {
  const isRepeated = run.kind === 'unscheduled'
  const isNew = run.kind === 'new' || run.kind === 'added'
  return {
    tripId: run.id,
    routeId: toRouteId(days.parts.roster[run.pattern.line]),
    directionId: run.pattern.direction,
    startDate: day.date,
    scheduleRelationship: RELATIONSHIPS[run.kind],
    ...(isRepeated || isNew ? { startTime: formatTime(run.startSeconds) } : {}),
  }
}

interface Moment {
  readonly day: CityDay
  readonly run: Run
  readonly nowSeconds: number
}

function toEntity(days: CityDays, moment: Moment): Entity {
  const { day, run, nowSeconds } = moment
  const isRepeated = run.kind === 'unscheduled'
  const seconds = nowSeconds - day.zeroSeconds
  const hasVehicle = run.vehicle !== '' && seconds >= beginOf(run) - VEHICLE_KNOWN_SECONDS
  return {
    id: `${day.date}-${run.id}${isRepeated ? `-${formatTime(run.startSeconds)}` : ''}`,
    tripUpdate: {
      trip: { ...describeTrip(days, day, run), ...(run.kind === 'duplicated' ? { tripId: run.trip.id } : {}) },
      timestamp: nowSeconds,
      ...(hasVehicle ? { vehicle: { id: run.vehicle, label: run.vehicle.slice(1) } } : {}),
      ...(run.kind === 'canceled' ? {} : { stopTimeUpdate: listStopTimes(days, moment) }),
      ...propertiesOf(day, run),
    },
  }
}

/** The trip properties of a new or duplicated run. */
function propertiesOf(day: CityDay, run: Run): { tripProperties?: transit_realtime.TripUpdate.ITripProperties } {
  if (run.kind === 'new') return { tripProperties: { tripHeadsign: run.pattern.headsign } }
  if (run.kind !== 'duplicated') return {}
  return { tripProperties: { tripId: run.id, startDate: day.date, startTime: formatTime(run.startSeconds) } }
}

/** The calls that a TripUpdate contains: the remaining calls, or all calls if the update replaces the trip's calls. */
function listStopTimes(days: CityDays, { day, run, nowSeconds }: Moment): StopTime[] {
  const seconds = nowSeconds - day.zeroSeconds
  const isWhole = run.kind === 'new' || run.kind === 'replacement'
  const times = predictTimes(run, seconds)
  const style = styleOf(days, run)
  const updates: StopTime[] = []
  const { silent } = run
  for (let position = isWhole ? 0 : nextPosition(run, seconds); position < callCountOf(run); position++) {
    const isSilent = position >= silent.from && position < silent.to
    if (isSilent) {
      updates.push({ ...nameCall(days, run, position), scheduleRelationship: CallRelationship.NO_DATA })
      position = silent.to - 1
    } else if (!run.leftOut.includes(position)) {
      updates.push(toStopTime(days, run, { position, times, zeroSeconds: day.zeroSeconds, style }))
    } else if (run.kind !== 'replacement') {
      updates.push({ ...nameCall(days, run, position), scheduleRelationship: CallRelationship.SKIPPED })
    }
  }
  return updates
}

function styleOf({ parts }: CityDays, run: Run): EventStyle {
  if (run.kind === 'unscheduled') return 'time'
  if (run.kind === 'new') return 'scheduled'
  if (run.kind !== 'scheduled') return 'both'
  return STYLES[parts.roster[run.pattern.line].mode]
}

/** The fields of a StopTimeUpdate that identify a call: stop_sequence, and the stop_id of the platform. */
function nameCall({ parts }: CityDays, run: Run, position: number): StopTime {
  const stopId = parts.stops.platformIds[run.pattern.calls[position].platform]
  return { stopSequence: position + 1, stopId }
}

function toStopTime(
  days: CityDays,
  run: Run,
  call: { position: number; times: readonly number[]; zeroSeconds: number; style: EventStyle },
): StopTime {
  const { position, times, zeroSeconds, style } = call
  const isLast = position === callCountOf(run) - 1
  const arrival = { seconds: times[position * 2], planned: plannedArrival(run, position) }
  const departure = { seconds: times[position * 2 + 1], planned: plannedDeparture(run, position) }
  const assigned = run.move?.position === position ? days.parts.stops.platformIds[run.move.platform] : undefined
  return {
    ...nameCall(days, run, position),
    ...(position === 0 ? {} : { arrival: toEvent(arrival, zeroSeconds, style) }),
    ...(isLast ? {} : { departure: toEvent(departure, zeroSeconds, style) }),
    ...(run.kind === 'unscheduled' ? { scheduleRelationship: CallRelationship.UNSCHEDULED } : {}),
    ...(assigned === undefined ? {} : { stopTimeProperties: { assignedStopId: assigned } }),
  }
}

function toEvent(at: { seconds: number; planned: number }, zeroSeconds: number, style: EventStyle): Event {
  const time = zeroSeconds + at.seconds
  const delay = at.seconds - at.planned
  if (style === 'time') return { time }
  if (style === 'delay') return { delay }
  return style === 'both' ? { time, delay } : { time, scheduledTime: zeroSeconds + at.planned }
}
