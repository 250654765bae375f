// Keeps the best hits of a search in order. Most hits are worse than the last one kept and cost one comparison.
import type { EntryHit, EntryIndex } from './place-set.ts'

/** A bounded list, best first; ties by place number. One hit per place and house. */
export class BestHits {
  private readonly limit: number
  private readonly hits: EntryHit[] = []

  constructor(limit: number) {
    this.limit = limit
  }

  get count(): number {
    return this.hits.length
  }

  /** A hit below this score is not kept; 0 while there is room. */
  get leastScore(): number {
    return this.hits.length < this.limit ? 0 : (this.hits.at(-1)?.score ?? 0)
  }

  add(hit: EntryHit): void {
    const { hits } = this
    const worst = hits.at(-1)
    if (hits.length === this.limit && worst !== undefined && compare(worst, hit) <= 0) return
    const known = hits.findIndex(({ entry, house }) => entry === hit.entry && house === hit.house)
    if (known >= 0) {
      if (compare(hits[known], hit) <= 0) return
      hits.splice(known, 1)
    }
    let at = hits.length
    while (at > 0 && compare(hits[at - 1], hit) > 0) at--
    hits.splice(at, 0, hit)
    if (hits.length > this.limit) hits.pop()
  }

  list(): readonly EntryHit[] {
    return this.hits
  }
}

function compare(a: EntryHit, b: EntryHit): number {
  return b.score - a.score || a.entry - b.entry || (a.house as EntryIndex) - b.house
}
