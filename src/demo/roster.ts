// The lines of a demo city of any size: names, kinds, operators and colors. A later step draws their itineraries.
import { ColorDealer, type LineColors } from './colors.ts'
import type { Mode } from './stop-book.ts'

/** How often a line runs; see `departures.ts` for the hours. */
export type Rhythm = 'metro' | 'tram' | 'main' | 'local' | 'minor' | 'express' | 'shuttle' | 'night' | 'ferry'

/** A line's role in the network. */
export type Role = 'usual' | 'across' | 'radial' | 'tangent' | 'branches' | 'loop' | 'shuttle' | 'express' | 'night'

/** A line without its itineraries. */
export interface RosterLine extends LineColors {
  /** Id of the line, which is also its public name. */
  readonly id: string
  readonly mode: Mode
  readonly role: Role
  readonly rhythm: Rhythm
  /** Index in `Terrain.centers`. */
  readonly center: number
  /** The line's number among the lines of its center and kind, from 0. Night buses are a kind of their own. */
  readonly number: number
  /** Index in `OPERATORS`. */
  readonly operator: number
}

/** The operators that run the lines. */
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

/** The lines in display order. */
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

/**
 * The role, rhythm and operator of a bus line. `number` is the line's number among the bus lines of its center. Most
 * low numbers are lines across the center; then come radial, tangential and special lines.
 */
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

/** Converts a number from 0 to letters, like the columns of a spreadsheet: A to Z, then AA, AB and so on. */
export function lettersOf(number: number): string {
  const rest = Math.floor(number / 26)
  return (rest > 0 ? lettersOf(rest - 1) : '') + String.fromCharCode(65 + (number % 26))
}
