// Upper bounds for the scores of a name's places, computed from a few columns. With these bounds, most names that
// contain a frequent word are excluded early. This avoids assigning words to them, which is slow.
import { NONE } from '../../loaders/columns.ts'
import { countBits } from '../text/edit-distance.ts'
import { firstToken, type NameIndex } from '../text/name-index.ts'
import { EXPANSION, fitOf, NO_MATCH, type WordMatches } from '../text/word-matches.ts'
import {
  ANYWHERE,
  BEGUN_TOWN_SHARE,
  CORE_EQUAL,
  CORE_STARTS,
  EQUAL,
  matchScore,
  STARTS,
  type Tier,
} from './place-score.ts'

/** The score limits of names in one pass of a search. */
export class NameLimits {
  /** Whether all names that start with a word of the query have been visited. */
  isStartDone = false
  /** Whether all names that match in full have been visited. */
  isWholeDone = false
  /** Whether, in every hit, words of the query name the town only incompletely; see `TownMarks.isBegun`. */
  isTownBegun = false
  private readonly names: NameIndex
  private matches: readonly WordMatches[] = []
  /** Upper bound for the factor by which the score of a hit is multiplied in this pass. */
  private share = 1

  constructor(names: NameIndex) {
    this.names = names
  }

  begin(matches: readonly WordMatches[], share: number): void {
    this.matches = matches
    this.share = share
  }

  /** Score limit of any name whose best place has this rank. */
  ofAny(rank: number): number {
    const best = this.limit(this.isWholeDone ? (this.isStartDone ? CORE_EQUAL : STARTS) : EQUAL, rank)
    return this.isTownBegun ? Math.max(best, this.limit(CORE_EQUAL, rank)) : best
  }

  /** Score limit of this name, whose best place has this rank. */
  of(name: number, rank: number): number {
    const tier = this.tierOf(name)
    // The score of a STARTS match is reduced and that of a CORE_EQUAL match is not, so the CORE_EQUAL limit may be the
    // higher one.
    return tier === STARTS && this.isTownBegun
      ? Math.max(this.limit(tier, rank), this.limit(CORE_EQUAL, rank))
      : this.limit(tier, rank)
  }

  private limit(tier: Tier, rank: number): number {
    const { share, isTownBegun } = this
    const isReduced = isTownBegun && tier !== EQUAL && tier !== CORE_EQUAL
    return matchScore(tier, rank, 1) * share * (isReduced ? BEGUN_TOWN_SHARE : 1)
  }

  /** The best possible tier, judging by the name's first word and its first significant word. */
  private tierOf(name: number): Tier {
    const { names, matches, share, isWholeDone } = this
    const wordCount = names.nameWords[name]
    const hasAlternatives = names.nameOffset[name + 1] - names.nameOffset[name] !== wordCount
    if (!isWholeDone && wordCount <= matches.length) return EQUAL
    if (hasAlternatives || this.fit(firstToken(names, name)) !== NO_MATCH) return STARTS
    const fit = this.fit(names.coreToken[name])
    if (fit === NO_MATCH) return ANYWHERE
    const mayBeEqual = (fit >= EXPANSION || share !== 1) && countBits(names.nameCore[name]) <= matches.length
    return mayBeEqual ? CORE_EQUAL : CORE_STARTS
  }

  private fit(token: number): number {
    if (token === NONE) return NO_MATCH
    let best = NO_MATCH
    for (const match of this.matches) best = Math.max(best, fitOf(match, token))
    return best
  }
}
