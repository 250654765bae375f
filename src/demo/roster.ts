// Which lines the demo city has: their names, kinds, operators and colors, for any scale. Not yet where they go.
import { ColorDealer, type LineColors } from './colors.ts'
import type { Mode } from './stop-book.ts'

/** How often a line runs; `departures.ts` has the hours. */
export type Rhythm = 'metro' | 'tram' | 'main' | 'local' | 'minor' | 'express' | 'shuttle' | 'night' | 'ferry'

/** What a line does that others do not. */
export type Role = 'usual' | 'across' | 'radial' | 'tangent' | 'branches' | 'loop' | 'shuttle' | 'express' | 'night'

/** A line before it goes anywhere. */
export interface RosterLine extends LineColors {
  /** Also its public name. */
  readonly id: string
  readonly mode: Mode
  readonly role: Role
  readonly rhythm: Rhythm
  /** Place in `Terrain.centers`. */
  readonly center: number
  /** Which of its mode and center it is, from 0. */
  readonly number: number
  /** Place in `OPERATORS`. */
  readonly operator: number
}

/** Who runs the lines. */
export const OPERATORS = [
  { id: 'VM', name: 'Valmont Mobilités', url: 'https://mobilites.valmont.example/', phone: '02 99 00 00 01' },
  { id: 'BCV', name: 'Bacs et Cars du Val', url: 'https://bacs-et-cars.valmont.example/', phone: '02 99 00 00 02' },
] as const

const MAIN_OPERATOR = 0
const SECOND_OPERATOR = 1

const METROS = 2
const TRAMS = 6
const BUSES = 27
const NIGHT_BUSES = 3
const FERRIES = 2

/** Lines in the order in which riders look for them. */
export function makeRoster(scale: number, centerCount: number): RosterLine[] {
  const colors = new ColorDealer()
  const lines: RosterLine[] = []
  const add = (
    kind: 'metro' | 'tram' | 'bus' | 'night' | 'ferry',
    count: number,
    describe: (number: number) => Pick<RosterLine, 'mode' | 'role' | 'rhythm' | 'operator'> & { readonly id: string },
  ): void => {
    const total = Math.max(1, Math.round(count * scale))
    for (let i = 0; i < total; i++) {
      const number = Math.floor(i / centerCount)
      lines.push({ ...describe(i), center: i % centerCount, number, ...colors.deal(kind, i) })
    }
  }
  const rails = { role: 'usual', operator: MAIN_OPERATOR } as const
  add('metro', METROS, (i) => ({ id: `M${i + 1}`, mode: 'metro', rhythm: 'metro', ...rails }))
  add('tram', TRAMS, (i) => ({ id: lettersOf(i), mode: 'tram', rhythm: 'tram', ...rails }))
  add('bus', BUSES, (i) => ({ id: `${i + 1}`, mode: 'bus', ...describeBus(Math.floor(i / centerCount)) }))
  add('night', NIGHT_BUSES, (i) => ({
    id: `N${i + 1}`,
    mode: 'bus',
    role: 'night',
    rhythm: 'night',
    operator: MAIN_OPERATOR,
  }))
  add('ferry', FERRIES, (i) => ({
    id: `Bac ${i + 1}`,
    mode: 'ferry',
    role: 'usual',
    rhythm: 'ferry',
    operator: SECOND_OPERATOR,
  }))
  return lines
}

/** The buses of a center: first those across it, then out of it, then around it, then the odd ones. */
function describeBus(number: number): Pick<RosterLine, 'role' | 'rhythm' | 'operator'> {
  const place = number % BUSES
  if (place === 3) return { role: 'branches', rhythm: 'main', operator: MAIN_OPERATOR }
  if (place < 9) return { role: 'across', rhythm: 'main', operator: MAIN_OPERATOR }
  if (place < 13) return { role: 'across', rhythm: 'local', operator: MAIN_OPERATOR }
  if (place < 18) return { role: 'radial', rhythm: 'local', operator: MAIN_OPERATOR }
  if (place < 24) return { role: 'tangent', rhythm: 'minor', operator: SECOND_OPERATOR }
  if (place === 24) return { role: 'loop', rhythm: 'local', operator: MAIN_OPERATOR }
  if (place === 25) return { role: 'shuttle', rhythm: 'shuttle', operator: MAIN_OPERATOR }
  return { role: 'express', rhythm: 'express', operator: SECOND_OPERATOR }
}

/** A to Z, then AA, AB … as a spreadsheet counts. */
export function lettersOf(number: number): string {
  const rest = Math.floor(number / 26)
  return (rest > 0 ? lettersOf(rest - 1) : '') + String.fromCharCode(65 + (number % 26))
}
