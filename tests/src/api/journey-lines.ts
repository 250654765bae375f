// For tests of journeys: makes feeds with a few trips along one meridian, requests journeys on them, and shows
// responses as short lines of text.
import { DEFAULT_JOURNEYS, type JourneySettings } from '../../../src/networks/network.ts'
import { type FeedTexts, textFeed } from '../../feeds/text-feed.ts'
import { type Answer, openApi, type TestOptions } from './api-under-test.ts'

/**
 * A feed described by its trips. By default, every line is a bus, and every trip runs daily in 2026 in Europe/Paris.
 * `modes` and `files` override this.
 */
export interface JourneyFeed {
  /** Stop → meters north of the origin, and its station if it has one: `100` or `100 S`. */
  readonly stops: Readonly<Record<string, number | string>>
  /** Station → meters north of the origin. */
  readonly stations?: Readonly<Record<string, number>>
  /**
   * Trip → its calls: `A 08:00, B 08:10/08:12, C 08:20`; `B 08:10 on` allows boarding only, `B 08:10 off` alighting
   * only. The trip's line is the part of the trip's id before the hyphen.
   */
  readonly trips: Readonly<Record<string, string>>
  readonly blocks?: Readonly<Record<string, string>>
  /** Line → route_type. */
  readonly modes?: Readonly<Record<string, number>>
  readonly files?: FeedTexts
}

/** Meters per degree of latitude on a sphere with a radius of 6 371 008.8 m. */
const METERS_PER_DEGREE = (6_371_008.8 * Math.PI) / 180
const [BASE_LAT, LON] = [48.5, '7.5']

/** The latitude, in degrees, of the point `meters` north of the origin of the feed's stops. */
export function latOf(meters: number): string {
  return (BASE_LAT + meters / METERS_PER_DEGREE).toFixed(9)
}

/** The point `meters` north of the origin, as a value for `from` or `to`. */
export function pointAt(meters: number): string {
  return `${latOf(meters)},${LON}`
}

/** The feed's GTFS files, by name. */
export function journeyFeed({ stops, stations = {}, trips, blocks = {}, modes = {}, files }: JourneyFeed): FeedTexts {
  const lineOf = (trip: string) => trip.split('-')[0] ?? ''
  const lines = [...new Set(Object.keys(trips).map(lineOf))]
  const calls = Object.entries(trips).flatMap(([trip, text]) =>
    text.split(',').map((call, at) => {
      const [stop = '', time = '', way = ''] = call.trim().split(' ')
      const [arrival = '', departure = arrival] = time
        .split('/')
        .map((each) => (each.length === 5 ? `${each}:00` : each))
      return `${trip},${arrival},${departure},${stop},${at + 1},${Number(way === 'off')},${Number(way === 'on')}`
    }),
  )
  return {
    'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone,agency_lang\nV,V,https://v.example,Europe/Paris,fr',
    'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
      daily,1,1,1,1,1,1,1,20260101,20261231`,
    'stops.txt': [
      'stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station',
      ...Object.entries(stations).map(([id, meters]) => `${id},Name of ${id},${latOf(meters)},${LON},1,`),
      ...Object.entries(stops).map(([id, place]) => {
        const [meters = '', parent = ''] = `${place}`.split(' ')
        return `${id},Name of ${id},${latOf(Number(meters))},${LON},0,${parent}`
      }),
    ].join('\n'),
    'routes.txt': [
      'route_id,agency_id,route_short_name,route_type',
      ...lines.map((id) => `${id},V,${id},${modes[id] ?? 3}`),
    ].join('\n'),
    'trips.txt': [
      'route_id,service_id,trip_id,trip_headsign,block_id',
      ...Object.keys(trips).map((trip) => `${lineOf(trip)},daily,${trip},To ${trip},${blocks[trip] ?? ''}`),
    ].join('\n'),
    'stop_times.txt': [
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type',
      ...calls,
    ].join('\n'),
    ...files,
  }
}

/** The members of a journey's section that tests read. */
export interface ReportedSection {
  readonly kind: string
  readonly departure_at: string
  readonly arrival_at: string
  readonly realtime: boolean
  readonly distance_meters?: number
  readonly trip_id?: string
  readonly stop_ids?: readonly string[]
  readonly stay_seated?: boolean
  readonly from_place: { readonly stop_id?: string; readonly label?: string }
  readonly to_place: { readonly stop_id?: string; readonly label?: string }
}

/** The members of a journey that tests read. */
export interface ReportedJourney {
  readonly id: string
  readonly transfers: number
  readonly sections: readonly ReportedSection[]
}

const placeText = ({ stop_id }: ReportedSection['from_place']) => stop_id?.split(':').at(-1) ?? '*'
const clock = (timestamp: string) => timestamp.slice(11, 19)

/** The service day of most journeys in the tests. The lines of text for sections omit it. */
const TODAY = '20260610:'

/** A section as a line of text: `walk 130 m A 08:00:00 B 08:01:49`, `red-1 B 08:02:00 C 08:10:00`. Points are `*`. */
export function sectionText(section: ReportedSection): string {
  const { kind, distance_meters, trip_id, departure_at, arrival_at, stay_seated, realtime } = section
  const [from, to] = [section.from_place, section.to_place].map(placeText)
  const what = kind === 'walk' ? `walk ${distance_meters} m` : trip_id?.split(':').slice(2).join(':').replace(TODAY, '')
  const marks = `${stay_seated === true ? ' seated' : ''}${realtime ? ' live' : ''}`
  return `${what} ${from} ${clock(departure_at)} ${to} ${clock(arrival_at)}${marks}`
}

/** The journeys in a response, each as a list of lines of text. */
export function journeyLines({ body }: Answer): string[][] {
  return body.data.map(({ sections }: ReportedJourney) => sections.map(sectionText))
}

/** Opens the API on a feed, with functions that request journeys between its stops or points. */
export async function openJourneys(feed: JourneyFeed, options: TestOptions = {}) {
  const api = await openApi({ networks: [{ id: 'ville', feed: textFeed(journeyFeed(feed)) }], ...options })
  const endText = (end: string) => encodeURIComponent(/[,:\s]/.test(end) ? end : `ville:stop:${end}`)
  const ask = (from: string, to: string, more = '') =>
    api.get(`/v1/journeys?from=${endText(from)}&to=${endText(to)}${more === '' ? '' : `&${more}`}`)
  /** The journeys as lines of text; throws for any status but 200. */
  const lines = async (from: string, to: string, more = ''): Promise<string[][]> => {
    const answer = await ask(from, to, more)
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
    return journeyLines(answer)
  }
  /** The first journey as lines of text; empty if there is none. */
  const best = async (from: string, to: string, more = ''): Promise<string[]> => (await lines(from, to, more))[0] ?? []
  /** Changes the network's journey settings. */
  const configure = (settings: Partial<JourneySettings>): void => {
    for (const network of api.networks.list) {
      network.settings = { ...network.settings, journeys: { ...DEFAULT_JOURNEYS, ...settings } }
    }
  }
  return { ...api, ask, lines, best, configure }
}
