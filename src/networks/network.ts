// The networks that a thread serves: their settings and current snapshots.
import type { NetworkAlerts } from '../../indexes/live/alerts.ts'
import type { Overlay } from '../../indexes/live/overlay.ts'
import type { VehicleKnowledge, Vehicles } from '../../indexes/live/vehicles.ts'
import type { LinkMeta, StopLinks } from '../../indexes/streets/stop-links.ts'
import type { StreetGraph, StreetMeta } from '../../indexes/streets/street-graph.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import type { NamedColumns } from '../../loaders/snapshot-file.ts'

/** Settings of a network that responses need. */
export interface NetworkSettings {
  /** Slug: the first part of every id in the API. */
  readonly id: string
  readonly name: string
  readonly city: string
  /** License credits from the configuration; responses append the feed's own credits. */
  readonly attribution: readonly string[]
  /** Journey settings; defaults if absent. */
  readonly journeys?: JourneySettings
  /**
   * Whether walks follow streets. If false or absent, walks are straight lines and responses do not mention streets.
   */
  readonly hasStreets?: boolean
}

/** Settings for journey planning. */
export interface JourneySettings {
  /** Longest walk between two stops in a transfer, in meters. */
  readonly transferWalkMeters: number
  /** Seconds that a transfer takes in addition to the walk. */
  readonly changeSeconds: number
  /** A transfer with less spare time than this is marked as tight. */
  readonly tightSeconds: number
  /** Emissions by mode, in grams of CO2 equivalent per passenger-kilometer. */
  readonly gramsPerKm: Readonly<Partial<Record<string, number>>>
  /** How to reach the operator's own journey planner, if there is one. */
  readonly native?: NativePlannerSettings | undefined
}

/** How to reach the operator's own planner. */
export interface NativePlannerSettings {
  readonly kind: 'motis'
  /** The planner's URL. The URL and the headers may contain secrets. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /**
   * The prefix that the planner adds to ids from this network's feed. If undefined, any characters up to the first `_`
   * are the prefix.
   */
  readonly tag: string | undefined
  /** The longest time to wait for a response. */
  readonly deadlineMillis: number
}

/** Default journey settings. */
export const DEFAULT_JOURNEYS: JourneySettings = {
  transferWalkMeters: 500,
  changeSeconds: 60,
  tightSeconds: 60,
  gramsPerKm: {},
}

/** The result of one import; immutable. */
export interface Snapshot {
  /** Identifies the snapshot's content; the first part of every ETag. */
  readonly id: string
  /** When the import began to build the timetable, after fetching the feeds, in Unix milliseconds. */
  readonly refreshedAtMillis: number
  readonly timetable: Timetable
  /** JSON that was rendered at import; absent in snapshots from earlier versions. */
  readonly texts?: SnapshotTexts | undefined
}

/** Rendered JSON in a snapshot (rendering/made-texts.ts). */
export interface SnapshotTexts {
  /** Identifies the data that the rendered JSON depends on, apart from the timetable. */
  readonly key: string
  readonly columns: NamedColumns
}

/** State of a GTFS-Realtime feed. All times are service time in Unix milliseconds. */
export interface FeedStatus {
  /** The feed's configured id. */
  readonly id: string
  /** When the feed was last fetched successfully; undefined if never. */
  readonly fetchedAtMillis: number | undefined
  /** Timestamp of the feed's newest message. */
  readonly timestampMillis: number | undefined
  /** The feed's data is stale when it is older than `freshMillis`, and dropped when it is older than `maxAgeMillis`. */
  readonly freshMillis: number
  readonly maxAgeMillis: number
  /** The kinds of data that the feed has contained at any time since the service started. */
  readonly carries: { readonly trips: boolean; readonly vehicles: boolean; readonly alerts: boolean }
  /** Share of the feed's trip updates that matched a trip; undefined if it has no trip updates. */
  readonly matchRate: number | undefined
  /** Counts of matched, ignored and repaired updates; undefined before the first message. */
  readonly matches?: FeedMatchCounts | undefined
  readonly lastError: LastError | undefined
  /** After failures, the minimum delay before the next fetch; otherwise 0 or absent. */
  readonly backOffMillis?: number
  /** Usage of the poll budget that the feed's server allows; undefined if there is no limit. */
  readonly budget: UpstreamBudget | undefined
}

