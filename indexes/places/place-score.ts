// Scores a hit from 0 to 1. The score depends first on how well the query matches the name. Among equal matches, it
// depends on importance and distance.
/** Score of a stop whose code equals the query. */
export const CODE_SCORE = 1

/** How well a query matches a name, best first. A tier is a number, because it is used as an array index. */
export type Tier = 0 | 1 | 2 | 3 | 4 | 5 | 6
/** The query has all words of the name, in order. */
export const EQUAL = 0
/** The query has all words of the name, in another order. */
export const SAME_WORDS = 1
/** The query is a prefix of the name. */
export const STARTS = 2
/** The query has all significant words of the name: `paix` for `Rue de la Paix`. */
export const CORE_EQUAL = 3
/** The query is a prefix of the name's significant words. */
export const CORE_STARTS = 4
/** The query has only some words of the name. */
export const ANYWHERE = 5
/** No match. */
export const NO_TIER = 6

/** Lowest and highest score of each tier, from EQUAL to NO_TIER. */
const LOWEST = Float64Array.of(0.94, 0.88, 0.77, 0.71, 0.6, 0.4, 0)
const HIGHEST = Float64Array.of(0.99, 0.93, 0.87, 0.76, 0.7, 0.59, 0)

/** A hit with at least this score has all significant words of the query, and its house number. */
export const NAMED_SCORE = 0.7

/** Factor for each word with one wrong letter that is not the first letter. */
export const SLIP_SHARE = 0.6
/** Factor for each word with two wrong letters or a wrong first letter. */
const FAR_SLIP_SHARE = 0.55
/** Factor for each misspelled word in the town's name. */
export const TOWN_SLIP_SHARE = 0.65
/** Factor for hits whose words were joined or split. */
export const JOINED_SHARE = 0.85
/** Factor for each unmatched word. */
export const MISSING_SHARE = 0.4
/**
 * Factor for each unmatched generic word, such as `station`. Hits without the word rank below full matches and above
 * hits that lack other words.
 */
export const EXTRA_TYPE_SHARE = 0.7
/** Factor for each unmatched article or preposition. */
export const EXTRA_LINK_SHARE = 0.9
/**
 * Factor if the query lacks significant words of the hit's name, and has only the start of a word in the town's name.
 */
export const BEGUN_TOWN_SHARE = 0.88
/** Factor if the house number in the query does not exist. */
export const NUMBER_SHARE = 0.9
/** Factor if the house number exists, but not with the suffix in the query. */
const SUFFIX_SHARE = 0.97

/** Share of a tier's score range that depends on distance, if a point is given. The rest depends on importance. */
const NEAR_PART = 0.85
/** Nearness is the mean of two terms: the first decreases within a short walk, the second within a region. */
const WALK_METERS = 500
const REGION_METERS = 20_000

/** A place beyond this distance comes after all nearer places, unless the query names its town. */
const FAR_METERS = 100_000
/** Factor for far places, so small that they come after all other places that match as typed. */
export const FAR_SHARE = 0.2

/** Whether a place is far from the given point. */
export function isFar(meters: number): boolean {
  return meters > FAR_METERS
}

/** The values from which a score is computed. */
export interface HitParts {
  readonly tier: Tier
  /** Share of the name's words that are in the query, 0 to 1. */
  readonly coverage: number
  /** Rank among equal matches, 0 to 1; see `rankOf`. */
  readonly rank: number
  /** Factor for misspelled words; see `slipShare`. */
  readonly slipShare: number
  /** Number of unmatched words. */
  readonly missing: number
  /** Factor for unmatched generic words. */
  readonly extraShare: number
  /** Whether the query has only the start of a word in the town's name. */
  readonly isTownBegun: boolean
  readonly isNumberMissing: boolean
  readonly isSuffixMissing: boolean
}

/** Computes the score of a hit, from 0 to 1. */
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
  // If the query has only some words of the name, the coverage counts as much as the rank.
  return low + (HIGHEST[tier] - low) * (tier === ANYWHERE ? (coverage + rank) / 2 : rank)
}

/** Whether the query has all significant words of the name, so that its other words may belong to the town. */
function isNamed(tier: Tier): boolean {
  return tier === EQUAL || tier === SAME_WORDS || tier === CORE_EQUAL
}

/**
 * Factor for misspelled words. `near` and `far` are the numbers of misspelled words in the name, by the size of the
 * error; `ofTown` is the number of misspelled words in the town's name.
 */
export function slipShare(near: number, far: number, ofTown: number): number {
  return near + far + ofTown === 0 ? 1 : SLIP_SHARE ** near * FAR_SLIP_SHARE ** far * TOWN_SLIP_SHARE ** ofTown
}

/** Rank among equal matches, from 0 to 1, by importance (0 to 255) and, if a point is given, by distance. */
export function rankOf(importance: number, distanceMeters: number | undefined): number {
  const share = importance / 255
  return distanceMeters === undefined ? share : NEAR_PART * nearness(distanceMeters) + (1 - NEAR_PART) * share
}

function nearness(meters: number): number {
  return (Math.exp(-meters / WALK_METERS) + Math.exp(-meters / REGION_METERS)) / 2
}
