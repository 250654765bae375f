// Runs the service's part of live histories: decodes messages, applies them to the state of the live feed, reads the
// feed's trips, and builds the overlay. Converts the results to the form of the model's results.
import type GtfsRealtime from 'gtfs-realtime-bindings'
import { buildOverlay, openOverlay, packOverlay } from '../../../indexes/live/build-overlay.ts'
import { FeedState } from '../../../indexes/live/feed-state.ts'
import { listBoard } from '../../../indexes/live/live-boards.ts'
import { refOfInstance } from '../../../indexes/live/live-order.ts'

import { LiveTripReader } from '../../../indexes/live/live-trips.ts'
import {
  CALL_ALIGHTABLE,
  CALL_BOARDABLE,
  CALL_PREDICTED,
  CALL_SKIPPED,
  CALL_UNPLANNED,
  type InstanceIndex,
  type LiveCallIndex,
  liveHeadsign,
  NO_POSITION,
  type Overlay,
} from '../../../indexes/live/overlay.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import type { Timetable } from '../../../indexes/timetable/timetable.ts'
import { stopHeadsign, tripRef } from '../../../indexes/timetable/trips.ts'
import { decodeMessage } from '../../../loaders/gtfs-rt/decode-message.ts'
import { textOf } from '../../../loaders/strings.ts'
import { liveDepartureOf } from '../../../src/rendering/live-departure.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'
import type { ReportedCall, ReportedEvent, ReportedMessage, ReportedTrip, ReportedUpdate } from './history-messages.ts'
import type { ModelTrip } from './model-rules.ts'
import { suffixOf } from './plain-city.ts'

type Entity = GtfsRealtime.transit_realtime.IFeedEntity

const TRIP_WORDS = {
  SCHEDULED: 0,
  ADDED: 1,
  UNSCHEDULED: 2,
  CANCELED: 3,
  REPLACEMENT: 5,
  DUPLICATED: 6,
  DELETED: 7,
  NEW: 8,
}
const CALL_WORDS = { SCHEDULED: 0, SKIPPED: 1, NO_DATA: 2, UNSCHEDULED: 3 }
const STATES = ['runs', 'canceled', 'deleted', 'added', 'unscheduled'] as const
const MOST_ROWS = 500

/** A city with one live feed. */
export class HistoryService {
  private readonly timetable: Timetable
  private readonly reader: LiveTripReader
  private readonly state = new FeedState()
  private overlay: Overlay | undefined
  /** How many updates matched a trip when the last message was read. */
  matched = 0

  constructor(timetable: Timetable) {
    this.timetable = timetable
    this.reader = new LiveTripReader(timetable)
  }

  read(message: ReportedMessage): void {
    const { seconds, isDifferential, deleted, updates, vehicles } = message
    const entities: Entity[] = [
      ...updates.map(toEntity),
      ...vehicles.map(({ id, trip, seconds: timestamp, sequence, stop }) => ({
        id,
        vehicle: {
          trip: toDescriptor(trip),
          position: { latitude: 48, longitude: 7.75 },
          ...(timestamp === undefined ? {} : { timestamp }),
          ...(sequence === undefined ? {} : { currentStopSequence: sequence }),
          ...(stop === undefined ? {} : { stopId: stop }),
        },
      })),
      ...deleted.map((id) => ({ id, isDeleted: true })),
    ]
    const bytes = realtimeFeed(seconds, entities, isDifferential ? 'DIFFERENTIAL' : 'FULL_DATASET')
    this.state.apply(decodeMessage(bytes), seconds)
    const { current } = this.state
    if (current === undefined) throw new Error('the feed has published nothing')
    const read = this.reader.read([current], seconds)
    this.matched = read.matches[0]?.matched ?? 0
    const meta = { snapshotId: 's', version: 1, baseSeconds: seconds, feedIds: ['f'] }
    this.overlay = openOverlay(packOverlay(buildOverlay(this.timetable, read.trips, meta)))
  }

  /** Every trip in the overlay, each as a string like those of `textOfTrip`. */
  trips(): string[] {
    const { overlay, timetable } = this
    if (overlay === undefined) return []
    const { instances, strings } = overlay
    return Array.from({ length: instances.trip.length }, (_, at) => {
      const instance = at as InstanceIndex
      const ref = refOfInstance(timetable, overlay, instance)
      const head = `${ref} ${STATES[instances.state[instance]]} "${textOf(strings, instances.headsign[instance])}"`
      return [head, ...this.callsOf(overlay, instance)].join('\n  ')
    }).sort()
  }

