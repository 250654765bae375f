// Keeps the best hits of a search in order. Most hits are worse than the last one kept and cost one comparison.
import { NONE } from '../../loaders/columns.ts'
import type { EntryHit, EntryIndex } from './place-set.ts'

/**
 * A bounded list, best first; ties by place number. One hit per place and house; places that share an id count once.
 */
export class BestHits {
  /** A hit below this score is not kept. */
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

  /** Keeps no further hits below this score, even while there is room. */
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
