// Judges whether the contract allows a decoded parameter value, forbids it, or does not decide. Written from the
// documentation of the API's parameters. Shares no code with the service's parser, and uses different methods.

/**
 * - `open`: the contract does not decide, so both outcomes are correct
 * - `unknown`: the value names a network that does not exist
 * - `late`: the value names a network without data
 */
export type Verdict = 'allowed' | 'refused' | 'open' | 'unknown' | 'late'

/** Judges a decoded, non-empty value. */
export type Judge = (text: string) => Verdict

const isDigits = (text: string): boolean => text !== '' && [...text].every((each) => each >= '0' && each <= '9')

/** Removes ASCII spaces from both ends. In lists, spaces are allowed before and after each entry. */
function unspaced(text: string): string {
  let [start, end] = [0, text.length]
  while (text[start] === ' ') start++
  while (end > start && text[end - 1] === ' ') end--
  return text.slice(start, end)
}

/**
 * Whether a string starts or ends with white space other than ASCII spaces. The contract does not say whether such
 * white space is also removed.
 */
const isOddlySpaced = (text: string): boolean => unspaced(text) !== text.trim()

/**
 * Judges a decimal integer. It must consist of digits only, and lie within the bounds, both inclusive. With leading
 * zeros, the verdict is `open`.
 */
export function judgeInteger(min: number, max: number): Judge {
  return (text) => {
    if (!isDigits(text)) return 'refused'
    const value = BigInt(text)
    if (value < BigInt(min) || value > BigInt(max)) return 'refused'
    return text.length > 1 && text.startsWith('0') ? 'open' : 'allowed'
  }
}

/** Judges a value that must be exactly one of these words. */
export function judgeWord(words: readonly string[]): Judge {
  return (text) => (words.some((word) => word === text) ? 'allowed' : 'refused')
}

/** Judges a comma-separated list of these words, with or without spaces around each word. */
export function judgeWords(words: readonly string[]): Judge {
  return (text) => {
    const members = text.split(',')
    if (members.every((member) => words.includes(unspaced(member)))) return 'allowed'
    return members.every((member) => words.includes(member.trim())) ? 'open' : 'refused'
  }
}

/** Judges a comma-separated list of network slugs. */
export function judgeSlugs(known: readonly string[], late: readonly string[]): Judge {
  return (text) => {
    const members = text.split(',')
    if (members.some((member) => unspaced(member) === '')) return 'refused'
    if (members.some(isOddlySpaced)) return 'open'
    const slugs = members.map(unspaced)
    if (slugs.some((slug) => !known.includes(slug) && !late.includes(slug))) return 'unknown'
    return slugs.some((slug) => late.includes(slug)) ? 'late' : 'allowed'
  }
}

/**
 * Judges free text: 1 to 120 characters, not only spaces. The contract does not say whether leading and trailing spaces
 * count.
 */
export const judgeText: Judge = (text) => {
  const inner = unspaced(text)
  if (inner === '') return 'refused'
  if (text.trim() === '') return 'open'
  const count = (part: string) => Array.from(part).length
  if (count(text) <= 120) return 'allowed'
  return count(text.trim()) > 120 ? 'refused' : 'open'
}

interface Degrees {
  readonly value: number
  readonly isPlain: boolean
}

/**
 * Reads a number of degrees. Undefined if the string is not a number or contains characters other than digits, dots and
 * signs.
 */
function readDegrees(text: string): Degrees | undefined {
  const trimmed = text.trim()
  const value = Number(trimmed)
  const isNumber =
    trimmed !== '' && Number.isFinite(value) && [...trimmed].every((each) => '+-.0123456789'.includes(each))
  if (!isNumber) return undefined
  const unsigned = trimmed.startsWith('-') ? trimmed.slice(1) : trimmed
  const [whole = '', fraction, ...more] = unsigned.split('.')
  const isPlain =
    more.length === 0 && isDigits(whole) && whole.length <= 3 && (fraction === undefined || isDigits(fraction))
  return { value, isPlain: isPlain && (fraction ?? '').length <= 15 && !isOddlySpaced(text) }
}

