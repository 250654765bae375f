// Parses query parameters by the rules in parameters.ts. Errors name the invalid value and the allowed values.
import { type ParameterError, type Problem, parameterProblem } from '../http/problem.ts'
import { quotedValue } from '../http/quoted-value.ts'
import {
  decodeQueryText,
  findSlot,
  MALFORMED,
  type QueryPair,
  type RawValue,
  REPEATED,
  readPair,
  readQuery,
} from '../http/request-head.ts'
import type {
  Box,
  BoxRule,
  Moment,
  ParameterRule,
  ParameterRules,
  Point,
  TextRule,
  Values,
  WordsRule,
} from './parameters.ts'

/** The result for an invalid value. The message names the allowed values, and may end with a hint. */
class Refused {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** Cursors with more characters are rejected and not decoded. */
const CURSOR_LENGTH_LIMIT = 2048

/** A decimal integer; `-0` is not accepted. */
const INTEGER = /^(?!-0+$)-?\d+$/
const DEGREES = /^-?\d{1,3}(\.\d{1,20})?$/
const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d{1,12})?(?:[Zz]|([+\- ])(\d\d):(\d\d))$/
const CURSOR = /^[A-Za-z0-9_-]+$/
const ZERO = 0x30
const MINUS = 0x2d
const POINT = 0x2e

/** Parses the query of one route. Each route has one parser, created once. */
export class QueryParser<Rules extends ParameterRules> {
  private readonly names: readonly string[]
  private readonly rules: readonly ParameterRule[]
  private readonly slots: ReadonlyMap<string, number>
  /** The default value of every parameter, in the order of the rules. */
  private readonly defaults: Readonly<Record<string, unknown>>
  /** Bit n is set if the parameter with slot n is required. A slot is the index of a parameter in the rules. */
  private readonly required: number
  /** The result of parsing an empty query. It is always the same object. */
  readonly bare: Values<Rules> | Problem

  constructor(rules: Rules) {
    this.names = Object.keys(rules)
    this.rules = Object.values(rules)
    this.slots = new Map(this.names.map((name, slot) => [name, slot]))
    this.defaults = Object.fromEntries(this.names.map((name, slot) => [name, defaultOf(this.rules[slot])]))
    if (this.names.length > MOST_PARAMETERS)
      throw new Error(`a route has ${this.names.length} parameters; at most ${MOST_PARAMETERS} are supported`)
    this.required = this.rules.reduce((bits, rule, slot) => (rule.isRequired === true ? bits | (1 << slot) : bits), 0)
    this.bare = this.required === 0 ? (this.defaults as Values<Rules>) : this.refuse('')
  }

  /** Parses a query (the text after the question mark): its values, or an error that names every invalid parameter. */
  parse(query: string): Values<Rules> | Problem {
    if (query === '') return this.bare
    const values: Record<string, unknown> = { ...this.defaults }
    let given = 0
    for (let start = 0; start <= query.length; ) {
      const pair = readPair(query, start)
      const slot = this.slotOf(query, start, pair.nameEnd)
      start = pair.end + 1
      if (slot < 0 || this.rules[slot].kind === 'ignored') continue
      const value = parseValue(this.rules[slot], query, pair)
      if (value instanceof Refused || (given & (1 << slot)) !== 0) return this.refuse(query)
      given |= 1 << slot
      values[this.names[slot]] = value
    }
    return (given & this.required) === this.required ? (values as Values<Rules>) : this.refuse(query)
  }

  /** The slot of the parameter whose name is at this position in the query; -1 if no parameter has this name. */
  private slotOf(query: string, start: number, end: number): number {
    const { names } = this
    for (let slot = 0; slot < names.length; slot++) {
      if (names[slot].length === end - start && isAt(query, start, names[slot])) return slot
    }
    return findSlot(query.slice(start, end), this.slots) ?? -1
  }

