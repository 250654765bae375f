// A view: one network's snapshot, prepared for rendering answers. It provides names and ids as strings, local time, and
// the JSON rendered so far. A view is used for as long as its snapshot is served. A request gets its view once and uses
// it until the request ends.
import { LRUCache } from 'lru-cache'
import type { Overlay } from '../../indexes/live/overlay.ts'
import type { Circle } from '../../indexes/spatial/point-tree.ts'
import { stopsOfArea } from '../../indexes/timetable/areas.ts'
import type { AreaIndex, LineIndex, StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { rowsOf } from '../../loaders/columns.ts'
import { Problem, refusedParameter } from '../http/problem.ts'
import type { Network, NetworkSettings, Networks, Snapshot, SnapshotTexts } from '../networks/network.ts'
import { AnswerCache } from './answer-cache.ts'
import { DepartureWriter } from './departure-bytes.ts'
import { type MadeTexts, makeTexts, openTexts, textsKey } from './made-texts.ts'
import { NetworkExtents } from './network-extents.ts'
import { PlaceWriter } from './stop-bytes.ts'
import { LocalTime, utcText } from './timestamps.ts'

/** The kinds of rendered JSON that are cached. Within a kind, the index of a row is the key. */
const TEXT_KINDS = ['place', 'line', 'lineDetail'] as const
type TextKind = (typeof TEXT_KINDS)[number]

/** A cache of rendered JSON, as strings or bytes. The least recently used entries are dropped first. */
export class TextCache<Text extends string | Uint8Array> {
  private readonly texts: LRUCache<number, Text>
  private useCount = 0

  constructor(byteLimit: number) {
    this.texts = new LRUCache({
      maxSize: Math.max(1, Math.floor(byteLimit)),
      sizeCalculation: (text) => text.length + ENTRY_BYTES,
    })
  }

  /** The JSON of a row. Calls `render` if it is not in the cache. */
  of(kind: TextKind, row: number, render: () => Text): Text {
    const key = TEXT_KINDS.indexOf(kind) * KIND_STRIDE + row
    // Marking an entry as used takes longer than looking it up. So only one lookup in eight marks its entry, which is
    // enough to find the least recently used entries.
    const kept = (this.useCount++ & 7) === 0 ? this.texts.get(key) : this.texts.peek(key)
    if (kept !== undefined) return kept
    const text = render()
    this.texts.set(key, text)
    return text
  }
}

/** Distance between the keys of two kinds: more than the number of rows in any column. */
const KIND_STRIDE = 2 ** 32
/** Approximate memory that an entry needs in addition to its characters, in bytes. */
const ENTRY_BYTES = 160

/** The part of a view that is sufficient for rendering ids and single rows. */
export interface SnapshotRows {
  readonly settings: NetworkSettings
  readonly slug: string
  /** Used in entity tags. Identifies the snapshot, and the settings and towns that answers show. */
  readonly tag: string
  readonly snapshot: Snapshot
  readonly timetable: Timetable
  readonly localTime: LocalTime
  /** When the snapshot was made, as a UTC timestamp. */
  readonly refreshedAtText: string
  /** The configured credit lines, followed by those in the feed, without duplicates. */
  readonly attribution: readonly string[]
  /** `attribution` as JSON. */
  readonly attributionText: string
  /** The JSON rendered at import; undefined if none was made for this network id and these towns. */
  readonly made: MadeTexts | undefined
  /** Cache of rendered lines. */
  readonly texts: TextCache<string>
  /** Id of the addresses from which the towns of stops are derived; empty if there are no addresses. */
  readonly townsId: string
  /** Finds the town at a location in degrees: the town of the nearest address; empty if unknown. */
  readonly townAt: (lat: number, lon: number) => string
}

/** One snapshot of one network, ready for rendering. */
export interface SnapshotView extends SnapshotRows {
  readonly network: Network
  readonly departures: DepartureWriter
  readonly places: PlaceWriter
}

/** The overlay for a view's snapshot; undefined if there is none, or if it still belongs to another snapshot. */
export function overlayOf(view: SnapshotView): Overlay | undefined {
  const overlay = view.network.live?.overlay
  return overlay?.meta.snapshotId === view.snapshot.id ? overlay : undefined
}

/** A stop or an area of a snapshot. */
export type Place =
  | { readonly kind: 'stop'; readonly stop: StopIndex }
  | { readonly kind: 'area'; readonly area: AreaIndex }

/** The stop or area with this number. Stops are numbered first, then areas. */
export function placeAt({ stops }: Timetable, number: number): Place {
  const stopCount = stops.id.length
  return number < stopCount
    ? { kind: 'stop', stop: number as StopIndex }
    : { kind: 'area', area: (number - stopCount) as AreaIndex }
}

/** A stop or area with its view. */
export interface PlaceInView {
  readonly view: SnapshotView
  readonly place: Place
  /** The stops whose boards list the departures of `place`. */
  readonly stops: readonly StopIndex[]
}

/** The stops whose boards list a place's departures. */
export function stopsOf({ timetable }: SnapshotRows, place: Place): readonly StopIndex[] {
  return place.kind === 'stop' ? [place.stop] : stopsOfArea(timetable, place.area)
}

/** A line with its view. */
export interface LineInView {
  readonly view: SnapshotView
  readonly line: LineIndex
}

/** Finds the towns of stops and areas from the loaded addresses. */
export interface Towns {
  /** Id of the addresses; empty if there are no addresses. */
  readonly id: string
  /** Finds the town at a location in degrees; empty if unknown. */
  townAt(lat: number, lon: number): string
}

/** Used if there are no addresses: all towns are unknown. */
export const NO_TOWNS: Towns = { id: '', townAt: () => '' }

/** Maximum number of entries in each cache of ids; a full cache is emptied. */
const KEPT_IDS = 4096

/**
 * Caches and returns the row to which an id was resolved. Callers must check that the snapshot of a cached row is
 * current.
 */
export function keepFound<Found>(cache: Map<string, Found>, id: string, found: Found): Found {
  if (cache.size >= KEPT_IDS) cache.clear()
  cache.set(id, found)
  return found
}

/** The views of the networks that have a snapshot. Replaced when a network is changed, added or removed. */
export interface ReadyViews {
  /** In the order of the configuration. */
  readonly list: readonly SnapshotView[]
  /** Used in entity tags. Identifies the snapshots of all these networks. */
  readonly tag: string
  readonly extents: NetworkExtents
}

/** The views of all networks, for one thread. A view is made again when its network's snapshot is replaced. */
export class SnapshotViews {
  private readonly networks: Networks
  private readonly textBytes: number
  private towns: Towns
  private readonly views = new Map<string, SnapshotView>()
  /** Caches of stops, areas and lines by public id, so that frequently requested ids need no search. */
  readonly places = new Map<string, PlaceInView>()
  readonly lines = new Map<string, LineInView>()
  /** Cache of whole answers, by the URLs of their requests. */
  readonly answers: AnswerCache
  private readyViews: ReadyViews | undefined
  /** The version of `networks` from which `readyViews` was made. */
  private readyVersion = 0

  /**
   * @param textBytes maximum size of all cached JSON, for all networks, in bytes. Half of it is for whole answers, and
   * half for parts of answers
   */
  constructor(networks: Networks, textBytes: number, towns: Towns = NO_TOWNS) {
    this.networks = networks
    this.towns = towns
    this.answers = new AnswerCache(textBytes / 2)
    this.textBytes = Math.max(1, Math.floor(textBytes / 2 / Math.max(1, networks.list.length)))
  }

  /**
   * The view of the network named in a path or an id. Returns the error `not_found` if the network does not exist, and
   * `not_ready` if it has no snapshot.
   */
  find(slug: string): SnapshotView | Problem {
    const network = this.networks.find(slug)
    if (network === undefined)
      return new Problem(
        'not_found',
        `No network has the id ${JSON.stringify(slug)}. The networks are listed at /v1/networks.`,
      )
    return this.viewOf(network) ?? notReady(slug)
  }

  /**
   * The views of the networks named in a query. If the query names none, the views of all networks that have a
   * snapshot.
   */
  select(slugs: readonly string[] | undefined): readonly SnapshotView[] | Problem {
    if (slugs === undefined) {
      const { list } = this.ready()
      return list.length > 0 ? list : noneReady()
    }
    const selected: SnapshotView[] = []
    for (const slug of slugs) {
      const network = this.networks.find(slug)
      if (network === undefined) {
        return refusedParameter(
          'networks',
          `The parameter "networks" contains ${JSON.stringify(slug)}, which is not a known network; expected ids from /v1/networks.`,
          'not_found',
        )
      }
      const view = this.viewOf(network)
      if (view === undefined) return notReady(slug)
      selected.push(view)
    }
    return selected
  }

  /**
   * Like `select`, but without the networks that cannot have a stop or area within a circle. Networks named in the
   * query are always included.
   */
  selectAround(slugs: readonly string[] | undefined, circle: Circle): readonly SnapshotView[] | Problem {
    if (slugs !== undefined) return this.select(slugs)
    const { list, extents } = this.ready()
    if (list.length === 0) return noneReady()
    return list.length === 1 ? list : extents.around(circle).flatMap((at) => list[at] ?? [])
  }

  /**
   * The networks that an answer credits. If only one network was searched, it is credited, provided that the query
   * named it or no other network has a snapshot. Otherwise, the networks that appear in the answer are credited.
   * @param requested the networks named in the query
   * @param among the networks that were searched
   * @param shown the networks that appear in the answer
   */
  credited(
    requested: readonly string[] | undefined,
    among: readonly SnapshotView[],
    shown: ReadonlySet<SnapshotView>,
  ): readonly SnapshotView[] {
    const isOnly = among.length === 1 && (requested !== undefined || this.ready().list.length === 1)
    return isOnly ? among : [...shown]
  }

  /** The views of the networks that have a snapshot. Returns the same object until a network changes. */
  ready(): ReadyViews {
    const { readyViews } = this
    const { list: networks, version } = this.networks
    if (readyViews !== undefined && this.readyVersion === version) return readyViews
    this.readyVersion = version
    const list = networks.map((network) => this.viewOf(network)).filter((view) => view !== undefined)
    if (readyViews !== undefined && isSameList(list, readyViews.list)) return readyViews
    const made = { list, tag: snapshotTagOf(list), extents: new NetworkExtents(list.map((view) => view.timetable)) }
    this.readyViews = made
    return made
  }

  /** The view of a network; undefined if the network has no snapshot. */
  viewOf(network: Network): SnapshotView | undefined {
    const snapshot = network.current
    const { id } = network.settings
    const view = this.views.get(id)
    if (view !== undefined && view.network === network && isCurrent(view)) return view
    if (view !== undefined) this.forgetFound()
    if (snapshot === undefined) {
      this.views.delete(id)
      return undefined
    }
    const made = makeView(network, snapshot, { textBytes: this.textBytes, towns: this.towns })
    this.views.set(id, made)
    return made
  }

  /** The view of a network, if it has already been made and is current; otherwise undefined. */
  knownOf(slug: string): SnapshotView | undefined {
    const view = this.views.get(slug)
    return view !== undefined && isCurrent(view) ? view : undefined
  }

  /** Drops the view of a network, unless the view is current. */
  dropReplaced(slug: string): void {
    if (this.knownOf(slug) === undefined && this.views.delete(slug)) this.forgetFound()
  }

  /** Switches to the towns from other addresses. All JSON is rendered again. */
  replaceTowns(towns: Towns): void {
    this.towns = towns
    this.views.clear()
    this.readyViews = undefined
    this.forgetFound()
  }

  /** Drops the views of networks that are no longer served. */
  prune(): void {
    const gone = [...this.views].filter(([slug, { network }]) => this.networks.find(slug) !== network)
    for (const [slug] of gone) this.views.delete(slug)
    this.readyViews = undefined
    this.forgetFound() // answers about several networks depend on the order of the networks, which may have changed
  }

  /** Drops cached results, because a result from an old snapshot would keep that snapshot in memory. */
  private forgetFound(): void {
    this.places.clear()
    this.lines.clear()
    this.answers.clear()
  }
}

function isSameList(list: readonly SnapshotView[], other: readonly SnapshotView[]): boolean {
  return list.length === other.length && list.every((view, at) => view === other[at])
}

/** Whether the network still serves the view's snapshot with the same settings. */
export function isCurrent({ network, snapshot, settings }: SnapshotView): boolean {
  return network.current === snapshot && network.settings === settings
}

/** Identifies a snapshot, and the settings and towns that answers show. */
function tagOf(snapshot: Snapshot, { name, city, attribution }: NetworkSettings, towns: Towns): string {
  const named = towns.id === '' ? [] : [towns.id]
  const shown = Bun.hash.xxHash32(JSON.stringify([name, city, attribution, ...named]))
  return `${snapshot.id}-${shown.toString(36)}`
}

function noneReady(): Problem {
  return new Problem(
    'not_ready',
    "The networks' data is not loaded yet. Wait for the number of seconds in Retry-After, then try again.",
  )
}

function notReady(slug: string): Problem {
  return new Problem(
    'not_ready',
    `The data for the network ${JSON.stringify(slug)} is not loaded yet. Wait for the number of seconds in Retry-After, then try again.`,
  )
}

function makeView(
  network: Network,
  snapshot: Snapshot,
  { textBytes, towns }: { readonly textBytes: number; readonly towns: Towns },
): SnapshotView {
  const { settings } = network
  const { timetable } = snapshot
  const attribution = [...new Set([...settings.attribution, ...timetable.meta.attributions])]
  const rows: SnapshotRows = {
    settings,
    slug: settings.id,
    tag: tagOf(snapshot, settings, towns),
    snapshot,
    timetable,
    localTime: new LocalTime(timetable.meta.timezone),
    refreshedAtText: utcText(snapshot.refreshedAtMillis),
    attribution,
    attributionText: JSON.stringify(attribution),
    made: openTexts(snapshot.texts, textsKey(settings.id, towns.id), timetable),
    texts: new TextCache(textBytes / 2),
    townsId: towns.id,
    townAt: (lat, lon) => towns.townAt(lat, lon),
  }
  const places = new PlaceWriter(rows, new TextCache(textBytes / 2))
  return { ...rows, network, departures: new DepartureWriter(rows), places }
}

/** Renders the JSON that is stored in a timetable's snapshot at import. @param slug the network's id */
export function makeSnapshotTexts(timetable: Timetable, slug: string, towns: Towns = NO_TOWNS): SnapshotTexts {
  const settings = { id: slug, name: '', city: '', attribution: [] }
  const snapshot = { id: '', refreshedAtMillis: 0, timetable }
  const network: Network = { settings, current: snapshot, lastError: undefined }
  const { places, departures } = makeView(network, snapshot, { textBytes: 0, towns })
  const stops = rowsOf(timetable.stops.id)
  const lines = rowsOf(timetable.lines.id)
  const directions = rowsOf(timetable.directions.line)
  return makeTexts(textsKey(slug, towns.id), timetable, {
    place: (out, row) => places.writeText(out, row),
    line: (out, row) => out.pushText(places.lineText(lines[row])),
    stopHead: (out, row) => out.pushText(departures.stopHeadText(stops[row])),
    direction: (out, row) => out.pushText(departures.directionText(directions[row])),
    reducedDirection: (out, row) => out.pushText(departures.reducedDirectionText(directions[row])),
  })
}

/** The credit lines of several views, without duplicates, as JSON. */
export function attributionOf(views: readonly SnapshotView[]): string {
  if (views.length === 1 && views[0] !== undefined) return views[0].attributionText
  return JSON.stringify([...new Set(views.flatMap((view) => view.attribution))])
}

/** Identifies the snapshots of several views, for entity tags. */
export function snapshotTagOf(views: readonly SnapshotView[]): string {
  if (views.length === 1 && views[0] !== undefined) return views[0].tag
  return Bun.hash.wyhash(views.map((view) => `${view.slug} ${view.tag}`).join(' ')).toString(36)
}
