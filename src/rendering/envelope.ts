// Writes the envelope of an answer: the rendered `data`, and `meta` with its members in the order of `Meta`. Also
// writes the sources of an answer and their ages. A source is a timetable, the addresses or a live feed.
import type { FeedStatus, NetworkLive } from '../networks/network.ts'
import { fragment, JsonBytes } from './json-bytes.ts'
import type { SnapshotView } from './snapshot-view.ts'
import { utcText } from './timestamps.ts'

/** The members of `meta`. Members that are omitted here are also omitted from the answer. */
export interface Meta {
  /** Service time, in Unix milliseconds. */
  readonly nowMillis: number
  readonly units: number
  /** The id of a network. */
  readonly network?: string
  readonly freshness?: 'scheduled' | 'realtime'
  readonly count?: number
  readonly limit?: number
  /** The limit on the length of each walk in the journeys, in meters. */
  readonly maxWalk?: number
  readonly previousCursor?: string | null
  readonly nextCursor?: string | null
  /** The attributions, as JSON. */
  readonly attribution?: string
  /** The sources, as JSON. */
  readonly sources?: string
  /** Why `data` is empty. */
  readonly reason?: string
  /** The nearest stops, as JSON. */
  readonly nearestStops?: string
  /** The state of the streets, as JSON. */
  readonly streets?: string | undefined
}

/** The start of every answer. */
export const ENVELOPE_START = '{"data":'

const NETWORK = fragment(',"network":"')
const FRESHNESS = { scheduled: fragment(',"freshness":"scheduled"'), realtime: fragment(',"freshness":"realtime"') }
const COUNT = fragment(',"count":')
const LIMIT = fragment(',"limit":')
const ATTRIBUTION = fragment(',"attribution":')
const SOURCES = fragment(',"sources":')
const REASON = fragment(',"reason":"')
const META_END = '}}'
const END = fragment(META_END)
const QUOTE = 0x22

let startSeconds = Number.NaN
let startBytes = new Uint8Array(0)

/** The start of `meta`, up to `units`. It is rendered again only when the second changes. */
function metaStart(nowMillis: number): Uint8Array {
  const seconds = Math.floor(nowMillis / 1000)
  if (seconds !== startSeconds) {
    startSeconds = seconds
    startBytes = new Uint8Array(fragment(`,"meta":{"generated_at":"${utcText(nowMillis)}","units":`))
  }
  return startBytes
}

/** Appends the rest of the envelope, which follows `data`. */
export function pushMeta(out: JsonBytes, meta: Meta): void {
  out.push(metaStart(meta.nowMillis))
  out.pushNumber(meta.units)
  if (meta.network !== undefined) pushWord(out, NETWORK, meta.network)
  if (meta.freshness !== undefined) out.push(FRESHNESS[meta.freshness])
  if (meta.count !== undefined) pushInteger(out, COUNT, meta.count)
  if (meta.limit !== undefined) pushInteger(out, LIMIT, meta.limit)
  if (meta.maxWalk !== undefined) out.pushText(`,"max_walk":${meta.maxWalk}`)
  if (meta.previousCursor !== undefined) out.pushText(`,"previous_cursor":${cursorText(meta.previousCursor)}`)
  if (meta.nextCursor !== undefined) out.pushText(`,"next_cursor":${cursorText(meta.nextCursor)}`)
  if (meta.attribution !== undefined) pushJson(out, ATTRIBUTION, meta.attribution)
  if (meta.sources !== undefined) pushJson(out, SOURCES, meta.sources)
  if (meta.reason !== undefined) pushWord(out, REASON, meta.reason)
  if (meta.nearestStops !== undefined) out.pushText(`,"nearest_stops":${meta.nearestStops}`)
  if (meta.streets !== undefined) out.pushText(`,"streets":${meta.streets}`)
  out.push(END)
}

function pushWord(out: JsonBytes, name: Uint8Array, word: string): void {
  out.push(name)
  out.pushText(word)
  out.pushByte(QUOTE)
}

function pushInteger(out: JsonBytes, name: Uint8Array, value: number): void {
  out.push(name)
  out.pushNumber(value)
}

function pushJson(out: JsonBytes, name: Uint8Array, json: string): void {
  out.push(name)
  out.pushText(json)
}

const decoder = new TextDecoder()
const scratch = new JsonBytes()

/** The rest of the envelope, which follows `data`, as a string. */
export function metaText(meta: Meta): string {
  scratch.clear()
  pushMeta(scratch, meta)
  return decoder.decode(scratch.view())
}

/** The whole envelope as a string. @param data JSON */
export function writeEnvelope(data: string, meta: Meta): string {
  return ENVELOPE_START + data + metaText(meta)
}

