// Which values of a parameter are good, written from the interface's tables alone: the rules here share nothing with the
// parser. A value is the text a client means, before it is percent-encoded.

/** What a route takes under a name. */
export type Kind =
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly isList: boolean }
  | { readonly kind: 'text' | 'point' | 'box' | 'moment' | 'line' | 'networks' | 'cursor' }

/** What must come of a value. `unknown` is well-formed, and names what is not there. */
export type Verdict = 'good' | 'bad' | 'unknown'

const MODES = ['tram', 'metro', 'rail', 'bus', 'ferry', 'cable_tram', 'aerial_lift', 'funicular', 'trolleybus']
const MORE_MODES = ['monorail', 'coach', 'air', 'taxi', 'other']
const integer = (min: number, max: number): Kind => ({ kind: 'integer', min, max })
const list = (...words: string[]): Kind => ({ kind: 'words', words, isList: true })
const word = (...words: string[]): Kind => ({ kind: 'words', words, isList: false })
const modes = list(...MODES, ...MORE_MODES)
const severity = list('unknown', 'info', 'warning', 'critical')
const [text, point, box, moment, line, networks, cursor] = (
  ['text', 'point', 'box', 'moment', 'line', 'networks', 'cursor'] as const
).map((kind): Kind => ({ kind })) as [Kind, Kind, Kind, Kind, Kind, Kind, Kind]

/** The routes of the interface: path, parameters, those it cannot be asked without. */
export const ROUTES: readonly {
  readonly path: string
  readonly takes: Readonly<Record<string, Kind>>
  readonly needs?: string
}[] = [
  { path: '/v1/health', takes: {} },
  { path: '/v1/status', takes: {} },
  { path: '/v1/networks', takes: {} },
  { path: '/v1/networks/{network}', takes: {} },
  { path: '/v1/networks/{network}/lines', takes: { modes, q: text, limit: integer(1, 100), cursor } },
  { path: '/v1/lines/{line}', takes: { include: list('geometry') } },
  { path: '/v1/lines/{line}/stops', takes: {} },
  { path: '/v1/lines/{line}/vehicles', takes: {} },
  { path: '/v1/lines/{line}/alerts', takes: { when: moment } },
  {
    path: '/v1/networks/{network}/stops',
    takes: {
      q: text,
      near: point,
      radius: integer(50, 5000),
      bbox: box,
      line,
      kind: word('stop', 'area'),
      limit: integer(1, 100),
      cursor,
    },
  },
  { path: '/v1/stops/{stop}', takes: {} },
  { path: '/v1/stops/{stop}/alerts', takes: { when: moment } },
  {
    path: '/v1/stops/{stop}/departures',
    takes: { limit: integer(1, 50), line, direction: word('0', '1'), horizon: integer(5, 180), when: moment },
  },
  {
    path: '/v1/stops/nearby',
    takes: { near: point, radius: integer(50, 5000), networks, modes, limit: integer(1, 100) },
    needs: 'near',
  },
  {
    path: '/v1/departures/nearby',
    takes: {
      near: point,
      radius: integer(50, 1500),
      networks,
      modes,
      horizon: integer(5, 90),
      limit: integer(1, 10),
    },
    needs: 'near',
  },
  {
    path: '/v1/vehicles/nearby',
    takes: { near: point, radius: integer(50, 5000), networks, modes, limit: integer(1, 100) },
    needs: 'near',
  },
  {
    path: '/v1/networks/{network}/alerts',
    takes: { severity, line, when: moment, limit: integer(1, 100), cursor },
  },
  {
    path: '/v1/alerts',
    takes: { networks, severity, line, when: moment, limit: integer(1, 100), cursor },
    needs: 'networks',
  },
  { path: '/v1/usage', takes: {} },
]

/** What the world of a test has. */
export interface KnownIds {
  readonly networks: ReadonlySet<string>
  readonly lines: ReadonlySet<string>
}

