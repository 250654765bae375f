// Upper bounds for the scores of a name's places, from a few columns. They exclude most names of a frequent word
// without assigning words.
import { NONE } from '../../loaders/columns.ts'
import { countBits } from '../text/edit-distance.ts'
import { firstToken, type NameIndex } from '../text/name-index.ts'
import { EXPANSION, fitOf, NO_MATCH, type WordMatches } from '../text/word-matches.ts'
import type { Tier } from './name-claims.ts'
import { BEGUN_TOWN_SHARE, matchScore } from './place-score.ts'

/** Bounds that apply to all hits of a pass over names. */
export interface PassLimits {
  /** Highest factor of any hit of the pass. */
  readonly share: number
  /** Whether all names that match in full were found before. */
  readonly isWholeDone: boolean
  /** Whether every hit uses a word that only starts its town's name. */
  readonly isTownBegun: boolean
}

/** The limits of the names of one pass. */
export class NameLimits {
  /** Whether all names that start with a word of the query were found before. */
  isStartDone = false
  private readonly names: NameIndex
  private matches: readonly WordMatches[] = []
  private pass: PassLimits = { share: 1, isWholeDone: false, isTownBegun: false }

  constructor(names: NameIndex) {
    this.names = names
  }

  begin(matches: readonly WordMatches[], pass: PassLimits): void {
    this.matches = matches
    this.pass = pass
  }

  /** The limit of any name whose best place has this rank. */
  ofAny(rank: number): number {
    const { isWholeDone } = this.pass
    const best = this.limit(isWholeDone ? (this.isStartDone ? 'core_equal' : 'starts') : 'equal', rank)
    return this.pass.isTownBegun ? Math.max(best, this.limit('core_equal', rank)) : best
  }

  /** The limit of a name whose best place has this rank. */
  of(name: number, rank: number): number {
    const tier = this.tierOf(name)
    // Unlike an unfinished name, a fully named one is not reduced.
    return tier === 'starts' && this.pass.isTownBegun
      ? Math.max(this.limit(tier, rank), this.limit('core_equal', rank))
      : this.limit(tier, rank)
  }

  private limit(tier: Tier, rank: number): number {
    const { share, isTownBegun } = this.pass
    const isReduced = isTownBegun && tier !== 'equal' && tier !== 'core_equal'
    return matchScore({ tier, coverage: 1, rank }) * share * (isReduced ? BEGUN_TOWN_SHARE : 1)
  }

  /** The best tier that the first and the first significant word allow. */
  private tierOf(name: number): Tier {
    const { names, matches, pass } = this
    const wordCount = names.nameWords[name]
    const hasAlternatives = names.nameOffset[name + 1] - names.nameOffset[name] !== wordCount
    if (!pass.isWholeDone && wordCount <= matches.length) return 'equal'
    if (hasAlternatives || this.fit(firstToken(names, name)) !== NO_MATCH) return 'starts'
    const fit = this.fit(names.coreToken[name])
    if (fit === NO_MATCH) return 'anywhere'
    const mayBeEqual = (fit >= EXPANSION || pass.share !== 1) && countBits(names.nameCore[name]) <= matches.length
    return mayBeEqual ? 'core_equal' : 'core_starts'
  }

  private fit(token: number): number {
    if (token === NONE) return NO_MATCH
    let best = NO_MATCH
    for (const match of this.matches) best = Math.max(best, fitOf(match, token))
    return best
  }
}
