// A timetable with one live feed, for tests of trips. A board is a list of short strings, so that a test can compare
// the whole board. Tests can also search for journeys on the feed’s trips.
import type GtfsRealtime from 'gtfs-realtime-bindings'
import type { PlannedJourney } from '../../../indexes/journeys/planned-journey.ts'
import { JourneyPlanner } from '../../../indexes/journeys/planner.ts'
import { buildOverlay } from '../../../indexes/live/build-overlay.ts'
import type { LiveVehicle } from '../../../indexes/live/build-vehicles.ts'
import { listBoard } from '../../../indexes/live/live-boards.ts'
import { refOfInstance } from '../../../indexes/live/live-order.ts'
import { LiveTripReader, type LiveTrips } from '../../../indexes/live/live-trips.ts'
import { liveHeadsign, type Overlay } from '../../../indexes/live/overlay.ts'
import { joinPlaced } from '../../../indexes/live/placed-trips.ts'
import { nameVehicles, VehicleReader } from '../../../indexes/live/vehicle-reader.ts'
import { serviceDate } from '../../../indexes/timetable/service-dates.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import type { StopIndex, Timetable } from '../../../indexes/timetable/timetable.ts'
import { stopHeadsign } from '../../../indexes/timetable/trips.ts'
import { decodeMessage } from '../../../loaders/gtfs-rt/decode-message.ts'
import { textOf } from '../../../loaders/strings.ts'
import { liveDepartureOf } from '../../../src/rendering/live-departure.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'
import type { FeedTexts } from '../../feeds/text-feed.ts'
import { timetableOf } from '../built-feed.ts'

type Entity = GtfsRealtime.transit_realtime.IFeedEntity

/** The service day of the tests, a Wednesday in Paris. */
export const TODAY = '20260610'
/** Values of `schedule_relationship` for a trip, as numbers in the message. */
export const TRIP = {
  ADDED: 1,
  UNSCHEDULED: 2,
  CANCELED: 3,
  REPLACEMENT: 5,
  DUPLICATED: 6,
  DELETED: 7,
  NEW: 8,
} as const
/** Values of `schedule_relationship` for a call of a trip, as numbers in the message. */
export const CALL = { SKIPPED: 1, NO_DATA: 2 } as const

/**
 * An instant on a service day, in seconds after 1970.
 * @param time `HH:MM` or `HH:MM:SS`; hours may exceed 24
 */
export function at(time: string, date = '2026-06-10'): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return Date.parse(`${date}T00:00:00+02:00`) / 1000 + hours * 3600 + minutes * 60 + seconds
}

/** A line with the stops S1 to S5, ten minutes apart. Trip `t` starts at 08:00, and trip `u` an hour later. */
export const LINE: FeedTexts = {
  'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,Ville,https://ville.example,Europe/Paris',
  'stops.txt': ['stop_id,stop_name,stop_lat,stop_lon']
    .concat(
      Array.from({ length: 5 }, (_, stop) => `S${stop + 1},Stop ${stop + 1},48.5${stop},7.75`),
      'X,Stop X,48.6,7.75',
    )
    .join('\n'),
  'routes.txt': 'route_id,route_short_name,route_type\nL,L,3\nM,M,3',
  'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260601,20260630`,
  'trips.txt': 'route_id,service_id,trip_id,trip_headsign,direction_id\nL,daily,t,Stop 5,0\nL,daily,u,Stop 5,0',
  'stop_times.txt': ['trip_id,arrival_time,departure_time,stop_id,stop_sequence']
    .concat(
      ['t', 'u'].flatMap((trip, hour) =>
        Array.from({ length: 5 }, (_, stop) => {
          const time = `0${8 + hour}:${stop}0:00`
          return `${trip},${time},${time},S${stop + 1},${stop + 1}`
        }),
      ),
    )
    .join('\n'),
}

