// The modes of transport, and the GTFS route types that belong to each mode.
import type { Index } from '../../loaders/columns.ts'

/** A position in MODES. */
export type Mode = Index<'Mode'>

/** All modes that responses and filters use. */
export const MODES = [
  'tram',
  'metro',
  'rail',
  'bus',
  'ferry',
  'cable_tram',
  'aerial_lift',
  'funicular',
  'trolleybus',
  'monorail',
  'coach',
  'air',
  'taxi',
  'other',
] as const

export type ModeWord = (typeof MODES)[number]

const BASIC_TYPES: Readonly<Record<number, ModeWord>> = {
  0: 'tram',
  1: 'metro',
  2: 'rail',
  3: 'bus',
  4: 'ferry',
  5: 'cable_tram',
  6: 'aerial_lift',
  7: 'funicular',
  11: 'trolleybus',
  12: 'monorail',
  405: 'monorail',
  800: 'trolleybus',
  1200: 'ferry',
}

/** Ranges of extended route types: first, last, mode. */
const EXTENDED_TYPES: readonly (readonly [number, number, ModeWord])[] = [
  [100, 117, 'rail'],
  [200, 209, 'coach'],
  [400, 404, 'metro'],
  [700, 716, 'bus'],
  [900, 906, 'tram'],
  [1000, 1099, 'ferry'],
  [1100, 1114, 'air'],
  [1300, 1307, 'aerial_lift'],
  [1400, 1402, 'funicular'],
  [1500, 1507, 'taxi'],
]

/** The mode of a GTFS route_type; unknown types are `other`. */
export function modeOfRouteType(routeType: number): Mode {
  const basic = BASIC_TYPES[routeType]
  if (basic !== undefined) return MODES.indexOf(basic) as Mode
  const extended = EXTENDED_TYPES.find(([first, last]) => routeType >= first && routeType <= last)
  return MODES.indexOf(extended?.[2] ?? 'other') as Mode
}

/** The name of a mode. */
export function modeWord(mode: Mode): ModeWord {
  return MODES[mode]
}