  /** The error that names every invalid parameter. */
  private refuse(query: string): Problem {
    const raw = query === '' ? this.names.map(() => undefined) : readQuery(query, this.slots)
    const errors: ParameterError[] = []
    for (const [slot, param] of this.names.entries()) {
      const rule = this.rules[slot]
      if (raw[slot] === undefined && rule.isRequired !== true) continue
      const value = parseRaw(rule, raw[slot])
      if (!(value instanceof Refused)) continue
      const reason = raw[slot] === undefined ? 'transit_query_invalid' : rule.reason
      errors.push({ param, reason, message: `The parameter "${param}" ${value.message}` })
    }
    const [first, ...others] = errors
    if (first === undefined) throw new Error('a query was refused, although all its parameters are valid')
    return parameterProblem([first, ...others])
  }
}

/** Maximum number of parameters of a route. A bit set with one bit per parameter must fit a signed 32-bit integer. */
const MOST_PARAMETERS = 31

/** Whether a string contains another string at an index. */
function isAt(text: string, index: number, other: string): boolean {
  for (let at = 0; at < other.length; at++) {
    if (text.charCodeAt(index + at) !== other.charCodeAt(at)) return false
  }
  return true
}

function parseValue(rule: ParameterRule, query: string, { nameEnd, end, isPlain }: QueryPair): unknown {
  const start = Math.min(nameEnd + 1, end)
  const digits = rule.kind === 'integer' && isPlain ? readDigits(query, start, end) : undefined
  if (digits !== undefined && rule.kind === 'integer' && digits >= rule.min && digits <= rule.max) return digits
  const text = query.slice(start, end)
  return parseRaw(rule, isPlain ? text : (decodeQueryText(text) ?? MALFORMED))
}

function defaultOf(rule: ParameterRule): unknown {
  if (rule.kind === 'integer') return rule.default
  return rule.kind === 'moment' ? 'now' : undefined
}

function parseRaw(rule: ParameterRule, raw: RawValue): unknown {
  if (rule.kind === 'ignored') return undefined
  if (raw === undefined) return new Refused(`is missing; expected ${allowed(rule)}.`)
  if (rule.kind === 'refused')
    return new Refused(`is not allowed on this route: ${rule.description} Remove the parameter.`)
  if (raw === REPEATED) return new Refused(`is given more than once; expected one value: ${allowed(rule)}.`)
  if (raw === MALFORMED)
    return new Refused(
      'is not valid percent-encoded UTF-8; encode its value with encodeURIComponent or an equivalent function.',
    )
  if (raw === '') return new Refused(`is empty; expected ${allowed(rule)}.`)
  return parseText(rule, raw)
}

function parseText(rule: Exclude<ParameterRule, { kind: 'ignored' | 'refused' }>, text: string): unknown {
  switch (rule.kind) {
    case 'integer': {
      const value = INTEGER.test(text) ? Number(text) : Number.NaN
      return value >= rule.min && value <= rule.max ? value : refuse(rule, text)
    }
    case 'word':
      return rule.words.includes(text) ? text : refuse(rule, text)
    case 'words': {
      const words = splitList(text)
      const { words: known, someWords = [] } = rule
      return words.every((word) => known.includes(word) || someWords.includes(word)) ? words : refuse(rule, text)
    }
    case 'slugs': {
      const slugs = splitList(text)
      return slugs.includes('') ? refuse(rule, text) : slugs
    }
    case 'text':
      return parseFreeText(rule, text)
    case 'point':
      return parsePoint(text) ?? refuse(rule, text, pointHint(text))
    case 'box':
      return parseBox(rule, text)
    case 'moment':
    case 'moment_if_given':
      return parseMoment(text) ?? refuse(rule, text)
    case 'arrival':
      return parseArrival(text) ?? refuse(rule, text)
    case 'line':
    case 'trip':
      return text.split(':', 2)[1] === rule.kind ? text : refuse(rule, text)
    case 'cursor':
      return text.length <= CURSOR_LENGTH_LIMIT && CURSOR.test(text) ? text : refuse(rule, text)
  }
}

/**
 * The error for a list with a word that this network does not support. It is the same as the error for an unknown word.
 */
export function refusedWords(name: string, rule: WordsRule, words: readonly string[]): Problem {
  const { message } = refuse(rule, words.join(','))
  return parameterProblem([{ param: name, reason: rule.reason, message: `The parameter "${name}" ${message}` }])
}

/** Maximum number of digits that `readDigits` reads, so that the number is always an exact integer. */
const SURE_DIGITS = 9

