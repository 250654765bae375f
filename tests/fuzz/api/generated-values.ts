// Values to ask with: good ones at their bounds, bad ones near them, and what attackers and broken clients send.
import fc from 'fast-check'
import type { Kind, KnownIds } from './value-oracle.ts'

const HOSTILE = [
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  'true',
  '[]',
  '{}',
  '\u0000',
  'a\u0000b',
  '\uFEFF5',
  '٣',
  '５',
  '1e2',
  '+5',
  ' 5',
  '5 ',
  '0x10',
  '1_000',
  '١٢',
  '-0',
  '00',
  '9'.repeat(400),
  '-',
  '.',
  ',',
  ',,',
  'a,b',
  "' OR 1=1 --",
  '"><script>alert(1)</script>',
  '../../../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  '{{7*7}}',
  '\u202Eabc',
  '👩‍👩‍👧‍👦',
  'e\u0301'.repeat(60),
  '\u0301'.repeat(119),
  'x'.repeat(121),
  'é'.repeat(3000),
  '\r\nSet-Cookie: a=b',
  'a;b',
  'a&b=c',
  '#',
  '?',
] as const

/** Values of a kind, good and bad alike. */
export function valuesOf(kind: Kind, known: KnownIds): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: likely(kind, known) },
    { weight: 2, arbitrary: fc.constantFrom(...HOSTILE) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 150 }) },
    { weight: 1, arbitrary: fc.constant('') },
  )
}

function likely(kind: Kind, known: KnownIds): fc.Arbitrary<string> {
  switch (kind.kind) {
    case 'integer':
      return fc.oneof(
        fc.integer({ min: kind.min - 2, max: kind.max + 2 }).map(String),
        fc.constantFrom(kind.min, kind.max, kind.min - 1, kind.max + 1).map(String),
        fc.double().map(String),
      )
    case 'words': {
      const words = fc.array(fc.constantFrom(...kind.words, ...kind.words, 'nonsense', '', ' '), {
        minLength: 1,
        maxLength: 4,
      })
      return words.map((each) => each.join(','))
    }
    case 'text':
      return fc.oneof(
        fc.constantFrom('gare', 'centre', 'st', 'a', 'place de la', 'pôle 1'),
        fc.string({ maxLength: 121 }),
      )
    case 'point':
      return fc.oneof(
        fc.tuple(degrees(47.2, 0.2), degrees(0.6, 0.2)).map(([lat, lon]) => `${lat},${lon}`),
        fc.tuple(degrees(0, 95), degrees(0, 190)).map(([lat, lon]) => `${lat},${lon}`),
      )
    case 'box':
      return fc
        .tuple(degrees(0.6, 0.4), degrees(47.2, 0.4), fc.double({ min: -0.1, max: 0.7, noNaN: true }))
        .map(([lon, lat, span]) =>
          [lon, lat, (Number(lon) + span).toFixed(4), (Number(lat) + span / 2).toFixed(4)].join(','),
        )
    case 'moment':
      return fc.oneof(
        fc.constant('now'),
        fc
          .tuple(fc.integer({ min: 2020, max: 2032 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }))
          .chain(([year, month, day]) =>
            fc
              .tuple(
                fc.integer({ min: 0, max: 25 }),
                fc.constantFrom('Z', '+02:00', ' 02:00', '-05:30', '', 'z', '+25:00'),
              )
              .map(([hour, zone]) => `${year}-${two(month)}-${two(day)}T${two(hour)}:30:00${zone}`),
          ),
      )
    case 'line':
      return fc.constantFrom(...known.lines, 'nowhere:line:A', 'A', ':line:')
    case 'networks':
      return fc
        .array(fc.constantFrom(...known.networks, ...known.networks, 'nowhere', '', ' '), {
          minLength: 1,
          maxLength: 3,
        })
        .map((slugs) => slugs.join(','))
    case 'cursor':
      return fc.oneof(fc.base64String(), fc.string({ maxLength: 40 }))
  }
}

function degrees(middle: number, reach: number): fc.Arbitrary<string> {
  return fc
    .double({ min: middle - reach, max: middle + reach, noNaN: true })
    .map((value) => (Math.abs(value) < 1e-6 ? '0' : value.toFixed(5)))
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

/** Percent-encoded queries that are no UTF-8, or no encoding: bad for any parameter. */
export const MALFORMED_VALUES = ['%', '%z', '%zz', '%c3%28', '%ff', '%e2%82', '%f8%88%80%80%80', '%ed%a0%80'] as const
