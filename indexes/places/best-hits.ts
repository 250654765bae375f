// Collects the best hits of a search, best first. Most hits are worse than the last hit of the full list; rejecting
// such a hit costs one comparison.
import { NONE } from '../../loaders/columns.ts'
import type { EntryHit, EntryIndex } from './place-set.ts'

/**
 * A bounded list of hits, best first; ties are ordered by place number. Each place or house has at most one hit, and
 * places that share an id count as one.
 */
export class BestHits {
  /** The minimum score that a further hit needs. */
  leastScore = 0
  private readonly limit: number
  private readonly idOf: (entry: EntryIndex) => number
  private readonly hits: EntryHit[] = []

  constructor(limit: number, idOf: (entry: EntryIndex) => number = (entry) => entry) {
    this.limit = limit
    this.idOf = idOf
  }

  get count(): number {
    return this.hits.length
  }

  /** Raises the minimum score of further hits, even if the list is not full. */
  raise(least: number): void {
    this.leastScore = Math.max(this.leastScore, least)
  }

  add(hit: EntryHit): void {
    const { hits } = this
    if (hits.length === this.limit && compare(hits[this.limit - 1], hit) <= 0) return
    const known = this.findKnown(hit)
    if (known >= 0) {
      if (compare(hits[known], hit) <= 0) return
      hits.splice(known, 1)
    }
    let at = hits.length
    while (at > 0 && compare(hits[at - 1], hit) > 0) at--
    hits.splice(at, 0, hit)
    if (hits.length > this.limit) hits.pop()
    if (hits.length === this.limit) this.raise(hits[this.limit - 1].score)
  }

  private findKnown({ entry, house }: EntryHit): number {
    const { hits, idOf } = this
    if (house !== NONE) return hits.findIndex((hit) => hit.entry === entry && hit.house === house)
    const id = idOf(entry)
    return hits.findIndex((hit) => hit.house === NONE && idOf(hit.entry) === id)
  }

  list(): readonly EntryHit[] {
    return this.hits
  }
}

function compare(a: EntryHit, b: EntryHit): number {
  return b.score - a.score || a.entry - b.entry || a.house - b.house
}
