// Scores a hit from 0 to 1. The match between query and name comes first; importance and distance only order equal
// matches.
/** The stop's own code, as typed. */
export const CODE_SCORE = 1

/** How a query matches a name, best first. Numbers, since every candidate looks its band up. */
export type Tier = 0 | 1 | 2 | 3 | 4 | 5 | 6
/** All words of the name, in order. */
export const EQUAL = 0
/** All words of the name, in another order. */
export const SAME_WORDS = 1
/** A prefix of the name. */
export const STARTS = 2
/** All its significant words: `paix` for `Rue de la Paix`. */
export const CORE_EQUAL = 3
/** A prefix of its significant words. */
export const CORE_STARTS = 4
/** Only some of its words. */
export const ANYWHERE = 5
/** No match. */
export const NO_TIER = 6

/** Lowest and highest score of each tier. */
const LOWEST = Float64Array.of(0.94, 0.88, 0.77, 0.71, 0.6, 0.4, 0)
const HIGHEST = Float64Array.of(0.99, 0.93, 0.87, 0.76, 0.7, 0.59, 0)

/** A hit with at least this score matches all significant words and the number. */
export const NAMED_SCORE = 0.7

/** Factor for each word with one wrong letter, and for each with two or with a wrong first letter. */
export const SLIP_SHARE = 0.6
const FAR_SLIP_SHARE = 0.55
/** Factor for each misspelled word of the town. */
export const TOWN_SLIP_SHARE = 0.65
/** Factor if words were run together or split. */
export const JOINED_SHARE = 0.85
/** Factor for each unmatched word. */
export const MISSING_SHARE = 0.4
/**
 * Factor for each unmatched type of place, such as `station`: ranks below names with all words, above partial matches.
 */
export const EXTRA_TYPE_SHARE = 0.7
/** Factor for each unmatched article or preposition. */
export const EXTRA_LINK_SHARE = 0.9
/** Factor if the name is unfinished and a word that only starts the town's name is used for the town. */
export const BEGUN_TOWN_SHARE = 0.88
/** Factor if the requested number does not exist. */
export const NUMBER_SHARE = 0.9
/** Factor if the number exists, but not with its suffix. */
const SUFFIX_SHARE = 0.97

/** Share of the band for distance if a point is given; the rest is for importance. */
const NEAR_PART = 0.85
/** Half of nearness decreases over a short walk, the other half over a region. */
const WALK_METERS = 500
const REGION_METERS = 20_000

/** A place beyond this distance comes after all nearer ones, unless the query names its town. */
const FAR_METERS = 100_000
/** Factor for such places: below the lowest score of others that match as typed. */
export const FAR_SHARE = 0.2

/** Whether a place is far from the point that was given. */
export function isFar(meters: number): boolean {
  return meters > FAR_METERS
}

/** The inputs of a score. */
export interface HitParts {
  readonly tier: Tier
  /** Share of the name that the query matches, 0 to 1. */
  readonly coverage: number
  /** See `rankOf`. */
  readonly rank: number
  /** Factor for misspelled words; see `slipShare`. */
  readonly slipShare: number
  /** Number of unmatched words. */
  readonly missing: number
  /** Factor for unmatched generic words. */
  readonly extraShare: number
  /** Whether a word that only starts the town's name is used for the town. */
  readonly isTownBegun: boolean
  readonly isNumberMissing: boolean
  readonly isSuffixMissing: boolean
}

/** The score. */
export function scoreOf(parts: HitParts): number {
  const { missing } = parts
  return (
    matchScore(parts.tier, parts.rank, parts.coverage) *
    parts.slipShare *
    (missing === 0 ? 1 : MISSING_SHARE ** missing) *
    parts.extraShare *
    (parts.isTownBegun && !isNamed(parts.tier) ? BEGUN_TOWN_SHARE : 1) *
    (parts.isNumberMissing ? NUMBER_SHARE : 1) *
    (parts.isSuffixMissing ? SUFFIX_SHARE : 1)
  )
}

/** The score of a match without any reduction. */
export function matchScore(tier: Tier, rank: number, coverage: number): number {
  const low = LOWEST[tier]
  // For matches inside a name, the matched share counts more than importance.
  return low + (HIGHEST[tier] - low) * (tier === ANYWHERE ? (coverage + rank) / 2 : rank)
}

/** Whether all significant words of the name are typed, so that words of the town may follow. */
function isNamed(tier: Tier): boolean {
  return tier === EQUAL || tier === SAME_WORDS || tier === CORE_EQUAL
}

/** Factor for misspelled words of the name, and of the town. */
export function slipShare(near: number, far: number, ofTown: number): number {
  return near + far + ofTown === 0 ? 1 : SLIP_SHARE ** near * FAR_SLIP_SHARE ** far * TOWN_SLIP_SHARE ** ofTown
}

/** Rank among equal matches, from 0 to 1: by importance (0 to 255) and, if a point is given, by distance. */
export function rankOf(importance: number, distanceMeters: number | undefined): number {
  const share = importance / 255
  return distanceMeters === undefined ? share : NEAR_PART * nearness(distanceMeters) + (1 - NEAR_PART) * share
}

function nearness(meters: number): number {
  return (Math.exp(-meters / WALK_METERS) + Math.exp(-meters / REGION_METERS)) / 2
}
