// Judges the parameters of a journey query by the API's contract: each parameter by itself, and the combination. In a
// valid combination, the origin and the destination are in one network, only one time is given, and the planner is
// available. Shares no code with the service's parser.
import type { KnownIds } from './route-expectations.ts'
import { type Judge, judgeMoment, judgePoint, type Verdict } from './value-judges.ts'

const LONGEST_END = 200
const LONGEST_NETWORK = 64

const countOf = (text: string): number => Array.from(text).length

/**
 * Judges only the length of a value. The contract does not say whether leading and trailing spaces count, so the
 * verdict is `open` if it depends on them.
 */
function judgeLength(text: string, longest: number): Verdict {
  const inner = text.trim()
  if (inner === '') return text === ' '.repeat(text.length) ? 'refused' : 'open'
  if (countOf(text) <= longest) return 'allowed'
  return countOf(inner) > longest ? 'refused' : 'open'
}

const isNumeric = (text: string): boolean => text !== '' && Number.isFinite(Number(text))

/**
 * Judges the origin or destination of a journey. An id is allowed if it exists, and is otherwise refused. A point with
 * invalid degrees is refused. For any other value, the verdict is `open`, because it may be the name of a place.
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

/** Judges `arrive_by`: either a time, or a boolean that says whether `when` is the arrival time. */
export const judgeArrival: Judge = (text) => {
  if (text === 'true' || text === 'false') return 'allowed'
  return text === 'now' ? 'refused' : judgeMoment(text)
}

/** Judges the parameter `network`, which is a single slug. */
export function judgeNetwork(known: readonly string[], late: readonly string[]): Judge {
  return (text) => {
    const length = judgeLength(text, LONGEST_NETWORK)
    if (length !== 'allowed') return length
    if (known.includes(text)) return 'allowed'
    if (late.includes(text)) return 'late'
    return known.includes(text.trim()) || late.includes(text.trim()) ? 'open' : 'unknown'
  }
}

/** The verdict on parameters that are each valid, but perhaps not together. */
export interface JointVerdict {
  /** Reasons why the request must be refused. The response may report a different fault of the request instead. */
  readonly refused: readonly ('invalid_location' | 'transit_query_invalid' | 'capability_unsupported')[]
  /** Reasons why the request may be refused. */
  readonly open: readonly ('invalid_location' | 'not_ready' | 'capability_unsupported')[]
  /** Parameters that the error may name. */
  readonly doubted: readonly string[]
}

/** Parameter name → value of a journey query. No parameter is repeated. */
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
