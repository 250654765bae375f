// Generates values for parameters: valid values from the whole range, and almost valid values of each kind. Also
// encodes values for a query in the ways that clients use.
import { below, between, pick, type Random } from '../../../src/demo/seeded-random.ts'
import { nastyText } from './nasty-texts.ts'
import type { KnownIds, ValueKind } from './route-expectations.ts'

const degrees = (random: Random, reach: number): string => between(random, -reach, reach).toFixed(below(random, 7))

function point(random: Random): string {
  // Two of the four alternatives give points near the networks' stops, so that responses are often not empty.
  const place = pick(random, [
    () => `${between(random, 47.1, 47.3).toFixed(5)},${between(random, -0.2, 0.2).toFixed(5)}`,
    () => `${between(random, 48.6, 48.61).toFixed(4)},7.75`,
    () => `${degrees(random, 90)},${degrees(random, 180)}`,
    () => pick(random, ['90,180', '-90,-180', '0,0', '-0,0', '90.0,-180.00', '48.58, 7.75', '89.999999,179.999999']),
  ])
  return place()
}

function box(random: Random): string {
  const west = below(random, 1_000) / 4 - 125
  const south = below(random, 500) / 4 - 62
  const sides = [pick(random, [0, 0.25, 0.5, 0.499]), pick(random, [0, 0.25, 0.5, 0.1])]
  return pick(random, [
    `${west},${south},${west + sides[0]},${south + sides[1]}`,
    '-0.25,47,0.25,47.5',
    '7.5,48.5,8,49',
    '-0.05, 47.18, 0.05, 47.24',
    '-180,-90,-179.5,-89.5',
    '179.5,89.5,180,90',
    '0,0,0,0',
  ])
}

const two = (value: number): string => String(value).padStart(2, '0')

function moment(random: Random): string {
  const date = `${pick(random, ['2026', '2026', '2024', '1970', '0001', '9999'])}-${two(1 + below(random, 12))}-${two(1 + below(random, 28))}`
  const time = `${two(below(random, 24))}:${two(below(random, 60))}:${two(below(random, 60))}`
  const fraction = pick(random, ['', '', '.5', '.999999999'])
  const offset = pick(random, ['Z', 'z', '+02:00', '-23:59', '+00:00', '-00:00', ' 02:00', '+23:59'])
  return pick(random, [
    'now',
    `${date}T${time}${fraction}${offset}`,
    `2026-06-10T${time}${offset}`,
    '2024-02-29T23:59:59Z',
    '2026-03-29T02:30:00+01:00',
  ])
}

const SEARCHES = [
  'a',
  'gare',
  'GARE',
  'Gàre',
  'arrêt',
  'rue de la',
  '1',
  '🚋',
  'x'.repeat(120),
  'é'.repeat(120),
  '🚋'.repeat(120),
  'e\u0301'.repeat(60),
  `${'a '.repeat(59)}a`,
  '%',
  '"',
  "l'hôpital",
  '\u202eerag',
  '__proto__',
  '%00',
  '+',
  '-',
  '\0a',
]

/**
 * The origin or destination of a journey. At least half of the generated places are in the city, so that journeys
 * between them exist.
 */
function end(random: Random, ids: KnownIds): string {
  const stops = [...ids.stops]
  const ofCity = stops.filter((id) => id.startsWith('ville:'))
  return pick(random, [
    pick(random, ofCity),
    pick(random, ofCity),
    `${between(random, 47.18, 47.22).toFixed(5)},${between(random, -0.05, 0.05).toFixed(5)}`,
    pick(random, stops),
    pick(random, SEARCHES),
    point(random),
  ])
}

/** A comma-separated list of words, some of them possibly repeated or with spaces. */
function listOf(random: Random, words: readonly string[]): string {
  const members = Array.from({ length: 1 + below(random, 4) }, () => pick(random, words))
  return members.join(pick(random, [',', ', ', ',', ' , ']))
}