/**
 * Reads a number with few digits, without a regular expression, which would be slower. Returns undefined if there are
 * no digits, too many digits, or other characters.
 */
function readDigits(text: string, start: number, end: number): number | undefined {
  if (start === end || end - start > SURE_DIGITS) return undefined
  let value = 0
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}

function refuse(rule: ParameterRule, text: string, hint = ''): Refused {
  return new Refused(`is ${quotedValue(text)}; expected ${allowed(rule)}.${hint}`)
}

function allowed(rule: ParameterRule): string {
  switch (rule.kind) {
    case 'integer':
      return `an integer from ${rule.min} to ${rule.max}`
    case 'word':
      return `one of ${rule.words.join(', ')}`
    case 'words':
      return `one or more of ${rule.words.join(', ')}, separated by commas`
    case 'slugs':
      return 'one or more network ids, separated by commas'
    case 'text':
      return `${rule.minLength} to ${rule.maxLength} characters, not only spaces`
    case 'point':
      return 'lat,lon in decimal degrees, with latitude from -90 to 90 and longitude from -180 to 180'
    case 'box':
      return `min_lon,min_lat,max_lon,max_lat in decimal degrees, longitude first, with sides of at most ${rule.maxSpanDegrees} degrees`
    case 'moment':
    case 'moment_if_given':
      return 'an RFC 3339 timestamp with an offset or Z, or "now"'
    case 'arrival':
      return '"true", "false", or an RFC 3339 timestamp with an offset or Z'
    case 'line':
      return 'a line id, such as <network>:line:<local id>'
    case 'trip':
      return 'a trip id, such as <network>:trip:<yyyymmdd>:<local id>'
    case 'cursor':
      return 'a cursor from an earlier response on this route, sent with the same filters'
    case 'ignored':
      return 'anything'
    case 'refused':
      return 'nothing'
  }
}

/**
 * The members of a comma-separated list, trimmed and without duplicates. Empty members are included, because callers
 * must reject them. Not for ids of lines and stops, which may contain commas.
 */
function splitList(text: string): string[] {
  return [...new Set(text.split(',').map((member) => member.trim()))]
}

function parseFreeText(rule: TextRule, text: string): string | Refused {
  const trimmed = text.trim()
  const length = trimmed.length > rule.maxLength * 2 ? trimmed.length : [...trimmed].length
  return length >= rule.minLength && length <= rule.maxLength ? trimmed : refuse(rule, text)
}

/** Parses a comma-separated list of exactly `count` numbers in decimal degrees; undefined if it is invalid. */
function parseDegrees(text: string, count: number): number[] | undefined {
  const parts = text.split(',', count + 1).map((part) => part.trim())
  return parts.length === count && parts.every((part) => DEGREES.test(part)) ? parts.map(Number) : undefined
}

function isPlace(lat: number, lon: number): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180
}

/** Parses `lat,lon` in degrees; undefined if `text` is not a valid point. */
export function parsePoint(text: string): Point | undefined {
  const comma = text.indexOf(',')
  const lat = readPlainDegrees(text, 0, comma)
  const lon = readPlainDegrees(text, comma + 1, text.length)
  if (lat === undefined || lon === undefined) return parseAnyPoint(text)
  return isPlace(lat, lon) ? { lat, lon } : undefined
}

/** The powers of ten from 1 to 10^15, which are exact numbers. */
const TENS = Array.from({ length: 16 }, (_, power) => 10 ** power)
/**
 * Integers with at most 15 digits are exact numbers. So dividing such an integer once by a power of ten gives the same
 * number as `Number(text)`.
 */
const EXACT_DIGITS = 15

/**
 * Reads degrees in the form that most clients use: an optional minus sign, one to three digits, and optionally a point
 * with more digits. Returns undefined for any other form.
 */
