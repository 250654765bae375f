// Writes the envelope of an answer: the rendered `data`, and `meta` with its members in the order of the interface;
// also the answer's sources and their ages: timetables, addresses and live feeds.
import type { FeedStatus, NetworkLive } from '../networks/network.ts'
import type { SnapshotView } from './snapshot-view.ts'
import { utcText } from './timestamps.ts'

/** The members of `meta`; omitted members do not appear. */
export interface Meta {
  /** Service time, in milliseconds after 1970. */
  readonly nowMillis: number
  readonly units: number
  /** A network slug. */
  readonly network?: string
  readonly freshness?: 'scheduled' | 'realtime'
  readonly count?: number
  readonly limit?: number
  /** Meters walked. */
  readonly maxWalk?: number
  readonly previousCursor?: string | null
  readonly nextCursor?: string | null
  /** JSON. */
  readonly attribution?: string
  /** JSON. */
  readonly sources?: string
  /** The reason why `data` is empty. */
  readonly reason?: string
  /** JSON. */
  readonly nearestStops?: string
  /** JSON. */
  readonly streets?: string | undefined
}

let generatedSeconds = Number.NaN
let generatedText = ''

/** `generated_at`, formatted once a second. */
function generatedAt(nowMillis: number): string {
  const seconds = Math.floor(nowMillis / 1000)
  if (seconds !== generatedSeconds) {
    generatedSeconds = seconds
    generatedText = utcText(nowMillis)
  }
  return generatedText
}

/** The start of every answer. */
export const ENVELOPE_START = '{"data":'

/** The whole answer. @param data JSON */
export function writeEnvelope(data: string, meta: Meta): string {
  return ENVELOPE_START + data + envelopeEnd(meta)
}

/** Everything after `data`. */
export function envelopeEnd(meta: Meta): string {
  let text = `,"meta":{"generated_at":"${generatedAt(meta.nowMillis)}","units":${meta.units}`
  if (meta.network !== undefined) text += `,"network":"${meta.network}"`
  if (meta.freshness !== undefined) text += `,"freshness":"${meta.freshness}"`
  if (meta.count !== undefined) text += `,"count":${meta.count}`
  if (meta.limit !== undefined) text += `,"limit":${meta.limit}`
  if (meta.maxWalk !== undefined) text += `,"max_walk":${meta.maxWalk}`
  if (meta.previousCursor !== undefined) text += `,"previous_cursor":${cursorText(meta.previousCursor)}`
  if (meta.nextCursor !== undefined) text += `,"next_cursor":${cursorText(meta.nextCursor)}`
  if (meta.attribution !== undefined) text += `,"attribution":${meta.attribution}`
  if (meta.sources !== undefined) text += `,"sources":${meta.sources}`
  if (meta.reason !== undefined) text += `,"reason":"${meta.reason}"`
  if (meta.nearestStops !== undefined) text += `,"nearest_stops":${meta.nearestStops}`
  if (meta.streets !== undefined) text += `,"streets":${meta.streets}`
  return `${text}}}`
}

/** The sources of a view's departures as JSON. An age is the difference between the times as printed. */
export function sourcesText(view: SnapshotView, live: NetworkLive | undefined, nowMillis: number): string {
  const seconds = Math.floor(nowMillis / 1000)
  const known = sourcesOf.get(view)
  if (known !== undefined && known.seconds === seconds && known.live === live) return known.text
  const text = writeSources(view, live, nowMillis)
  sourcesOf.set(view, { live, seconds, text })
  return text
}

/** The last text for each view: it is the same for all answers within a second. */
const sourcesOf = new WeakMap<
  SnapshotView,
  { readonly live: NetworkLive | undefined; readonly seconds: number; readonly text: string }
>()

function writeSources(view: SnapshotView, live: NetworkLive | undefined, nowMillis: number): string {
  const gtfs = timetableText(view, nowMillis)
  if (live === undefined) return `[${gtfs}]`
  const feeds = live.feeds.filter(({ carries }) => carries.trips).map((feed) => feedText(feed, nowMillis))
  return `[${[gtfs, ...feeds].join(',')}]`
}

/** The sources of places as JSON: the timetables, and the addresses. */
export function placeSourcesText(
  views: readonly SnapshotView[],
  addresses: { readonly madeAtMillis: number } | undefined,
  nowMillis: number,
): string {
  const timetables = views.map((view) => timetableText(view, nowMillis))
  if (addresses === undefined) return `[${timetables.join(',')}]`
  const ban = sourceText('ban', {
    fetchedAtText: utcText(addresses.madeAtMillis),
    ageSeconds: ageOf(addresses.madeAtMillis, nowMillis),
    freshness: 'scheduled',
  })
  return `[${[...timetables, ban].join(',')}]`
}

/** `meta.network` of an answer across networks: the requested one, if it is only one. */
export function namedNetwork(networks: readonly string[] | undefined): { readonly network?: string } {
  const [only, ...others] = new Set(networks)
  return only === undefined || others.length > 0 ? {} : { network: only }
}

function timetableText(view: SnapshotView, nowMillis: number): string {
  return sourceText('gtfs', {
    fetchedAtText: view.refreshedAtText,
    ageSeconds: ageOf(view.snapshot.refreshedAtMillis, nowMillis),
    freshness: 'scheduled',
  })
}

/** The live feeds that have carried alerts, as JSON. */
export function alertSourcesText(views: readonly SnapshotView[], nowMillis: number): string {
  const feeds = views.flatMap(({ network }) => network.live?.feeds.filter(({ carries }) => carries.alerts) ?? [])
  return `[${feeds.map((feed) => feedText(feed, nowMillis)).join(',')}]`
}

/** The age of the data, not of the fetch: a feed that is fetched but does not change becomes stale. */
function feedText(feed: FeedStatus, nowMillis: number): string {
  const ageSeconds = ageOf(feed.timestampMillis ?? nowMillis, nowMillis)
  return sourceText(feed.id, {
    fetchedAtText: utcText(feed.fetchedAtMillis ?? nowMillis),
    ageSeconds,
    freshness: ageSeconds * 1000 > feed.freshMillis ? 'stale' : 'realtime',
  })
}

function ageOf(thenMillis: number, nowMillis: number): number {
  return Math.max(0, Math.floor(nowMillis / 1000) - Math.floor(thenMillis / 1000))
}

function sourceText(
  id: string,
  { fetchedAtText, ageSeconds, freshness }: { fetchedAtText: string; ageSeconds: number; freshness: string },
): string {
  return `{"id":${JSON.stringify(id)},"fetched_at":"${fetchedAtText}","age_seconds":${ageSeconds},"freshness":"${freshness}"}`
}

function cursorText(cursor: string | null): string {
  return cursor === null ? 'null' : `"${cursor}"`
}
