// Computes the score of a street for a query. If the names, towns and postcodes of several streets match the query in
// the same way, the scores differ only by the streets' rank. Part of the place scorer.
import { type Claim, isBegun, type Tier, type TownReading } from './place-claims.ts'
import type { Rest } from './place-rest.ts'

const BANDS: Readonly<Record<Tier, readonly [low: number, high: number]>> = {
  equal: [0.94, 0.99],
  same_words: [0.88, 0.93],
  starts: [0.77, 0.87],
  core_equal: [0.71, 0.76],
  core_starts: [0.6, 0.7],
  anywhere: [0.4, 0.59],
}

/** What the search tolerates in one attempt to match the query. */
export interface Rules {
  /** Query word → whether it may be misspelled. */
  readonly slipped: readonly boolean[]
  readonly missing: number
  /** Whether the query may have generic words that match nothing. */
  readonly allowsExtra: boolean
}

/** The part of the scoring that is the same for all streets that match the query in the same way. */
export interface StreetScoring {
  readonly claim: Claim
  readonly rest: Rest
  readonly isSuffixRead: boolean
  /** Factor by which the name's score is multiplied. */
  readonly factor: number
}

/** The scoring of streets that match the query in the given way; undefined if such streets are not hits. */
export function readStreet(of: {
  readonly claim: Claim
  readonly rest: Rest
  readonly town: TownReading
  readonly isSuffixRead: boolean
  readonly rules: Rules
}): StreetScoring | undefined {
  const { claim, rest, town, isSuffixRead, rules } = of
  if (rest.missing > rules.missing || (rest.extra < 1 && !rules.allowsExtra)) return undefined
  if ((rest.missing > 0 || rest.extra < 1) && !claim.hasCore) return undefined
  const { tier } = claim
  const isNamed = tier === 'equal' || tier === 'same_words' || tier === 'core_equal'
  const townWords = rest.isTown.flatMap((isTown, at) => (isTown ? [at] : []))
  const factor =
    0.6 ** claim.nearSlips *
    0.55 ** claim.farSlips *
    0.65 ** townWords.filter((at) => town.isSlip[at]).length *
    0.4 ** rest.missing *
    rest.extra *
    (townWords.length > 0 && !isNamed && isBegun(townWords, town) ? 0.88 : 1)
  return { claim, rest, isSuffixRead, factor }
}

/** The score of a street. @param rank importance of the street, 0 to 1 */
export function scoreBy({ claim, factor }: StreetScoring, rank: number): number {
  const [low, high] = BANDS[claim.tier]
  return (low + (high - low) * (claim.tier === 'anywhere' ? (claim.coverage + rank) / 2 : rank)) * factor
}