  private callsOf({ instances, calls, meta, strings }: Overlay, instance: InstanceIndex): string[] {
    const list: string[] = []
    const end = instances.callOffset[(instance + 1) as InstanceIndex]
    for (let call = instances.callOffset[instance]; call < end; call = (call + 1) as LiveCallIndex) {
      const has = (flag: number) => (calls.flags[call] & flag) !== 0
      const position = calls.position[call]
      const place = `${textOf(this.timetable.strings, this.timetable.stops.id[calls.stop[call]])} ${position === NO_POSITION ? '-' : position}`
      const planned = `${calls.scheduledArrival[call] + meta.baseSeconds} ${calls.scheduledDeparture[call] + meta.baseSeconds}`
      const times = `${calls.arrival[call] + meta.baseSeconds} ${calls.departure[call] + meta.baseSeconds}`
      const signs = [
        has(CALL_PREDICTED),
        has(CALL_SKIPPED),
        has(CALL_BOARDABLE),
        has(CALL_ALIGHTABLE),
        has(CALL_UNPLANNED),
      ]
      list.push(`${place} ${planned} ${times} ${signs.map(Number).join('')} "${textOf(strings, calls.headsign[call])}"`)
    }
    return list
  }

  /** The departures from a stop in a time window, as strings like those of `modelBoard`. */
  board(stopId: string, fromSeconds: number, toSeconds: number): string[] {
    const { overlay, timetable } = this
    const stop = findStop(timetable, stopId)
    if (overlay === undefined || stop === undefined) throw new Error(`there are no boards for ${stopId}`)
    const query = { stops: [stop], fromSeconds, toSeconds, lines: undefined, directionId: undefined, limit: MOST_ROWS }
    return listBoard(timetable, overlay, query).map((row) => {
      if (row.kind === 'scheduled') {
        const { trip, day, runStartSeconds } = row
        const headsign = stopHeadsign(timetable, trip, row.position)
        return `${tripRef(timetable, { trip, day, runStartSeconds })} ${row.departureSeconds} - silent ${headsign}`
      }
      const { scheduledSeconds, expectedSeconds = '-', status } = liveDepartureOf(overlay, row.call)
      const ref = refOfInstance(timetable, overlay, overlay.calls.instance[row.call])
      return `${ref} ${scheduledSeconds} ${expectedSeconds} ${status} ${liveHeadsign(timetable, overlay, row.call)}`
    })
  }
}

/** Formats one of the model's trips like the strings of `HistoryService.trips`. */
export function textOfTrip({ ref, state, headsign, calls }: ModelTrip): string {
  const texts = calls.map((call) => {
    const { stop, position, planned, arrival, departure, isPredicted, isSkipped, boards, alights, isUnplanned } = call
    const signs = [isPredicted, isSkipped, boards, alights, isUnplanned].map(Number).join('')
    const times = `${planned.arrival} ${planned.departure} ${arrival} ${departure}`
    return `${stop} ${position ?? '-'} ${times} ${signs} "${call.headsign}"`
  })
  return [`${ref} ${state} "${headsign}"`, ...texts].join('\n  ')
}

function toEntity({ id, trip, seconds, delay, copy, headsign, calls }: ReportedUpdate): Entity {
  const properties = {
    ...(copy?.tripId === undefined ? {} : { tripId: copy.tripId }),
    ...(copy?.date === undefined ? {} : { startDate: copy.date }),
    ...(copy?.start === undefined ? {} : { startTime: suffixOf(copy.start).slice(1) }),
    ...(headsign === undefined ? {} : { tripHeadsign: headsign }),
  }
  return {
    id,
    tripUpdate: {
      trip: toDescriptor(trip),
      stopTimeUpdate: calls.map(toStopTime),
      ...(seconds === undefined ? {} : { timestamp: seconds }),
      ...(delay === undefined ? {} : { delay }),
      ...(Object.keys(properties).length === 0 ? {} : { tripProperties: properties }),
    },
  }
}

function toDescriptor({ tripId, route, direction, date, start, word }: ReportedTrip) {
  return {
    ...(tripId === undefined ? {} : { tripId }),
    ...(route === undefined ? {} : { routeId: route }),
    ...(direction === undefined ? {} : { directionId: direction }),
    ...(date === undefined ? {} : { startDate: date }),
    ...(start === undefined ? {} : { startTime: suffixOf(start).slice(1) }),
    scheduleRelationship: TRIP_WORDS[word],
  }
}

function toStopTime({ sequence, stop, word, arrival, departure, assigned, headsign, pickup, dropOff }: ReportedCall) {
  const properties = {
    ...(assigned === undefined ? {} : { assignedStopId: assigned }),
    ...(headsign === undefined ? {} : { stopHeadsign: headsign }),
    ...(pickup === undefined ? {} : { pickupType: pickup }),
    ...(dropOff === undefined ? {} : { dropOffType: dropOff }),
  }
  return {
    ...(sequence === undefined ? {} : { stopSequence: sequence }),
    ...(stop === undefined ? {} : { stopId: stop }),
    scheduleRelationship: CALL_WORDS[word],
    ...(arrival === undefined ? {} : { arrival: toEvent(arrival) }),
    ...(departure === undefined ? {} : { departure: toEvent(departure) }),
    ...(Object.keys(properties).length === 0 ? {} : { stopTimeProperties: properties }),
  }
}

function toEvent({ time, delay, scheduled }: ReportedEvent) {
  return {
    ...(time === undefined ? {} : { time }),
    ...(delay === undefined ? {} : { delay }),
    ...(scheduled === undefined ? {} : { scheduledTime: scheduled }),
  }
}
