// Rules for the base map: the tags of an element decide whether and how the map shows it. Layers and kinds have the
// same names as in Protomaps' basemap, so that a style made for that map also works for this one.
import type { TagReader } from './tag-reader.ts'
import { UNKNOWN_WORD, WordTable } from './word-table.ts'

/** The layers of a tile, in drawing order. */
export const GROUND_LAYERS = ['landuse', 'water', 'roads', 'buildings', 'places'] as const

export type GroundLayer = (typeof GROUND_LAYERS)[number]

/** A kind of feature on the base map. */
export interface GroundKind {
  readonly layer: GroundLayer
  readonly kind: string
  /** The value of the tag that determines the kind, if the value is more specific than `kind`. */
  readonly detail: string | undefined
  /** Whether closed ways of this kind are drawn as polygons. If not, they are drawn as lines. */
  readonly isArea: boolean
  /** The lowest zoom at which features of this kind are drawn. Small polygons are drawn only from a higher zoom on. */
  readonly leastZoom: number
}

/**
 * Mask of those bits in a way's flags that store the number of the way's kind. Higher bits are flags such as
 * GROUND_TUNNEL.
 */
export const KIND_MASK = 0xff
export const GROUND_TUNNEL = 1 << 8
export const GROUND_BRIDGE = 1 << 9
/** Flag of a coastline. The land is on the left of the way, the sea on its right. */
export const GROUND_COAST = 1 << 10

/**
 * Kind of an element that is not drawn by itself. A way of this kind is loaded only if it belongs to a relation or is a
 * coastline.
 */
export const NO_KIND = 0
/** Kind of the sea. Sea polygons are built from coastlines. */
export const OCEAN_KIND = 1

type Rule = readonly [key: string, values: readonly string[], kind: Partial<GroundKind> & Pick<GroundKind, 'layer'>]

const area = (layer: GroundLayer, kind?: string, leastZoom = 8) =>
  ({ layer, isArea: true, leastZoom, ...(kind === undefined ? {} : { kind }) }) as const
const road = (kind: string, leastZoom: number) => ({ layer: 'roads', kind, isArea: false, leastZoom }) as const
const place = (leastZoom: number) => ({ layer: 'places', kind: 'locality', isArea: false, leastZoom }) as const
const river = (leastZoom: number) => ({ layer: 'water', isArea: false, leastZoom }) as const

/**
 * The kind for each value of a key. If several keys of an element match, the key that comes first in this list applies.
 */
const RULES: readonly Rule[] = [
  ['highway', ['motorway', 'motorway_link'], road('highway', 8)],
  ['highway', ['trunk', 'trunk_link'], road('major_road', 8)],
  ['highway', ['primary', 'primary_link'], road('major_road', 9)],
  ['highway', ['secondary', 'secondary_link'], road('major_road', 10)],
  ['highway', ['tertiary', 'tertiary_link'], road('major_road', 11)],
  ['highway', ['residential', 'unclassified', 'living_street', 'road', 'busway'], road('minor_road', 12)],
  ['highway', ['pedestrian'], road('path', 13)],
  ['highway', ['service', 'track'], road('minor_road', 13)],
  ['highway', ['footway', 'path', 'steps', 'cycleway', 'bridleway', 'corridor'], road('path', 14)],
  ['railway', ['rail', 'light_rail', 'subway', 'narrow_gauge', 'tram', 'funicular', 'monorail'], road('rail', 10)],
  ['route', ['ferry'], road('ferry', 10)],
  ['waterway', ['river'], river(9)],
  ['waterway', ['canal'], river(11)],
  ['waterway', ['stream', 'ditch', 'drain'], river(13)],
  ['natural', ['water'], area('water')],
  ['waterway', ['riverbank', 'dock'], area('water', 'water')],
  ['landuse', ['reservoir', 'basin'], area('water', 'water')],
  ['leisure', ['swimming_pool'], area('water', 'swimming_pool', 14)],
  ['leisure', ['park', 'garden', 'nature_reserve', 'golf_course', 'dog_park'], area('landuse', 'park')],
  ['leisure', ['pitch', 'playground', 'stadium', 'track'], area('landuse', undefined, 12)],
  ['landuse', ['forest'], area('landuse', 'forest')],
  ['natural', ['wood'], area('landuse', 'forest')],
  [
    'landuse',
    ['grass', 'meadow', 'village_green', 'recreation_ground', 'orchard', 'vineyard'],
    area('landuse', 'grass'),
  ],
  ['natural', ['grassland', 'scrub', 'heath'], area('landuse', 'grass')],
  ['natural', ['beach', 'sand'], area('landuse', 'beach')],
  ['landuse', ['cemetery', 'industrial', 'commercial', 'retail', 'residential', 'railway'], area('landuse')],
  ['landuse', ['farmland'], area('landuse', undefined, 9)],
  ['amenity', ['school', 'university', 'college', 'hospital'], area('landuse', undefined, 11)],
  ['amenity', ['grave_yard'], area('landuse', 'cemetery', 11)],
  ['aeroway', ['aerodrome'], area('landuse')],
  ['aeroway', ['runway', 'taxiway'], road('aeroway', 11)],
  ['place', ['city'], place(8)],
  ['place', ['town'], place(9)],
  ['place', ['village', 'borough', 'suburb'], place(11)],
  ['place', ['quarter', 'neighbourhood', 'hamlet'], place(13)],
]