/** A valid value of a kind. Not used for cursors, because valid cursors come only from responses. */
export function allowedText(random: Random, kind: ValueKind, ids: KnownIds): string {
  switch (kind.of) {
    case 'integer':
      return String(pick(random, [kind.min, kind.max, kind.min + below(random, kind.max - kind.min + 1)]))
    case 'words':
      return kind.isList ? listOf(random, kind.words) : pick(random, kind.words)
    case 'networks':
      return listOf(random, ids.networks)
    case 'text':
      return pick(random, SEARCHES)
    case 'point':
      return point(random)
    case 'box':
      return box(random)
    case 'moment':
      return moment(random)
    case 'arrival':
      return pick(random, ['true', 'false', moment(random).replace('now', 'true')])
    case 'network':
      return pick(random, ids.networks)
    case 'end':
      return end(random, ids)
    case 'line':
      return pick(random, [...ids.lines])
    case 'trip':
      return pick(random, [...ids.trips])
    case 'cursor':
    case 'lang':
      return pick(random, ['fr', 'x'])
  }
}

/** A value that is almost valid for its kind. By chance, some of these values are valid. */
export function nearMiss(random: Random, kind: ValueKind, ids: KnownIds): string {
  switch (kind.of) {
    case 'integer':
      return pick(random, [
        String(kind.min - 1),
        String(kind.max + 1),
        `0${kind.min}`,
        `${kind.min}.5`,
        `-${kind.max}`,
        String(kind.max * 1000),
        `${kind.min}e0`,
        `${kind.max}n`,
      ])
    case 'words': {
      const word = pick(random, kind.words)
      return pick(random, [
        word.toUpperCase(),
        `${word},`,
        `,${word}`,
        `${word},,${word}`,
        `${word};${word}`,
        `${word}s`,
        `${word},plane`,
        `${word}\0`,
        `\u00a0${word}`,
      ])
    }
    case 'networks':
      return pick(random, [
        'ville,',
        'VILLE',
        'ville,nowhere',
        'nowhere',
        ...ids.lateNetworks,
        `ville,${ids.lateNetworks[0]}`,
        'ville\0',
        'ville:stop:1',
        '__proto__',
      ])
    case 'network':
      return pick(random, [
        'nowhere',
        ...ids.lateNetworks,
        'VILLE',
        'ville,odd',
        ' ville',
        ' ',
        'x'.repeat(65),
        'é'.repeat(65),
      ])
    case 'end': {
      const known = end(random, ids)
      const other = pick(random, [...ids.stops])
      return pick(random, [
        ` ${known}`,
        `${known}x`,
        known.slice(0, -1),
        other.replace(/:(?:stop|area):/, ':line:'),
        other.replace(/^\w+/, pick(random, ['nowhere', 'late', 'ban'])),
        'ban:1',
        'ban:67482_1234_00012_bis',
        ' ',
        'x'.repeat(201),
        '🚋'.repeat(201),
        `${'a '.repeat(99)}a`,
        ...SEARCHES,
        nearMiss(random, { of: 'point' }, ids),
      ])
    }
    case 'arrival':
      return pick(random, ['now', 'TRUE', 'yes', '1', 'true,false', nearMiss(random, { of: 'moment' }, ids)])
    case 'text':
      return pick(random, [
        '',
        ' ',
        '   ',
        ' '.repeat(130),
        ` ${'x'.repeat(120)} `,
        'x'.repeat(121),
        '\u00a0',
        '\u3000',
        '\u200b',
        ...SEARCHES,
      ])
    case 'point':
      return pick(random, [
        '90.0001,0',
        '0,180.0001',
        '48.58',
        '48.58,7.75,1',
        '48.58,',
        ',7.75',
        '7,75;48,58',
        '48,58,7,75',
        '1e1,7',
        '+48.58,7.75',
        '.5,.5',
        '48.,7.',
        '120.5,48.5',
        '٤٨,٧',
        '48.58 7.75',
        'NaN,NaN',
        '0x1,1',
        '--1,1',
        '1.2.3,4',
        '48.58,7.75\0',
        `${'4'.repeat(4)},1`,
        `48.${'1'.repeat(60)},7`,
      ])
    case 'box':
      return pick(random, [
        '0,0,0.51,0.1',
        '0,0,0.1,0.51',
        '1,0,0,0',
        '0,1,0,0',
        '179.9,0,-179.9,0.1',
        '0,89.9,0.1,90.1',
        '0,0,0',
        '0,0,0,0,0',
        ',,,',
        '48.5,7.5,48.9,7.9,',
        'a,b,c,d',
        '1e0,1,1,1',
        '0,0,.5,.5',
        '0.1,0.2,0.6,0.7',
      ])
    case 'moment':
      return pick(random, [
        '2026-06-10',
        '2026-06-10T08:00:00',
        '2026-06-10T08:00Z',
        '2026-06-10 08:00:00Z',
        '2026-13-01T00:00:00Z',
        '2026-00-01T00:00:00Z',
        '2026-02-29T00:00:00Z',
        '2026-06-31T00:00:00Z',
        '2026-06-10T24:00:00Z',
        '2026-06-10T08:60:00Z',
        '2026-06-10T23:59:60Z',
        '2026-06-10T08:00:00+25:00',
        '2026-06-10T08:00:00+0200',
        '2026-06-10T08:00:00.Z',
        '+002026-06-10T08:00:00Z',
        '0000-01-01T00:00:00Z',
        '1781078400',
        'Now',
        'now ',
        'today',
        `2026-06-10T08:00:00.${'1'.repeat(40)}Z`,
        '2026-06-10T08:00:00Zz',
        '２０26-06-10T08:00:00Z',
        '2026-06-10T08:00:00−02:00',
      ])
    case 'trip': {
      const trip = pick(random, [...ids.trips])
      return pick(random, [
        `${trip}x`,
        trip.slice(0, -1).toWellFormed(),
        trip.replace(':trip:', ':line:'),
        trip.replace(/\d{8}/, pick(random, ['20260611', '20250101', '99999999', '00000000', '2026061'])),
        trip.replace(/^\w+/, pick(random, ['nowhere', 'late'])),
        ` ${trip}`,
        'ville:trip:',
        'ville:trip:20260610:',
      ])
    }
    case 'line': {
      const line = pick(random, [...ids.lines])
      return pick(random, [
        `${line}x`,
        line.slice(0, -1),
        line.replace('line', 'stop'),
        line.replace(/^\w+/, 'nowhere'),
        ` ${line}`,
        `${line},${line}`,
        'ville:line:',
        ':line:A',
        'A',
        'late:line:A',
        'ville:line:__proto__',
        line.replace('line', 'Line'),
        `${line}\0`,
      ])
    }
    case 'cursor':
      return pick(random, [
        'x',
        'e30',
        'bnVsbA',
        'W10',
        'eyJ2IjoxfQ',
        '!!!',
        'e30=',
        'x'.repeat(2049),
        'x'.repeat(3000),
        '__proto__',
        'eyJfX3Byb3RvX18iOnsidiI6MX19',
      ])
    case 'lang':
      return nastyText(random)
  }
}

const encoder = new TextEncoder()

/** Encodes a value for a query in one of the ways that clients use. */
export function encodeText(random: Random, text: string): string {
  switch (below(random, 4)) {
    case 0:
      // Encodes every byte, with hexadecimal digits in upper or lower case.
      return [...encoder.encode(text)]
        .map((byte) => `%${random() < 0.5 ? two16(byte) : two16(byte).toUpperCase()}`)
        .join('')
    case 1:
      return encodeURIComponent(text)
    case 2:
      // Encodes spaces as plus signs, as HTML forms do.
      return encodeURIComponent(text).replaceAll('%20', '+')
    default:
      // Encodes only characters that would end the value or be misread.
      return text.replace(/[\0-\x20%&#+\x7f]/g, (each) => `%${two16(each.charCodeAt(0))}`)
  }
}

const two16 = (byte: number): string => byte.toString(16).padStart(2, '0')
