// The networks a thread serves: what the configuration says of each, and the snapshot it answers from now.
import type { NetworkAlerts } from '../../indexes/live/alerts.ts'
import type { Overlay } from '../../indexes/live/overlay.ts'
import type { VehicleKnowledge, Vehicles } from '../../indexes/live/vehicles.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'

/** What the configuration says of a network, as far as answers need it. */
export interface NetworkSettings {
  /** Slug: the first part of every id. */
  readonly id: string
  readonly name: string
  readonly city: string
  /** Data-licence credit lines of the configuration; the feed's own follow them. */
  readonly attribution: readonly string[]
  /** How journeys are planned; the defaults where absent. */
  readonly journeys?: JourneySettings
}

/** What an operator sets for journeys. */
export interface JourneySettings {
  /** Longest walk between two stops of a journey, in meters. */
  readonly transferWalkMeters: number
  /** Kept on top of the walk at a change. */
  readonly changeSeconds: number
  /** A change that leaves less time than this beyond the walk and what is kept on top of it is tight. */
  readonly tightSeconds: number
  /** Own figures of emissions by mode, in grams of CO2 equivalent a passenger and kilometer. */
  readonly gramsPerKm: Readonly<Partial<Record<string, number>>>
  /** The operator's own planner; undefined where there is none. */
  readonly native?: NativePlannerSettings | undefined
}

/** A planner of the network's operator. */
export interface NativePlannerSettings {
  readonly kind: 'motis'
  /** Where it is: an address on the web. May hold a secret, as the headers may. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** What it puts before the ids of this network's feed; undefined for whatever stands before the first `_`. */
  readonly tag: string | undefined
  /** For a whole answer. */
  readonly deadlineMillis: number
}

/** Journeys where nothing is set. */
export const DEFAULT_JOURNEYS: JourneySettings = {
  transferWalkMeters: 500,
  changeSeconds: 60,
  tightSeconds: 60,
  gramsPerKm: {},
}

/** One import of a network's feeds: immutable, whole. */
export interface Snapshot {
  /** Short text that changes with the content: the first part of every ETag. */
  readonly id: string
  /** When the import ended, in milliseconds after 1970. */
  readonly refreshedAtMillis: number
  readonly timetable: Timetable
}

/** How one GTFS-Realtime feed of a network fares. Instants are service time, in milliseconds after 1970. */
export interface FeedStatus {
  /** As the configuration names it. */
  readonly id: string
  /** When it was last fetched without a failure. */
  readonly fetchedAtMillis: number | undefined
  /** What its newest message says of its own age. */
  readonly timestampMillis: number | undefined
  /** From this age on its data is stale; from the other one on it is dropped. */
  readonly freshMillis: number
  readonly maxAgeMillis: number
  /** What it has carried since the start. */
  readonly carries: { readonly trips: boolean; readonly vehicles: boolean; readonly alerts: boolean }
  /** Share of its trip updates that found their trip; undefined without any. */
  readonly matchRate: number | undefined
  /** The same as counts, with what could not be used or had to be mended, by reason; undefined before the first reading. */
  readonly matches?: FeedMatchCounts | undefined
  readonly lastError: LastError | undefined
  /** Least wait before the next fetch after failures in a row; 0 or absent while all is well. */
  readonly backOffMillis?: number
  /** Fetches counted against the budget its upstream sets; undefined without one. */
  readonly budget: UpstreamBudget | undefined
}

/** What came of the trip updates of a feed's newest message. */
export interface FeedMatchCounts {
  readonly total: number
  readonly matched: number
  readonly reasons: Readonly<Record<string, number>>
  /** Given if hardly any found its trip. */
  readonly mismatch?: FeedMismatch | undefined
}

/** The commonest reasons for which trip updates found no trip, the most frequent first. */
export type FeedMismatch = readonly {
  readonly reason: string
  readonly count: number
  /** Trip, route and date, as the feed gives them. */
  readonly example: string
  /** The setting that may help; null if none does. */
  readonly setting: string | null
}[]

/** How much of an upstream's budget is used. */
export interface UpstreamBudget {
  readonly used: number
  readonly limit: number
  readonly resetsAtMillis: number
}

/** What the live feeds of a network are good for, whatever they say just now. */
export interface LiveCapabilities {
  readonly trips: boolean
  readonly alerts: boolean
  readonly vehicles: VehicleKnowledge
}

/** What live feeds say of a network now: immutable, replaced whole. */
export interface NetworkLive {
  readonly capabilities: LiveCapabilities
  readonly feeds: readonly FeedStatus[]
  /** Undefined until feeds have spoken of trips, and while their data is too old. */
  readonly overlay: Overlay | undefined
  /** Undefined until they were first looked for. May be of an earlier snapshot: `meta.snapshotId` tells. */
  readonly vehicles?: Vehicles | undefined
  /** Undefined until they were first looked for. May be of an earlier snapshot: `snapshotId` tells. */
  readonly alerts?: NetworkAlerts | undefined
}

/** Why a network's data could not be loaded or refreshed; shown in `/status`, without secrets. */
export interface LastError {
  readonly atMillis: number
  readonly source: string
  readonly reason: string
  readonly message: string
}

/** One network of this service. `current` is read once per request and replaced in one assignment. */
export interface Network {
  /** Replaced, never changed, where the configuration is read anew. */
  settings: NetworkSettings
  /** Undefined until a snapshot is there, or where none could be made. */
  current: Snapshot | undefined
  /** Undefined where no live feed is configured, and until the first one was fetched. */
  live?: NetworkLive | undefined
  lastError: LastError | undefined
}

/** The networks in the order of the configuration. */
export class Networks {
  private networks: readonly Network[] = []
  private bySlug: ReadonlyMap<string, Network> = new Map()

  constructor(list: readonly Network[]) {
    this.replace(list)
  }

  get list(): readonly Network[] {
    return this.networks
  }

  /** Serves these from the next request on. */
  replace(list: readonly Network[]): void {
    this.networks = list
    this.bySlug = new Map(list.map((network) => [network.settings.id, network]))
  }

  find(slug: string): Network | undefined {
    return this.bySlug.get(slug)
  }
}