/** A timetable with one live feed. */
export class LiveLine {
  readonly timetable: Timetable
  private readonly reader: LiveTripReader
  private readonly vehicleReader: VehicleReader
  private reported: Overlay | undefined
  private liveTrips: LiveTrips | undefined
  private nowSeconds = 0
  /** The vehicles that were found when the last message was read. */
  shown: readonly LiveVehicle[] = []

  private constructor(timetable: Timetable) {
    this.timetable = timetable
    this.reader = new LiveTripReader(timetable)
    this.vehicleReader = new VehicleReader(timetable, (trip, now) => this.reader.matchTrip(trip, now))
  }

  static async open(feed: FeedTexts = LINE): Promise<LiveLine> {
    return new LiveLine(await timetableOf(feed))
  }

  /**
   * Publishes a message of the feed with these entities at the given time.
   * @param isStale whether the message is too old to be used
   */
  publish(time: string | number, entities: readonly Entity[], { isStale = false } = {}): this {
    const nowSeconds = typeof time === 'number' ? time : at(time)
    const { trips, vehicles, modifications, shapes } = decodeMessage(realtimeFeed(nowSeconds, entities))
    const feed = { timestampSeconds: nowSeconds, trips, vehicles, modifications, shapes, isStale }
    this.liveTrips = this.reader.read([feed], nowSeconds)
    const reports = isStale ? [] : [{ feed: 0, timestampSeconds: nowSeconds, vehicles }]
    const { trips: live } = this.liveTrips
    const question = { reports, trips: live, nowSeconds, maxAgeSeconds: 300, scheduledVehicles: false }
    const found = this.vehicleReader.read(question)
    this.shown = found.vehicles
    nameVehicles(this.timetable, live, found.vehicles)
    const meta = { snapshotId: 's', version: 1, baseSeconds: nowSeconds, feedIds: ['f'] }
    this.reported = buildOverlay(this.timetable, joinPlaced(live, found.placedTrips), meta)
    this.nowSeconds = nowSeconds
    return this
  }

  /** Why entities in the last message were not matched: reason → count. */
  get reasons(): Readonly<Record<string, number>> {
    return { ...this.liveTrips?.matches[0]?.reasons }
  }

  /** How many updates in the last message matched a trip. */
  get matched(): number {
    return this.liveTrips?.matches[0]?.matched ?? 0
  }

  /**
   * The departures from some stops within the next `hours`, as `stop trip scheduled expected status`. Times have
   * seconds only if these are not zero. A `-` means no prediction. A trip has a date only if it is not `TODAY`.
   */
  board(stops: readonly string[] = ['S1', 'S2', 'S3', 'S4', 'S5', 'X'], hours = 3): string[] {
    return stops.flatMap((stop) => this.rowsAt(stop, hours).map((row) => row.text))
  }

  /** For each departure from a stop in the next half hour, the name of its vehicle; empty if no vehicle is reported. */
  vehicles(stop: string): string[] {
    const { instances, calls, strings } = this.overlay
    const query = { stops: [this.stop(stop)], fromSeconds: this.nowSeconds, toSeconds: this.nowSeconds + 1800 }
    const rows = listBoard(this.timetable, this.reported, {
      ...query,
      lines: undefined,
      directionId: undefined,
      limit: 50,
    })
    return rows.map((row) => (row.kind === 'live' ? textOf(strings, instances.vehicle[calls.instance[row.call]]) : ''))
  }

  /** The headsigns of the departures from a stop. */
  headsigns(stop: string): string[] {
    return this.rowsAt(stop, 3).map((row) => row.headsign)
  }

  /** The overlay of the live trips. */
  get overlay(): Overlay {
    if (this.reported === undefined) throw new Error('the feed has published nothing yet')
    return this.reported
  }

  /** The live trips at the current time. */
  get trips(): LiveTrips {
    if (this.liveTrips === undefined) throw new Error('the feed has published nothing yet')
    return this.liveTrips
  }

