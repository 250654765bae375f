// The hits of the place scorer, and functions that sort them and pick the best.

/** A hit; `house` is undefined for a whole street. */
export interface ScoredHit {
  readonly street: number
  readonly house: number | undefined
  readonly score: number
}

/** A key that is unique to each street and house. */
export function keyOf({ street, house }: ScoredHit): string {
  return `${street} ${house}`
}

/** The best `count` hits, best first. */
export function bestFew(hits: readonly ScoredHit[], count: number): readonly ScoredHit[] {
  const least =
    Float64Array.from(hits, ({ score }) => score)
      .sort()
      .at(-count) ?? 0
  return sorted(hits.filter(({ score }) => score >= least)).slice(0, count)
}

/** The best hit for each street and house. */
export function bestOfEach(hits: readonly ScoredHit[]): ScoredHit[] {
  const best = new Map<string, ScoredHit>()
  for (const hit of hits) if (hit.score > (best.get(keyOf(hit))?.score ?? 0)) best.set(keyOf(hit), hit)
  return [...best.values()]
}

/** The hits sorted by score, best first. Hits with the same score are sorted by street, then by house. */
export function sorted(hits: readonly ScoredHit[]): ScoredHit[] {
  return [...hits].sort(
    (a, b) => b.score - a.score || a.street - b.street || (a.house ?? 2 ** 32) - (b.house ?? 2 ** 32),
  )
}