function judgeAll(text: string, count: number, judge: (values: readonly number[]) => Verdict): Verdict {
  const parts = text.split(',').map(readDegrees)
  if (parts.length !== count) return 'refused'
  const numbers = parts.filter((part) => part !== undefined)
  if (numbers.length !== count) return 'refused'
  const verdict = judge(numbers.map(({ value }) => value))
  return verdict === 'allowed' && numbers.some(({ isPlain }) => !isPlain) ? 'open' : verdict
}

const isLatitude = (value: number): boolean => value >= -90 && value <= 90
const isLongitude = (value: number): boolean => value >= -180 && value <= 180

/** Judges a point, `lat,lon` in decimal degrees. */
export const judgePoint: Judge = (text) =>
  judgeAll(text, 2, ([lat = Number.NaN, lon = Number.NaN]) =>
    isLatitude(lat) && isLongitude(lon) ? 'allowed' : 'refused',
  )

/**
 * Judges a box, `min_lon,min_lat,max_lon,max_lat`. Its sides may be at most half a degree long. If rounding errors
 * decide whether a side is longer than half a degree, the verdict is `open`.
 */
export const judgeBox: Judge = (text) =>
  judgeAll(text, 4, ([west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN]) => {
    if (![south, north].every(isLatitude) || ![west, east].every(isLongitude)) return 'refused'
    if (west > east || south > north) return 'refused'
    const span = Math.max(east - west, north - south)
    if (span > 0.5 + 1e-6) return 'refused'
    return span > 0.5 - 1e-12 && ![west, south, east, north].every((value) => Number.isInteger(value * 4))
      ? 'open'
      : 'allowed'
  })

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0)
}

/** Whether a string matches a pattern: `0` matches any digit, and every other character matches itself. */
function hasForm(text: string, form: string): boolean {
  return (
    text.length === form.length &&
    [...form].every((each, at) => (each === '0' ? isDigits(text.charAt(at)) : each === text.charAt(at)))
  )
}

/**
 * Judges a time: `now`, or an RFC 3339 timestamp with an offset. A space counts as a plus sign, because a `+` in a
 * query is decoded as a space.
 */
export const judgeMoment: Judge = (text) => {
  if (text === 'now') return 'allowed'
  const date = text.slice(0, 10)
  const separator = text.charAt(10)
  const time = text.slice(11, 19)
  if (!hasForm(date, '0000-00-00') || !hasForm(time, '00:00:00') || !'Tt _'.includes(separator)) return 'refused'
  let rest = text.slice(19)
  let digits = 0
  if (rest.startsWith('.')) {
    while (isDigits(rest.charAt(1 + digits))) digits++
    if (digits === 0) return 'refused'
    rest = rest.slice(1 + digits)
  }
  const isZulu = rest === 'Z' || rest === 'z'
  const isOffset = [' ', '+', '-'].includes(rest.charAt(0)) && hasForm(rest.slice(1), '00:00')
  if (!isZulu && !isOffset) return 'refused'
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number)
  const [offsetHour = 0, offsetMinute = 0] = isOffset ? rest.slice(1).split(':').map(Number) : [0, 0]
  if (day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 60) return 'refused'
  if (offsetHour > 23 || offsetMinute > 59) return 'refused'
  const isUsual = 'Tt'.includes(separator) && second < 60 && year > 0 && digits <= 9
  return isUsual ? 'allowed' : 'open'
}

/** Judges a trip id. Known ids are valid. For other strings in the form of a trip id, the verdict is `open`. */
export function judgeTrip({ trips, networks, lateNetworks }: TripIds): Judge {
  return (text) => {
    if (trips.has(text)) return 'allowed'
    return mayBeTrip(text, [...networks, ...lateNetworks]) ? 'open' : 'refused'
  }
}

interface TripIds {
  readonly trips: ReadonlySet<string>
  readonly networks: readonly string[]
  readonly lateNetworks: readonly string[]
}

/** Whether a string starts like a trip id in one of these networks. */
export function mayBeTrip(text: string, networks: readonly string[]): boolean {
  return networks.some((slug) => text.startsWith(`${slug}:trip:`))
}

/** Judges a line id. In a network without data, a line may or may not exist, so the verdict is `open`. */
export function judgeLine(known: ReadonlySet<string>, late: readonly string[]): Judge {
  return (text) => {
    if (known.has(text)) return 'allowed'
    return late.some((slug) => text.startsWith(`${slug}:`)) ? 'open' : 'refused'
  }
}