  /** The departure and arrival of each journey that `plan` returns, as `leaves arrives`. */
  rides(from: string, to: string): string[] {
    return this.plan(from, to).map(({ leaves, arrives }) => `${this.clock(leaves)} ${this.clock(arrives)}`)
  }

  /** The journeys between two stops that leave within three hours, as the planner returns them. */
  plan(from: string, to: string): PlannedJourney[] {
    const planner = new JourneyPlanner(this.timetable, { walkMeters: 0, changeSeconds: 60 })
    const end = (id: string) => ({ stops: [this.stop(id)], seconds: [0] })
    const { reported: overlay, nowSeconds: seconds } = this
    const rest = { isArriveBy: false, lines: undefined, limit: 2, overlay, shouldStop: () => false }
    const found = planner.plan({ access: end(from), egress: end(to), seconds, ...rest }) ?? []
    return found.filter(({ leaves }) => leaves < seconds + 3 * 3600)
  }

  /** A stop by its id. */
  stop(id: string): StopIndex {
    const found = findStop(this.timetable, id)
    if (found === undefined) throw new Error(`there is no stop ${id}`)
    return found
  }

  private rowsAt(stop: string, hours: number): { readonly text: string; readonly headsign: string }[] {
    const { timetable, reported: overlay, nowSeconds } = this
    const window = { fromSeconds: nowSeconds, toSeconds: nowSeconds + hours * 3600 }
    const query = { stops: [this.stop(stop)], ...window, lines: undefined, directionId: undefined, limit: 50 }
    return listBoard(timetable, overlay, query).map((row) => {
      if (row.kind === 'scheduled' || overlay === undefined) {
        if (row.kind === 'live') throw new Error('a live row has no overlay')
        const date = serviceDate(timetable, row.day)
        const name = this.nameOf(`${date}:${textOf(timetable.strings, timetable.trips.id[row.trip])}`)
        const headsign = stopHeadsign(timetable, row.trip, row.position)
        return { text: `${stop} ${name} ${this.clock(row.departureSeconds)} - silent`, headsign }
      }
      const live = liveDepartureOf(overlay, row.call)
      if (live.isRealtime === (live.status === 'unknown')) throw new Error(`live.isRealtime contradicts ${live.status}`)
      const name = this.nameOf(refOfInstance(timetable, overlay, overlay.calls.instance[row.call]))
      const expected = live.expectedSeconds === undefined ? '-' : this.clock(live.expectedSeconds)
      const headsign = liveHeadsign(timetable, overlay, row.call)
      return { text: `${stop} ${name} ${this.clock(live.scheduledSeconds)} ${expected} ${live.status}`, headsign }
    })
  }

  private nameOf(ref: string): string {
    return ref.startsWith(`${TODAY}:`) ? ref.slice(TODAY.length + 1) : ref
  }

  private clock(seconds: number): string {
    const time = new Date((seconds + 2 * 3600) * 1000).toISOString()
    const isToday = time.startsWith('2026-06-10')
    return `${isToday ? '' : time.slice(8, 11)}${time.endsWith(':00.000Z') ? time.slice(11, 16) : time.slice(11, 19)}`
  }
}

/**
 * An update about a trip that runs today.
 * @param calls the reported calls, by stop_sequence
 */
export function update(
  tripId: string,
  calls: Readonly<Record<number, object>>,
  more: { readonly trip?: object; readonly rest?: object } = {},
): Entity {
  const stopTimeUpdate = Object.entries(calls).map(([stopSequence, call]) => ({
    stopSequence: Number(stopSequence),
    ...call,
  }))
  return {
    id: `update of ${tripId}`,
    tripUpdate: { trip: { tripId, startDate: TODAY, ...more.trip }, stopTimeUpdate, ...more.rest },
  }
}

/** Arrival and departure at the same time. */
export function timed(time: string): { readonly arrival: object; readonly departure: object } {
  return { arrival: { time: at(time) }, departure: { time: at(time) } }
}