function readPlainDegrees(text: string, from: number, end: number): number | undefined {
  const isNegative = text.charCodeAt(from) === MINUS
  const start = isNegative ? from + 1 : from
  if (end - start > EXACT_DIGITS || start >= end) return undefined
  let digits = 0
  let point = end
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - ZERO
    if (digit >= 0 && digit <= 9) digits = digits * 10 + digit
    else if (digit === POINT - ZERO && point === end) point = at
    else return undefined
  }
  const wholeDigits = point - start
  if (wholeDigits < 1 || wholeDigits > 3 || point === end - 1) return undefined
  const value = digits / TENS[Math.max(0, end - point - 1)]
  return isNegative ? -value : value
}

function parseAnyPoint(text: string): Point | undefined {
  const [lat, lon] = parseDegrees(text, 2) ?? []
  return lat !== undefined && lon !== undefined && isPlace(lat, lon) ? { lat, lon } : undefined
}

function pointHint(text: string): string {
  const [lat, lon] = parseDegrees(text, 2) ?? []
  const isSwapped = lat !== undefined && lon !== undefined && isPlace(lon, lat)
  return isSwapped ? ' The values look like lon,lat; swap them.' : ''
}

/** How far a box may exceed the limit because of rounding: 48.8 − 48.3 is not exactly 0.5 in binary. */
const SPAN_TOLERANCE_DEGREES = 1e-9

function parseBox(rule: BoxRule, text: string): Box | Refused {
  const [minLon, minLat, maxLon, maxLat] = parseDegrees(text, 4) ?? []
  if (minLon === undefined || minLat === undefined || maxLon === undefined || maxLat === undefined) {
    return refuse(rule, text)
  }
  if (!isPlace(minLat, minLon) || !isPlace(maxLat, maxLon)) {
    const isSwapped = isPlace(minLon, minLat) && isPlace(maxLon, maxLat)
    return refuse(rule, text, isSwapped ? ' The values look like lat,lon; swap them.' : '')
  }
  if (minLon > maxLon || minLat > maxLat) {
    return refuse(rule, text, ' Each minimum must be at most its maximum; a box cannot cross the antimeridian.')
  }
  const span = Math.max(maxLon - minLon, maxLat - minLat)
  if (span > rule.maxSpanDegrees + SPAN_TOLERANCE_DEGREES) return refuse(rule, text)
  return { minLon, minLat, maxLon, maxLat }
}

function parseArrival(text: string): number | boolean | undefined {
  if (text === 'true' || text === 'false') return text === 'true'
  return text === 'now' ? undefined : parseMillis(text)
}

/** Parses a timestamp. Its `+` may be a space, because `+` in a query is decoded as a space. */
function parseMillis(text: string): number | undefined {
  return parseUtcSeconds(text) ?? parseTimestamp(text)
}

/** The form `2024-01-03T18:15:10Z`, which most clients use: for each position the character code, or 0 for a digit. */
const UTC_MARKS = Uint8Array.from('0000-00-00T00:00:00Z', (letter) => (letter === '0' ? 0 : letter.charCodeAt(0)))

/**
 * Parses a timestamp in whole seconds of UTC, without a regular expression. Returns undefined for all other strings,
 * which `parseTimestamp` handles.
 */
function parseUtcSeconds(text: string): number | undefined {
  if (text.length !== UTC_MARKS.length) return undefined
  for (let at = 0; at < UTC_MARKS.length; at++) {
    const unit = text.charCodeAt(at)
    if (UTC_MARKS[at] === 0 ? unit < 48 || unit > 57 : unit !== UTC_MARKS[at]) return undefined
  }
  const [month, day] = [twoDigits(text, 5), twoDigits(text, 8)]
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)]
  // Days after the 28th need a calendar, and years below 1000 are rare: `parseTimestamp` handles these timestamps.
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  if (year < 1000 || month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59) {
    return undefined
  }
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

function twoDigits(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 48 * 11
}

function parseTimestamp(text: string): number | undefined {
  const match = TIMESTAMP.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number)
  const offsetHours = Number(match[9] ?? 0)
  const offsetMinutes = Number(match[10] ?? 0)
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, day)
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined
  const offsetMillis = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[8] === '-' ? -1 : 1)
  const fractionMillis = Math.round(Number(match[7] ?? 0) * 1e6) / 1e3
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + fractionMillis - offsetMillis
}

function parseMoment(text: string): Moment | undefined {
  return text === 'now' ? 'now' : parseMillis(text)
}