/** The keys of the rules, in the order in which they are tried. */
const RULE_KEYS = [...new Set(RULES.map(([key]) => key))]
const BUILDING: GroundKind = { layer: 'buildings', kind: 'building', detail: undefined, isArea: true, leastZoom: 14 }
const SQUARE: GroundKind = { layer: 'landuse', kind: 'pedestrian', detail: undefined, isArea: true, leastZoom: 13 }
const PIER: GroundKind = { layer: 'landuse', kind: 'pier', detail: undefined, isArea: true, leastZoom: 12 }
const OCEAN: GroundKind = { layer: 'water', kind: 'ocean', detail: undefined, isArea: true, leastZoom: 8 }

/** All kinds by number. Number 0 is NO_KIND. */
export const GROUND_KINDS: readonly GroundKind[] = [
  { ...OCEAN, kind: '' },
  OCEAN,
  BUILDING,
  SQUARE,
  PIER,
  ...RULES.flatMap(([, values, rule]) =>
    values.map((value): GroundKind => {
      const kind = rule.kind ?? value
      return { leastZoom: 8, isArea: false, ...rule, kind, detail: kind === value ? undefined : value }
    }),
  ),
]
const BUILDING_KIND = GROUND_KINDS.indexOf(BUILDING)
const SQUARE_KIND = GROUND_KINDS.indexOf(SQUARE)
const PIER_KIND = GROUND_KINDS.indexOf(PIER)

const OTHER_KEYS = ['building', 'type', 'name', 'tunnel', 'bridge', 'covered', 'area', 'man_made', 'area:highway']
const OTHER_VALUES = ['yes', 'no', 'multipolygon', 'coastline', 'pier', 'building_passage', 'culvert', 'entrance']
/** The keys and values that this file compares with the tags of elements. */
export const GROUND_WORDS = new WordTable([
  ...new Set([...RULE_KEYS, ...OTHER_KEYS, ...OTHER_VALUES, ...RULES.flatMap(([, values]) => values)]),
])

const words = (...names: string[]) => names.map((name) => GROUND_WORDS.number(name))
export const [GROUND_NAME, TYPE] = words('name', 'type')
const [NATURAL, BUILDING_KEY, TUNNEL, BRIDGE, AREA, MAN_MADE] = words(
  ...['natural', 'building', 'tunnel', 'bridge', 'area', 'man_made'],
)
const [YES, NO, MULTIPOLYGON, COASTLINE, PIER_VALUE] = words('yes', 'no', 'multipolygon', 'coastline', 'pier')
const [HIGHWAY, PEDESTRIAN, FOOTWAY] = words('highway', 'pedestrian', 'footway')

const KEY_NUMBERS = RULE_KEYS.map((key) => GROUND_WORDS.number(key))
/** For each key in RULE_KEYS: number of a value (in GROUND_WORDS) → number of its kind. */
const KINDS_OF_KEY = RULE_KEYS.map((key) => {
  const kinds = new Uint8Array(GROUND_WORDS.size)
  let number = GROUND_KINDS.length - RULES.reduce((sum, [, values]) => sum + values.length, 0)
  for (const [ruleKey, values] of RULES) {
    for (const value of values) {
      if (ruleKey === key) kinds[GROUND_WORDS.number(value)] = number
      number++
    }
  }
  return kinds
})

/** Whether a relation is a multipolygon. The base map has no other relations. */
export function isGroundRelation(tags: TagReader): boolean {
  return tags.word(TYPE) === MULTIPOLYGON
}

/**
 * The number of an element's kind; NO_KIND if it is not drawn.
 * @param hasBuildings whether buildings are drawn
 */
export function groundKindOf(tags: TagReader, hasBuildings: boolean): number {
  if (tags.word(AREA) === YES) {
    const highway = tags.word(HIGHWAY)
    if (highway === PEDESTRIAN || highway === FOOTWAY) return SQUARE_KIND
  }
  for (const [at, key] of KEY_NUMBERS.entries()) {
    const word = tags.word(key)
    const kind = word === UNKNOWN_WORD ? NO_KIND : KINDS_OF_KEY[at][word]
    if (kind !== NO_KIND) return kind
  }
  if (tags.word(MAN_MADE) === PIER_VALUE) return PIER_KIND
  return hasBuildings && tags.has(BUILDING_KEY) && tags.word(BUILDING_KEY) !== NO ? BUILDING_KIND : NO_KIND
}

/** The flags of a way, without the number of its kind. */
export function groundFlagsOf(tags: TagReader): number {
  const isTunnel = tags.has(TUNNEL) && tags.word(TUNNEL) !== NO
  const isBridge = tags.has(BRIDGE) && tags.word(BRIDGE) !== NO
  return (isTunnel ? GROUND_TUNNEL : 0) | (isBridge ? GROUND_BRIDGE : 0)
}

/** Whether a way is a coastline. */
export function isCoast(tags: TagReader): boolean {
  return tags.word(NATURAL) === COASTLINE
}
