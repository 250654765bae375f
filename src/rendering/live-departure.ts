// The live data of a departure: its status, its scheduled and expected times, and its delay.
import {
  CALL_PREDICTED,
  CALL_SKIPPED,
  CALL_UNPLANNED,
  INSTANCE_ADDED,
  INSTANCE_CANCELED,
  INSTANCE_UNSCHEDULED,
  type LiveCallIndex,
  type Overlay,
} from '../../indexes/live/overlay.ts'

/** The status values of a departure. */
export type DepartureStatus =
  | 'on_time'
  | 'delayed'
  | 'early'
  | 'canceled'
  | 'skipped'
  | 'added'
  | 'unscheduled'
  | 'unknown'

/** The live data of a departure. Instants are in Unix seconds. */
export interface LiveDeparture {
  readonly scheduledSeconds: number
  /** The expected instant; undefined if there is no prediction. */
  readonly expectedSeconds: number | undefined
  readonly delaySeconds: number | undefined
  readonly status: DepartureStatus
  /** Whether a feed has data for this call, not only for other calls of the trip. */
  readonly isRealtime: boolean
}

/** A departure that differs from the timetable by at least this time is delayed or early. */
const OFF_SCHEDULE_SECONDS = 60

/** The status of a call. */
export function statusOfCall({ calls, instances }: Overlay, call: LiveCallIndex): DepartureStatus {
  const state = instances.state[calls.instance[call]]
  const flags = calls.flags[call]
  if (state === INSTANCE_CANCELED) return 'canceled'
  if ((flags & CALL_SKIPPED) !== 0) return 'skipped'
  if ((flags & CALL_PREDICTED) === 0) return 'unknown'
  if (state === INSTANCE_UNSCHEDULED) return 'unscheduled'
  if (state === INSTANCE_ADDED && (flags & CALL_UNPLANNED) !== 0) return 'added'
  return punctuality(calls.departure[call] - calls.scheduledDeparture[call])
}

/** Whether this status means that a feed has data for the call. */
export function isRealtimeStatus(status: DepartureStatus): boolean {
  return status !== 'unknown'
}

/** Whether this status means that the call has an expected time. */
export function isExpectedStatus(status: DepartureStatus): boolean {
  return status !== 'unknown' && status !== 'canceled' && status !== 'skipped'
}

/** The live data of the departure of a call. */
export function liveDepartureOf(overlay: Overlay, call: LiveCallIndex): LiveDeparture {
  const { calls, meta } = overlay
  const status = statusOfCall(overlay, call)
  const isRealtime = isRealtimeStatus(status)
  const scheduledSeconds = calls.scheduledDeparture[call] + meta.baseSeconds
  if (!isExpectedStatus(status)) {
    return { scheduledSeconds, expectedSeconds: undefined, delaySeconds: undefined, status, isRealtime }
  }
  const expectedSeconds = calls.departure[call] + meta.baseSeconds
  const delaySeconds = status === 'unscheduled' ? undefined : expectedSeconds - scheduledSeconds
  return { scheduledSeconds, expectedSeconds, delaySeconds, status, isRealtime }
}

/** The live data of the arrival of a call. */
export function liveArrivalOf(overlay: Overlay, call: LiveCallIndex): LiveDeparture {
  const { calls, meta } = overlay
  const departure = liveDepartureOf(overlay, call)
  const scheduledSeconds = calls.scheduledArrival[call] + meta.baseSeconds
  if (departure.expectedSeconds === undefined) return { ...departure, scheduledSeconds }
  const expectedSeconds = calls.arrival[call] + meta.baseSeconds
  if (departure.delaySeconds === undefined) return { ...departure, scheduledSeconds, expectedSeconds }
  const delaySeconds = expectedSeconds - scheduledSeconds
  const status = departure.status === 'added' ? departure.status : punctuality(delaySeconds)
  return { ...departure, scheduledSeconds, expectedSeconds, delaySeconds, status }
}

/** The status of a call with a delay, which is negative if the call is early. */
export function punctuality(delaySeconds: number): DepartureStatus {
  if (delaySeconds >= OFF_SCHEDULE_SECONDS) return 'delayed'
  return delaySeconds <= -OFF_SCHEDULE_SECONDS ? 'early' : 'on_time'
}
