// The city of the live histories as plain lists. It has a line with a block, a loop, trips that run past midnight, a
// trip of more than a day, stations with platforms, and frequency runs. The model reads these lists. The service reads
// a feed that is generated from the same sketch.
import type { CitySketch, TripSketch } from '../../peers/realtime/sketched-feed.ts'
import { zeroSeconds } from '../text-dates.ts'

/** Three consecutive service days. */
export const DATES = ['20260610', '20260611', '20260612'] as const
const SOME = [DATES[0], DATES[2]]
const ZONE = 'Europe/Paris'

/** The sketch from which the feed and the lists are made. */
export const HISTORY_CITY = {
  zone: ZONE,
  dates: DATES,
  spacing: 1900,
  stations: { P: 'P1 P2', Q: 'Q1 Q2' },
  others: 'X Y',
  trips: {
    a: {
      calls: 'A 08:00, B 08:10-08:12, C 08:20, D 08:30, E 08:40',
      headsign: 'E',
      block: 'k',
      route: 'R1',
      direction: 0,
    },
    b: { calls: 'E 08:50, D 09:00, C 09:10', headsign: 'C', block: 'k', route: 'R1', direction: 1 },
    loop: { calls: 'A 08:05, B 08:15, A 08:25, C 08:35', headsign: 'Round', route: 'R2', direction: 0 },
    night: { calls: 'A 23:50, B 24:05, C 24:20', headsign: 'C', route: 'R1', direction: 0 },
    late: { calls: 'A 24:10, B 24:20, C 24:30', headsign: 'C', route: 'R1', direction: 0, dates: SOME },
    long: { calls: 'A 08:00, B 30:00, C 40:00', headsign: 'C', route: 'R3', direction: 0 },
    plat: { calls: 'P1 08:00, A 08:10, Q1 08:20', headsign: 'Q1', route: 'R3', direction: 0 },
    fixed: { calls: 'A 07:00, B 07:10', route: 'R4', direction: 0, frequencies: ['07:00:00,09:30:00,1800,1'] },
    often: { calls: 'C 07:00, D 07:10, E 07:20', route: 'R5', direction: 0, frequencies: ['07:00:00,09:30:00,1200,0'] },
    closed: { calls: 'A 08:12, B 08:22 in1, C 08:32 out1, D 08:42', headsign: 'D', route: 'R2', direction: 1 },
  },
} satisfies CitySketch

/** A call of a trip. Times are seconds after the service day's zero. */
export interface PlainCall {
  readonly stop: string
  readonly sequence: number
  readonly arrival: number
  readonly departure: number
  readonly boards: boolean
  readonly alights: boolean
}

/** A trip. */
export interface PlainTrip {
  readonly id: string
  readonly route: string
  readonly direction: number
  readonly headsign: string
  readonly block: string
  readonly dates: readonly string[]
  readonly calls: readonly PlainCall[]
  readonly frequency:
    | { readonly start: number; readonly end: number; readonly headway: number; readonly isExact: boolean }
    | undefined
}

/** A trip on a service day. For a frequency trip, one of its runs on that day. */
export interface PlainRun {
  readonly trip: PlainTrip
  readonly date: string
  /** The start of a frequency run, in seconds after the service day's zero; undefined for other trips. */
  readonly start: number | undefined
}

/** The trips by their ids. */
export const TRIPS: ReadonlyMap<string, PlainTrip> = new Map(
  Object.entries(HISTORY_CITY.trips).map(([id, trip]) => [id, plainTrip(id, trip)]),
)
/**
 * All stops, in geographical order. Neighbors are `spacing` meters apart. The platforms of a station count as one
 * place.
 */
export const STOPS: readonly string[] = [
  ...new Set([...[...TRIPS.values()].flatMap(({ calls }) => calls.map(({ stop }) => stop)), 'P2', 'Q2', 'X', 'Y']),
]
export const ROUTES: ReadonlySet<string> = new Set([...TRIPS.values()].map(({ route }) => route))

function plainTrip(id: string, sketch: TripSketch): PlainTrip {
  const texts = sketch.calls.split(', ')
  const calls = texts.map((text, at): PlainCall => {
    const [stop = '', times = '', mark] = text.split(' ')
    const [arrival = '', departure = arrival] = times.split('-')
    return {
      stop,
      sequence: at + 1,
      arrival: secondsOf(arrival),
      departure: secondsOf(departure),
      boards: mark !== 'in1' && at < texts.length - 1,
      alights: mark !== 'out1' && at > 0,
    }
  })
  const [start, end, headway, exact] = sketch.frequencies?.[0]?.split(',') ?? []
  return {
    id,
    route: sketch.route ?? '',
    direction: sketch.direction ?? 0,
    headsign: sketch.headsign ?? '',
    block: sketch.block ?? '',
    dates: sketch.dates ?? DATES,
    calls,
    frequency:
      start === undefined || end === undefined
        ? undefined
        : { start: secondsOf(start), end: secondsOf(end), headway: Number(headway), isExact: exact === '1' },
  }
}

function secondsOf(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

const zeros = new Map<string, number>()

/** The zero of a service day (noon minus 12 hours), in seconds after 1970. */
export function zeroOf(date: string): number {
  return zeros.getOrInsertComputed(date, () => zeroSeconds(ZONE, date))
}

/** The times of a run's calls according to the timetable, in seconds after 1970. */
export function plannedCalls({
  trip,
  date,
  start,
}: PlainRun): { readonly arrival: number; readonly departure: number }[] {
  const shift = zeroOf(date) + (start === undefined ? 0 : start - (trip.calls[0]?.departure ?? 0))
  return trip.calls.map(({ arrival, departure }) => ({ arrival: arrival + shift, departure: departure + shift }))
}

/** The station of a stop; undefined if it has none. */
export function stationOf(stop: string): string | undefined {
  return /^[PQ][12]$/.test(stop) ? stop[0] : undefined
}

/** Whether two stops are different platforms of one station. */
export function isOtherPlatform(one: string, other: string): boolean {
  return one !== other && stationOf(one) !== undefined && stationOf(one) === stationOf(other)
}

/** The distance between two stops in meters; distances within a station are ignored. */
export function metersBetween(one: string, other: string): number {
  const places = [...new Set(STOPS.map((stop) => stationOf(stop) ?? stop))]
  const at = (stop: string) => places.indexOf(stationOf(stop) ?? stop)
  return Math.abs(at(one) - at(other)) * HISTORY_CITY.spacing
}

/** The reference of a run: `<yyyymmdd>:<trip id>`, followed by `@HH:MM:SS` for a frequency run. */
export function refOf({ trip, date, start }: PlainRun): string {
  return `${date}:${trip.id}${start === undefined ? '' : suffixOf(start)}`
}

/** The end of a frequency run's reference: `@HH:MM:SS`. */
export function suffixOf(seconds: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `@${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

/** Finds a run by its reference. */
export function runOf(ref: string): PlainRun {
  const [, date = '', id = '', hours, minutes, seconds] = /^(\d{8}):([^@]+)(?:@(\d+):(\d\d):(\d\d))?$/.exec(ref) ?? []
  const trip = TRIPS.get(id)
  if (trip === undefined) throw new Error(`there is no trip ${ref}`)
  const start = hours === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return { trip, date, start }
}
