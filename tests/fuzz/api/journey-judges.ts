// Judges the parameters of a journey by the contract, one by one and together: the origin and the destination must be
// in one network, only one time may be given, and the planner must be available. Shares no code with the parser.
import type { KnownIds } from './route-expectations.ts'
import { type Judge, judgeMoment, judgePoint, type Verdict } from './value-judges.ts'

const LONGEST_END = 200
const LONGEST_NETWORK = 64

const countOf = (text: string): number => Array.from(text).length

/**
 * Judges only the length of a text. The contract does not say whether spaces at its start and end count, so the verdict
 * is `open` if it depends on them.
 */
function judgeLength(text: string, longest: number): Verdict {
  const inner = text.trim()
  if (inner === '') return text === ' '.repeat(text.length) ? 'refused' : 'open'
  if (countOf(text) <= longest) return 'allowed'
  return countOf(inner) > longest ? 'refused' : 'open'
}

const isNumeric = (text: string): boolean => text !== '' && Number.isFinite(Number(text))

/**
 * Judges the origin or destination of a journey: an id that exists or not, or a point that may be outside of the valid
 * degrees. Other texts are left open, because they may be names of places.
 */
export function judgeEnd(ids: KnownIds): Judge {
  return (text) => {
    const length = judgeLength(text, LONGEST_END)
    if (length !== 'allowed') return length
    if (ids.stops.has(text)) return 'allowed'
    const [network = '', kind = '', ...rest] = text.split(':')
    const isOfNetwork = [...ids.networks, 'nowhere'].includes(network)
    if (isOfNetwork && (kind === 'stop' || kind === 'area') && rest.join(':') !== '') {
      return text.trim() === text ? 'refused' : 'open'
    }
    const numbers = text.split(',')
    const isPoint = numbers.length === 2 && numbers.every((each) => /^[\d.+-]+$/.test(each) && isNumeric(each))
    return isPoint && judgePoint(text) === 'refused' ? 'refused' : 'open'
  }
}

/** Judges `arrive_by`: a time, or a boolean, which says whether `when` is the time of arrival. */
export const judgeArrival: Judge = (text) => {
  if (text === 'true' || text === 'false') return 'allowed'
  return text === 'now' ? 'refused' : judgeMoment(text)
}

/** Judges the slug of one network. */
export function judgeNetwork(known: readonly string[], late: readonly string[]): Judge {
  return (text) => {
    const length = judgeLength(text, LONGEST_NETWORK)
    if (length !== 'allowed') return length
    if (known.includes(text)) return 'allowed'
    if (late.includes(text)) return 'late'
    return known.includes(text.trim()) || late.includes(text.trim()) ? 'open' : 'unknown'
  }
}

/** The outcome of parameters that are valid one by one, but perhaps not together. */
export interface JointVerdict {
  /** Reasons for which the request must be refused. The response may also report another fault of the request. */
  readonly refused: readonly ('invalid_location' | 'transit_query_invalid' | 'capability_unsupported')[]
  /** Reasons for which the request may be refused. */
  readonly open: readonly ('invalid_location' | 'not_ready' | 'capability_unsupported')[]
  /** Parameters that the error may name. */
  readonly doubted: readonly string[]
}

/** The values of a journey query by parameter name. No parameter is repeated. */
export type QuestionTexts = ReadonlyMap<string, string>

/** Judges the parameters of a journey query together. */
export function judgeJourney(ids: KnownIds): (texts: QuestionTexts) => JointVerdict {
  return (texts) => {
    const ends = [texts.get('from') ?? '', texts.get('to') ?? '']
    const [from, to] = ends.map((text) => (ids.stops.has(text) ? text.slice(0, text.indexOf(':')) : undefined))
    const network = texts.get('network')
    const requested = network !== undefined && ids.networks.includes(network) ? network : undefined
    const certain = [from, to, requested].filter((slug) => slug !== undefined)
    const isTorn = new Set(certain).size > 1
    const isSure = from !== undefined && to !== undefined && (network === undefined || requested !== undefined)
    const isTwice = texts.has('when') && isInstant(texts.get('arrive_by') ?? '')
    return {
      refused: [
        ...(isTorn ? (['invalid_location'] as const) : []),
        ...(isTwice ? (['transit_query_invalid'] as const) : []),
        ...(texts.get('planner') === 'native' ? (['capability_unsupported'] as const) : []),
      ],
      open: isSure ? [] : ['invalid_location', 'not_ready'],
      doubted: [...(isTorn || !isSure ? ['from', 'to'] : []), ...(isTwice ? ['arrive_by'] : [])],
    }
  }
}

const isInstant = (text: string): boolean => text !== '' && text !== 'true' && text !== 'false'
