// What is remembered of a network's alerts between readings and between snapshots: when each content was first seen,
// whether a feed's ids are stable, and which feed owns which id.

/**
 * Content that was absent for longer counts as new when it returns. This is long enough for most failures of a feed's
 * server.
 */
const FORGET_SECONDS = 3600
/**
 * A feed has unstable ids if the ids of known content changed this often. A single change may be an alert that was
 * reissued.
 */
const RENUMBERED_TIMES = 2

/** The alerts of one feed in one reading: content → the entity ids it had. */
export type IdsOfContent = ReadonlyMap<string, readonly string[]>

interface Sighting {
  readonly firstSeconds: number
  lastSeconds: number
}

interface FeedIds {
  ids: IdsOfContent
  renumbered: number
}

/** Content → when it was first seen, in seconds after 1970. Must be stored, because it has to outlive the process. */
export type FirstSightings = Readonly<Record<string, number>>

/** All that is remembered of a network's alerts. */
export interface RememberedAlerts {
  readonly seen: ReadonlyMap<string, Sighting>
  readonly owners: ReadonlyMap<string, { readonly feed: string; lastSeconds: number }>
  readonly feeds: ReadonlyMap<string, FeedIds>
}

/** The memory of one network's alerts. */
export class AlertMemory {
  private readonly seen = new Map<string, Sighting>()
  private hasChanged = false
  private readonly owners = new Map<string, { readonly feed: string; lastSeconds: number }>()
  private readonly feeds = new Map<string, FeedIds>()
  /** The entries that the last reading used. */
  private readonly present = new Set<{ lastSeconds: number }>()

  /**
   * Continues an earlier memory.
   * @param before must not be in use by another memory
   */
  static of(before: RememberedAlerts): AlertMemory {
    const memory = new AlertMemory()
    for (const [content, sighting] of before.seen) memory.seen.set(content, sighting)
    for (const [id, owner] of before.owners) memory.owners.set(id, owner)
    for (const [feed, ids] of before.feeds) memory.feeds.set(feed, ids)
    return memory
  }

  /** Everything that is remembered. The caller must copy it, because it changes later. */
  get remembered(): RememberedAlerts {
    const { seen, owners, feeds } = this
    return { seen, owners, feeds }
  }

  /** @param before first sightings of an earlier process, which count as seen until now, even if it ended long ago */
  constructor(before: FirstSightings = {}, nowSeconds = 0) {
    for (const [content, firstSeconds] of Object.entries(before)) {
      this.seen.set(content, { firstSeconds, lastSeconds: nowSeconds })
    }
  }

  /** The first sightings to save for the next process, if they changed since the last call. */
  takeChanges(): FirstSightings | undefined {
    if (!this.hasChanged) return undefined
    this.hasChanged = false
    return Object.fromEntries([...this.seen].map(([content, { firstSeconds }]) => [content, firstSeconds]))
  }

  /** When content was first seen. This is now if the content is new. */
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

  /** Whether this feed owns an id. The first feed that uses an id owns it, even while that feed fails. */
  claim(id: string, feed: string, nowSeconds: number): boolean {
    const known = this.owners.get(id)
    if (known !== undefined && known.feed !== feed) return false
    const owner = known ?? { feed, lastSeconds: nowSeconds }
    owner.lastSeconds = nowSeconds
    this.present.add(owner)
    if (known === undefined) this.owners.set(id, owner)
    return true
  }

  /** Whether a feed's entity ids are stable, according to this and earlier readings. */
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

  /** Starts a reading. The alerts that it sees stay present until the next reading. */
  begin(): void {
    this.present.clear()
  }

  /** Records that everything that the last reading saw was present until a later instant. */
  prolong(untilSeconds: number): void {
    for (const sighting of this.present) sighting.lastSeconds = untilSeconds
  }

  /** Forgets everything that was not seen for FORGET_SECONDS. */
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
