// Scores a hit from 0 to 1. The match between query and name comes first; importance and distance only order equal
// matches.
import type { Tier } from './name-claims.ts'

/** The stop's own code, as typed. */
export const CODE_SCORE = 1

/** Lowest and highest score of each tier. */
const BANDS: Readonly<Record<Tier, { readonly low: number; readonly high: number }>> = {
  equal: { low: 0.94, high: 0.99 },
  same_words: { low: 0.88, high: 0.93 },
  starts: { low: 0.77, high: 0.87 },
  core_equal: { low: 0.71, high: 0.76 },
  core_starts: { low: 0.6, high: 0.7 },
  anywhere: { low: 0.4, high: 0.59 },
  none: { low: 0, high: 0 },
}

/** Factor for each misspelled word. */
const SLIP_SHARE = 0.6
/** Factor for each unmatched word. */
const MISSING_SHARE = 0.4
/** Factor if the requested number does not exist. */
const NUMBER_SHARE = 0.9
/** Factor if the number exists, but not with its suffix. */
const SUFFIX_SHARE = 0.97

/** Share of the band for distance, if a point is given; importance has the rest. */
const NEAR_PART = 0.85
/** One half of nearness fades over a short walk, the other over a region. */
const WALK_METERS = 500
const REGION_METERS = 20_000

/** The inputs of a score. */
export interface HitParts {
  readonly tier: Tier
  /** Share of the name that the query matches, 0 to 1. */
  readonly coverage: number
  /** See `rankOf`. */
  readonly rank: number
  /** Numbers of misspelled and unmatched words. */
  readonly slips: number
  readonly missing: number
  readonly isNumberMissing: boolean
  readonly isSuffixMissing: boolean
}

/** The score. */
export function scoreOf(parts: HitParts): number {
  const { low, high } = BANDS[parts.tier]
  const { rank, slips, missing } = parts
  // For matches inside a name, the matched share counts more than importance.
  const within = parts.tier === 'anywhere' ? (parts.coverage + rank) / 2 : rank
  return (
    (low + (high - low) * within) *
    (slips === 0 ? 1 : SLIP_SHARE ** slips) *
    (missing === 0 ? 1 : MISSING_SHARE ** missing) *
    (parts.isNumberMissing ? NUMBER_SHARE : 1) *
    (parts.isSuffixMissing ? SUFFIX_SHARE : 1)
  )
}

/** Among equal matches: 0 to 1 by importance (0 to 255) and, if a point is given, distance. */
export function rankOf(importance: number, distanceMeters: number | undefined): number {
  const share = importance / 255
  return distanceMeters === undefined ? share : NEAR_PART * nearness(distanceMeters) + (1 - NEAR_PART) * share
}

/** Highest possible score of a rank: a name with more words than the query is not matched as a whole. */
export function scoreLimit(rank: number, canBeWhole: boolean): number {
  const { low, high } = canBeWhole ? BANDS.equal : BANDS.starts
  return low + (high - low) * rank
}

function nearness(meters: number): number {
  return (Math.exp(-meters / WALK_METERS) + Math.exp(-meters / REGION_METERS)) / 2
}