/** Match results of a feed's newest message. */
export interface FeedMatchCounts {
  readonly total: number
  readonly matched: number
  readonly reasons: Readonly<Record<string, number>>
  /** The reasons why updates matched no trip. Present only if hardly any updates matched. */
  readonly mismatch?: FeedMismatch | undefined
}

/** The most common reasons for unmatched updates, most frequent first. */
export type FeedMismatch = readonly {
  readonly reason: string
  readonly count: number
  /** Trip, route and date of an unmatched update, as the feed has them. */
  readonly example: string
  /** The setting that may help; null if there is none. */
  readonly setting: string | null
}[]

/** Usage of a feed's poll budget. */
export interface UpstreamBudget {
  readonly used: number
  readonly limit: number
  readonly resetsAtMillis: number
}

/** The kinds of data that a network's live feeds can provide, regardless of their current content. */
export interface LiveCapabilities {
  readonly trips: boolean
  readonly alerts: boolean
  readonly vehicles: VehicleKnowledge
}

/** A network's current live data. It is immutable and is replaced as a whole. */
export interface NetworkLive {
  readonly capabilities: LiveCapabilities
  readonly feeds: readonly FeedStatus[]
  /** Undefined before the first trip update, and while the data is too old. */
  readonly overlay: Overlay | undefined
  /** Undefined until any feed contains a vehicle. May belong to an earlier snapshot; see `meta.snapshotId`. */
  readonly vehicles?: Vehicles | undefined
  /** Undefined until any feed contains an alert. May belong to an earlier snapshot; see `snapshotId`. */
  readonly alerts?: NetworkAlerts | undefined
}

/** Why a network could not be loaded or refreshed; shown in `/status`, without secrets. */
export interface LastError {
  readonly atMillis: number
  readonly source: string
  readonly reason: string
  readonly message: string
}

/** A network in this service. A request must read `current` only once, because it can be replaced between two reads. */
export interface Network {
  /** Replaced as a whole on reload. */
  settings: NetworkSettings
  /** Undefined until a snapshot exists. */
  current: Snapshot | undefined
  /** Undefined without a live feed, and before the first fetch. */
  live?: NetworkLive | undefined
  lastError: LastError | undefined
  /** Undefined if the snapshot is not a file. Files next to this path may be missing or belong to another snapshot. */
  snapshotPath?: string | undefined
  /** The network's streets; undefined until walks can follow them. */
  streets?: NetworkStreets | undefined
  /** Why the network's streets could not be imported; undefined without such an error. */
  streetsError?: LastError | undefined
}

/** The streets of a network. */
export interface NetworkStreets {
  readonly graph: StreetGraph
  /** Identifies the graph's content. */
  readonly id: string
  readonly meta: StreetMeta
  /**
   * The links between the current snapshot's stops and the streets. While this is undefined, walks are straight lines.
   */
  readonly links: { readonly links: StopLinks; readonly meta: LinkMeta } | undefined
  /** Credit lines for the map extracts from which the streets were made. */
  readonly attribution: readonly string[]
}

/** The networks in configuration order. */
export class Networks {
  /** Increases when a network's settings or snapshot change, or networks are added or removed. */
  version = 0
  private networks: readonly Network[] = []
  private bySlug: ReadonlyMap<string, Network> = new Map()

  constructor(list: readonly Network[]) {
    this.replace(list)
  }

  get list(): readonly Network[] {
    return this.networks
  }

  /** Must be called after every change to a network's settings or snapshot. */
  noteChange(): void {
    this.version++
  }

  /** Replaces the list of networks, starting with the next request. */
  replace(list: readonly Network[]): void {
    this.networks = list
    this.noteChange()
    this.bySlug = new Map(list.map((network) => [network.settings.id, network]))
  }

  find(slug: string): Network | undefined {
    return this.bySlug.get(slug)
  }
}
