// Data about a network's alerts that is kept from one reading to the next, even if the snapshot changes: when the
// content of each alert was first seen, whether a feed's ids are stable, and which feed owns which id.

/**
 * If an alert's content was absent for longer than this, it counts as new when it returns. Most failures of a feed's
 * server are shorter.
 */
const FORGET_SECONDS = 3600
/**
 * How many times a feed must give new entity ids to unchanged content before its ids count as unstable. If this happens
 * only once, an alert may have been reissued.
 */
const RENUMBERED_TIMES = 2

/** The alerts of one feed in one reading: content → the entity ids of the alerts with this content. */
export type IdsOfContent = ReadonlyMap<string, readonly string[]>

interface Sighting {
  readonly firstSeconds: number
  lastSeconds: number
}

interface FeedIds {
  ids: IdsOfContent
  renumbered: number
}

/**
 * Content → when it was first seen, in seconds after 1970. The caller must store these times, because they must outlast
 * the process.
 */
export type FirstSightings = Readonly<Record<string, number>>

/** The data that is remembered about a network's alerts. */
export interface RememberedAlerts {
  readonly seen: ReadonlyMap<string, Sighting>
  readonly owners: ReadonlyMap<string, { readonly feed: string; lastSeconds: number }>
  readonly feeds: ReadonlyMap<string, FeedIds>
}

/** Remembers data about the alerts of one network. */
export class AlertMemory {
  private readonly seen = new Map<string, Sighting>()
  private hasChanged = false
  private readonly owners = new Map<string, { readonly feed: string; lastSeconds: number }>()
  private readonly feeds = new Map<string, FeedIds>()
  /** The entries of `seen` and `owners` for the alerts in the last reading. */
  private readonly present = new Set<{ lastSeconds: number }>()

  /** Creates a memory that continues with the data of an earlier one. */
  static of(before: RememberedAlerts): AlertMemory {
    const memory = new AlertMemory()
    for (const [content, sighting] of before.seen) memory.seen.set(content, sighting)
    for (const [id, owner] of before.owners) memory.owners.set(id, owner)
    for (const [feed, ids] of before.feeds) memory.feeds.set(feed, ids)
    return memory
  }

  /** The remembered data. The caller must copy it, because it changes later. */
  get remembered(): RememberedAlerts {
    const { seen, owners, feeds } = this
    return { seen, owners, feeds }
  }

  /**
   * @param before first sightings that an earlier process saved. Their content counts as seen until now, even if that
   * process ended long ago
   */
  constructor(before: FirstSightings = {}, nowSeconds = 0) {
    for (const [content, firstSeconds] of Object.entries(before)) {
      this.seen.set(content, { firstSeconds, lastSeconds: nowSeconds })
    }
  }

  /**
   * The first sightings to save for the next process; undefined if they have not changed since `takeChanges` was last
   * called.
   */
  takeChanges(): FirstSightings | undefined {
    if (!this.hasChanged) return undefined
    this.hasChanged = false
    return Object.fromEntries([...this.seen].map(([content, { firstSeconds }]) => [content, firstSeconds]))
  }

  /** The time at which content was first seen. For new content, this is the current time. */
  firstSeen(content: string, nowSeconds: number): number {
    const known = this.seen.get(content)
    const sighting = known ?? { firstSeconds: nowSeconds, lastSeconds: nowSeconds }
    sighting.lastSeconds = nowSeconds
    this.present.add(sighting)
    if (known === undefined) {
      this.seen.set(content, sighting)
      this.hasChanged = true
    }
    return sighting.firstSeconds
  }

  /**
   * Claims an entity id for a feed. Returns whether the feed owns the id. The first feed that uses an id owns it, even
   * while requests to that feed fail.
   */
  claim(id: string, feed: string, nowSeconds: number): boolean {
    const known = this.owners.get(id)
    if (known !== undefined && known.feed !== feed) return false
    const owner = known ?? { feed, lastSeconds: nowSeconds }
    owner.lastSeconds = nowSeconds
    this.present.add(owner)
    if (known === undefined) this.owners.set(id, owner)
    return true
  }

  /** Whether a feed's entity ids are stable, according to these ids and those of earlier readings. */
  hasStableIds(feed: string, ids: IdsOfContent): boolean {
    const known = this.feeds.get(feed)
    if (known === undefined) {
      this.feeds.set(feed, { ids, renumbered: 0 })
      return true
    }
    for (const [content, now] of ids) {
      const before = known.ids.get(content)
      if (before !== undefined && !now.some((id) => before.includes(id))) known.renumbered++
    }
    known.ids = ids
    return known.renumbered < RENUMBERED_TIMES
  }

  /** Starts a reading. Its alerts count as present until the next reading starts. */
  begin(): void {
    this.present.clear()
  }

  /** Records that all content and ids in the last reading were present until a later time. */
  prolong(untilSeconds: number): void {
    for (const sighting of this.present) sighting.lastSeconds = untilSeconds
  }

  /** Forgets content and ids that have not been seen for more than FORGET_SECONDS. */
  forget(nowSeconds: number): void {
    for (const sightings of [this.seen, this.owners]) {
      for (const [key, { lastSeconds }] of sightings) {
        if (nowSeconds - lastSeconds <= FORGET_SECONDS) continue
        sightings.delete(key)
        this.hasChanged ||= sightings === this.seen
      }
    }
  }
}
