// The networks a thread serves: what the configuration says of each, and the snapshot it answers from now.
import type { Timetable } from '../indexes/timetable/timetable.ts'

/** What the configuration says of a network, as far as answers need it. */
export interface NetworkSettings {
  /** Slug: the first part of every id. */
  readonly id: string
  readonly name: string
  readonly city: string
  /** Data-licence credit lines of the configuration; the feed's own follow them. */
  readonly attribution: readonly string[]
}

/** One import of a network's feeds: immutable, whole. */
export interface Snapshot {
  /** Short text that changes with the content: the first part of every ETag. */
  readonly id: string
  /** When the import ended, in milliseconds after 1970. */
  readonly refreshedAtMillis: number
  readonly timetable: Timetable
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
  readonly settings: NetworkSettings
  /** Undefined until a snapshot is there, or where none could be made. */
  current: Snapshot | undefined
  lastError: LastError | undefined
}

/** The networks in the order of the configuration. */
export class Networks {
  readonly list: readonly Network[]
  private readonly bySlug: ReadonlyMap<string, Network>

  constructor(list: readonly Network[]) {
    this.list = list
    this.bySlug = new Map(list.map((network) => [network.settings.id, network]))
  }

  find(slug: string): Network | undefined {
    return this.bySlug.get(slug)
  }
}