/** What must come of a value. Cursors are judged by whoever made them. */
export function judge(kind: Kind, value: string, known: KnownIds): Verdict {
  if (value === '') return 'bad'
  switch (kind.kind) {
    case 'integer':
      return isPlainInteger(value) && BigInt(value) >= BigInt(kind.min) && BigInt(value) <= BigInt(kind.max)
        ? 'good'
        : 'bad'
    case 'words': {
      const members = kind.isList ? membersOf(value) : [value]
      return members.every((member) => kind.words.includes(member)) ? 'good' : 'bad'
    }
    case 'text': {
      const length = Array.from(value.trim()).length
      return length >= 1 && length <= 120 ? 'good' : 'bad'
    }
    case 'point': {
      const [lat, lon] = numbersOf(value, 2)
      return lat !== undefined && lon !== undefined && isPlace(lat, lon) ? 'good' : 'bad'
    }
    case 'box': {
      const [minLon, minLat, maxLon, maxLat] = numbersOf(value, 4)
      if (minLon === undefined || minLat === undefined || maxLon === undefined || maxLat === undefined) return 'bad'
      if (!isPlace(minLat, minLon) || !isPlace(maxLat, maxLon) || minLon > maxLon || minLat > maxLat) return 'bad'
      return maxLon - minLon <= 0.5 + 1e-9 && maxLat - minLat <= 0.5 + 1e-9 ? 'good' : 'bad'
    }
    case 'moment':
      return value === 'now' || isTimestamp(value) ? 'good' : 'bad'
    case 'line':
      return known.lines.has(value) ? 'good' : 'bad' // of another network it is good too, and is in `lines`
    case 'networks': {
      const members = membersOf(value)
      if (members.includes('')) return 'bad'
      return members.every((member) => known.networks.has(member)) ? 'good' : 'unknown'
    }
    case 'cursor':
      return 'bad'
  }
}

function isPlainInteger(value: string): boolean {
  const digits = value.startsWith('-') ? value.slice(1) : value
  return digits !== '' && Array.from(digits).every((character) => '0123456789'.includes(character))
}

function membersOf(value: string): string[] {
  return value.split(',').map((member) => member.trim())
}

/** Exactly `count` decimal numbers, or none at all. */
function numbersOf(value: string, count: number): number[] {
  const members = value.split(',').map((member) => member.trim())
  if (members.length !== count) return []
  const isDecimal = (member: string) => {
    const [whole = '', fraction, ...more] = (member.startsWith('-') ? member.slice(1) : member).split('.')
    if (more.length > 0 || whole.length > 3 || !isPlainInteger(whole) || whole.startsWith('-')) return false
    return fraction === undefined || (fraction.length <= 20 && isPlainInteger(fraction) && !fraction.startsWith('-'))
  }
  return members.every(isDecimal) ? members.map(Number) : []
}

function isPlace(lat: number, lon: number): boolean {
  return lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180
}

/** RFC 3339 with an offset; a space before it counts as the plus it was. */
function isTimestamp(value: string): boolean {
  const clock = value.slice(10)
  const date = value.slice(0, 10)
  const [year, month, day] = date.split('-')
  if (year?.length !== 4 || month?.length !== 2 || day?.length !== 2 || date.length !== 10) return false
  if (![year, month, day].every((part) => isPlainInteger(part) && !part.startsWith('-'))) return false
  const instant = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(instant.getTime()) || instant.toISOString().slice(0, 10) !== date) return false
  const parts = /^[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:[Zz]|[-+ ]([0-9]{2}):([0-9]{2}))$/.exec(clock)
  if (parts === null) return false
  const [hours, minutes, seconds, fraction, offsetHours, offsetMinutes] = parts.slice(1)
  if ((fraction?.length ?? 0) > 12) return false
  const within = (text: string | undefined, max: number) => text === undefined || Number(text) <= max
  return [
    [hours, 23],
    [minutes, 59],
    [seconds, 59],
    [offsetHours, 23],
    [offsetMinutes, 59],
  ].every(([part, max]) => within(part as string | undefined, max as number))
}
