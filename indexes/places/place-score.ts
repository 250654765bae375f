// How good a hit is, as one number from 0 to 1. The way a query names a place decides; what is there and how near it is
// only order what is named alike.
import type { Tier } from './name-claims.ts'

/** The stop's own code, as typed. */
export const CODE_SCORE = 1

/** From and to which score a tier reaches. */
const BANDS: Readonly<Record<Tier, { readonly low: number; readonly high: number }>> = {
  equal: { low: 0.94, high: 0.99 },
  same_words: { low: 0.88, high: 0.93 },
  starts: { low: 0.77, high: 0.87 },
  core_equal: { low: 0.71, high: 0.76 },
  core_starts: { low: 0.6, high: 0.7 },
  anywhere: { low: 0.4, high: 0.59 },
  none: { low: 0, high: 0 },
}

/** What is left of a score for each word that fits only with a slip. */
const SLIP_SHARE = 0.6
/** For each word that fits nothing. */
const MISSING_SHARE = 0.4
/** Where a number was asked for that is not there. */
const NUMBER_SHARE = 0.9
/** Where the number is there but not with its suffix. */
const SUFFIX_SHARE = 0.97

/** Part of the band that nearness decides, where a point is given; importance has the rest. */
const NEAR_PART = 0.85
/** Half of nearness fades over a short walk, half over a region. */
const WALK_METERS = 500
const REGION_METERS = 20_000

/** What a score is made of. */
export interface HitParts {
  readonly tier: Tier
  /** Part of the name that the query has, 0 to 1. */
  readonly coverage: number
  /** Of `rankOf`. */
  readonly rank: number
  /** Words that fit with a slip, and words that fit nothing. */
  readonly slips: number
  readonly missing: number
  readonly isNumberMissing: boolean
  readonly isSuffixMissing: boolean
}

/** The score. */
export function scoreOf(parts: HitParts): number {
  const { low, high } = BANDS[parts.tier]
  const { rank, slips, missing } = parts
  // Anywhere in a name, how much of it is meant says more than what is there.
  const within = parts.tier === 'anywhere' ? (parts.coverage + rank) / 2 : rank
  return (
    (low + (high - low) * within) *
    (slips === 0 ? 1 : SLIP_SHARE ** slips) *
    (missing === 0 ? 1 : MISSING_SHARE ** missing) *
    (parts.isNumberMissing ? NUMBER_SHARE : 1) *
    (parts.isSuffixMissing ? SUFFIX_SHARE : 1)
  )
}

/** Among places named alike: 0 to 1 by importance (0 to 255) and, where a point is given, distance. */
export function rankOf(importance: number, distanceMeters: number | undefined): number {
  const share = importance / 255
  return distanceMeters === undefined ? share : NEAR_PART * nearness(distanceMeters) + (1 - NEAR_PART) * share
}

/** What a place of a rank scores at most: one whose name has more words than the query is not named whole. */
export function scoreLimit(rank: number, canBeWhole: boolean): number {
  const { low, high } = canBeWhole ? BANDS.equal : BANDS.starts
  return low + (high - low) * rank
}

function nearness(meters: number): number {
  return (Math.exp(-meters / WALK_METERS) + Math.exp(-meters / REGION_METERS)) / 2
}