/**
 * The sources of a view's departures, as JSON. Ages are computed from times in whole seconds, so that they agree with
 * the times shown in the answer.
 */
export function sourcesText(view: SnapshotView, live: NetworkLive | undefined, nowMillis: number): string {
  const gtfs = timetableText(view, nowMillis)
  if (live === undefined) return `[${gtfs}]`
  const feeds = live.feeds.filter(({ carries }) => carries.trips).map((feed) => feedText(feed, nowMillis))
  return `[${[gtfs, ...feeds].join(',')}]`
}

/** The addresses, as a source of places. */
interface AddressSource {
  readonly madeAtMillis: number
}

/** View → the sources of its network's places, as JSON. An entry is valid for one second. */
const placeSources = new WeakMap<
  SnapshotView,
  { readonly seconds: number; readonly addresses: AddressSource | undefined; readonly text: string }
>()

/** The sources of places, as JSON: the timetables and, if there are any, the addresses. */
export function placeSourcesText(
  views: readonly SnapshotView[],
  addresses: AddressSource | undefined,
  nowMillis: number,
): string {
  const [only] = views
  if (only === undefined || views.length > 1) return writePlaceSources(views, addresses, nowMillis)
  const seconds = Math.floor(nowMillis / 1000)
  const known = placeSources.get(only)
  if (known !== undefined && known.seconds === seconds && known.addresses === addresses) return known.text
  const text = writePlaceSources(views, addresses, nowMillis)
  placeSources.set(only, { seconds, addresses, text })
  return text
}

function writePlaceSources(
  views: readonly SnapshotView[],
  addresses: AddressSource | undefined,
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

/** The `network` member of `meta` if the query names exactly one network; otherwise no member. */
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

/** The live feeds that have contained alerts so far, as JSON. */
export function alertSourcesText(views: readonly SnapshotView[], nowMillis: number): string {
  const feeds = views.flatMap(({ network }) => network.live?.feeds.filter(({ carries }) => carries.alerts) ?? [])
  return `[${feeds.map((feed) => feedText(feed, nowMillis)).join(',')}]`
}

/**
 * A live feed as JSON. Its age is the age of its data, not the time since it was fetched, so a feed whose data no
 * longer changes becomes stale.
 */
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

/** The values that can differ between a network's boards in the same second. */
interface BoardEnd {
  /** Whether at least one row has live data. */
  readonly isLive: boolean
  /** Number of rows. */
  readonly count: number
  readonly limit: number
  /** Why there are no rows; undefined if there are rows. */
  readonly reason: string | undefined
}

/** The JSON after the rows of a network's boards, without the values in BoardEnd. */
interface BoardFrame {
  readonly seconds: number
  readonly live: NetworkLive | undefined
  readonly units: number
  readonly start: Uint8Array
  readonly end: Uint8Array
}

const LIVE = fragment('"realtime","count":')
const SCHEDULED = fragment('"scheduled","count":')
/**
 * Sample values for the members of `meta` that differ between boards. A frame is rendered with these values and cut
 * where they are. Each board writes its own values there.
 */
const WORDS = '"realtime","count":0,"limit":0'

const frames = new WeakMap<SnapshotView, BoardFrame>()

/**
 * The JSON after the rows of a network's boards at an instant. All boards share this JSON, except for the values in
 * BoardEnd.
 */
export function boardFrame(view: SnapshotView, nowMillis: number, units: number): BoardFrame {
  const seconds = Math.floor(nowMillis / 1000)
  const { live } = view.network
  const known = frames.get(view)
  if (known !== undefined && known.seconds === seconds && known.live === live && known.units === units) return known
  const text = metaText({
    nowMillis,
    units,
    network: view.slug,
    freshness: 'realtime',
    count: 0,
    limit: 0,
    attribution: view.attributionText,
    sources: sourcesText(view, live, nowMillis),
  })
  const at = text.indexOf(WORDS)
  const frame = {
    seconds,
    live,
    units,
    start: fragment(`]${text.slice(0, at)}`),
    end: fragment(text.slice(at + WORDS.length, -META_END.length)),
  }
  frames.set(view, frame)
  return frame
}

/** Appends the end of a board's envelope, starting with the `]` after its rows. */
export function writeBoardEnd(out: JsonBytes, frame: BoardFrame, { isLive, count, limit, reason }: BoardEnd): void {
  out.push(frame.start)
  out.push(isLive ? LIVE : SCHEDULED)
  out.pushNumber(count)
  out.push(LIMIT)
  out.pushNumber(limit)
  out.push(frame.end)
  if (reason !== undefined) pushWord(out, REASON, reason)
  out.push(END)
}
