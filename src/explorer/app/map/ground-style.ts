// The style of vector base maps. Its colors are muted, so that the network's lines stand out. The style uses the layer
// names and kinds of the Protomaps basemap, and the map made from streets has the same names and kinds. The style also
// supports the layer names of OpenMapTiles. Text is drawn with the device's fonts, because the style has no glyphs.
import type { LayerSpecification } from 'maplibre-gl'
import { PLACE_NAMES } from './place-names.ts'
import { TAKEN } from './taken-names.ts'

/** The layers of a base map: the ground below the network's lines, and the names above them. */
export interface GroundStyle {
  readonly below: readonly LayerSpecification[]
  readonly names: readonly LayerSpecification[]
  /** Invisible layers above all others. They keep the base map's names away from the names that the canvas draws. */
  readonly taken: readonly LayerSpecification[]
}

interface Palette {
  readonly earth: string
  readonly green: string
  readonly forest: string
  readonly built: string
  readonly sand: string
  readonly water: string
  readonly building: string
  readonly road: string
  readonly casing: string
  readonly path: string
  readonly rail: string
  readonly border: string
  readonly text: string
  readonly waterText: string
  readonly halo: string
}

const LIGHT: Palette = {
  earth: '#f4f5f1',
  green: '#e2ebdc',
  forest: '#dae6d5',
  built: '#eef0eb',
  sand: '#f1ecdc',
  water: '#cfdfe6',
  building: '#e6e8e3',
  road: '#ffffff',
  casing: '#c5ccc6',
  path: '#d3d9d3',
  rail: '#c3cac6',
  border: '#cfd8d3',
  text: '#5f6e69',
  waterText: '#547786',
  halo: '#f8f9f6',
}

const DARK: Palette = {
  earth: '#141b19',
  green: '#18261d',
  forest: '#17281e',
  built: '#171f1d',
  sand: '#22231c',
  water: '#12303d',
  building: '#1b2422',
  road: '#26312e',
  casing: '#36423f',
  path: '#2a3532',
  rail: '#33403c',
  border: '#27332f',
  text: '#8b9a95',
  waterText: '#6a8c9b',
  halo: '#141b19',
}

type Value = string | number | boolean | readonly unknown[]
const KIND = ['coalesce', ['get', 'kind'], ['get', 'class'], '']
const BY_ROAD = (highway: Value, major: Value, minor: Value) => [
  'match',
  KIND,
  ['highway', 'motorway'],
  highway,
  ['major_road', 'trunk', 'primary', 'secondary', 'tertiary'],
  major,
  minor,
]
const ROADS = ['highway', 'major_road', 'minor_road', 'motorway', 'trunk', 'primary', 'secondary', 'tertiary', 'minor']
const IS_ROAD = ['in', KIND, ['literal', [...ROADS, 'service', 'aeroway']]]
const NAME = ['coalesce', ['get', 'name'], '']
const FONT = ['sans-serif']

/**
 * Returns the style's layers for the source `tiles`.
 * @param names the names of the layers in the base map's file
 */
export function groundStyle(names: readonly string[], isDark: boolean): GroundStyle {
  const colors = isDark ? DARK : LIGHT
  const drawn = (pattern: RegExp, make: (name: string) => readonly LayerSpecification[]) =>
    names.filter((name) => pattern.test(name)).flatMap(make)
  return {
    below: [
      layer('ground-earth', { type: 'background', paint: { 'background-color': colors.earth }, minzoom: 8 }),
      ...drawn(/^(land|earth)$/i, (name) => [area(name, colors.earth)]),
      ...drawn(/^(landuse|landcover|park|land_use)$/i, (name) => [landuse(name, colors)]),
      ...drawn(/^(water|ocean|waterarea)$/i, (name) => [area(name, colors.water), waterway(name, colors)]),
      ...drawn(/^(waterway|physical_line)$/i, (name) => [waterway(name, colors)]),
      ...drawn(/^buildings?$/i, (name) => [area(name, colors.building, 13.5)]),
      ...drawn(ROAD_LAYERS, (name) => roads(name, colors)),
      ...drawn(/^(boundar|admin)/i, (name) => [line(name, { color: colors.border, width: 1 })]),
    ],
    names: [
      ...drawn(ROAD_LAYERS, (name) => (/^transportation$/i.test(name) ? [] : [roadNames(name, colors)])),
      ...drawn(/^(landuse|water)$/i, (name) => [areaNames(name, colors)]),
      ...drawn(/^water$/i, (name) => [riverNames(name, colors)]),
      ...drawn(/^places?$/i, (name) => [placeNames(name)]).slice(0, 1),
    ],
    taken: [takenNames()],
  }
}

const ROAD_LAYERS = /^(roads?|transportation|transportation_name|street|highway)$/i

function area(name: string, color: Value, minzoom = 0): LayerSpecification {
  return layer(`tiles-${name}`, {
    type: 'fill',
    'source-layer': name,
    minzoom,
    filter: ['==', ['geometry-type'], 'Polygon'],
    paint: { 'fill-color': color, 'fill-antialias': minzoom > 0 },
  })
}

function landuse(name: string, { green, forest, built, sand }: Palette): LayerSpecification {
  const color = [
    'match',
    KIND,
    ['forest', 'wood', 'nature_reserve'],
    forest,
    ['beach', 'sand'],
    sand,
    ['industrial', 'commercial', 'retail', 'railway', 'school', 'university', 'college', 'hospital', 'aerodrome'],
    built,
    ['pedestrian', 'pier'],
    built,
    ['park', 'grass', 'cemetery', 'pitch', 'playground', 'stadium', 'track', 'golf_course', 'garden', 'village_green'],
    green,
    'rgba(0, 0, 0, 0)',
  ]
  return area(name, color)
}

function waterway(name: string, { water }: Palette): LayerSpecification {
  const width = [
    'interpolate',
    ['exponential', 1.6],
    ['zoom'],
    9,
    0.6,
    14,
    ['match', KIND, 'river', 5, 'canal', 3, 1.2],
  ]
  return line(name, { color: water, width, filter: ['!', ['has', 'is_tunnel']] })
}

function line(
  name: string,
  look: {
    readonly color: Value
    readonly width: Value
    readonly id?: string
    readonly filter?: Value
    readonly minzoom?: number
    readonly opacity?: Value
    readonly isRound?: boolean
  },
): LayerSpecification {
  const isLine = ['==', ['geometry-type'], 'LineString']
  return layer(`tiles-${name}-${look.id ?? 'line'}`, {
    type: 'line',
    'source-layer': name,
    minzoom: look.minzoom ?? 0,
    filter: look.filter === undefined ? isLine : ['all', isLine, look.filter],
    ...(look.isRound === true ? { layout: { 'line-cap': 'round', 'line-join': 'round' } } : {}),
    paint: {
      'line-color': look.color,
      'line-width': look.width,
      ...(look.opacity === undefined ? {} : { 'line-opacity': look.opacity }),
    },
  })
}

function roads(name: string, colors: Palette): LayerSpecification[] {
  const service = ['match', ['coalesce', ['get', 'kind_detail'], ''], ['service', 'track'], 0.5, 1]
  const width = (more: number) => [
    'interpolate',
    ['exponential', 1.6],
    ['zoom'],
    8,
    BY_ROAD(0.8 + more * 0.2, 0.4, 0.2),
    12,
    BY_ROAD(2.4 + more, 1.5 + more * 0.5, 0.5),
    14,
    ['*', service, BY_ROAD(4.5 + more, 3.6 + more, 1.9 + more)],
    18,
    ['*', service, BY_ROAD(22 + more, 18 + more, 13 + more)],
  ]
  const opacity = ['case', ['has', 'is_tunnel'], 0.35, 1]
  const isPath = ['in', KIND, ['literal', ['path', 'other']]]
  const isRail = ['all', ['==', KIND, 'rail'], ['!', ['has', 'is_tunnel']]]
  return [
    line(name, { id: 'path', filter: isPath, minzoom: 14, color: colors.path, width: 0.9 }),
    line(name, {
      ...{ id: 'casing', filter: IS_ROAD, minzoom: 11, color: colors.casing, width: width(1.2), opacity },
      isRound: true,
    }),
    line(name, { id: 'road', filter: IS_ROAD, color: roadColor(colors), width: width(0), opacity, isRound: true }),
    line(name, {
      id: 'rail',
      filter: isRail,
      color: colors.rail,
      width: ['interpolate', ['linear'], ['zoom'], 10, 0.5, 15, 1.6],
    }),
    line(name, { id: 'ferry', filter: ['==', KIND, 'ferry'], color: colors.waterText, width: 0.6 }),
  ]
}

/**
 * The fill color of roads. At low zooms, roads have no casing. They are then drawn in the casing's color, so that they
 * stand out from the ground.
 */
function roadColor({ road, casing }: Palette): Value {
  return ['interpolate', ['linear'], ['zoom'], 11, casing, 12.5, road]
}

function roadNames(name: string, { text, halo }: Palette): LayerSpecification {
  return layer(`tiles-${name}-names`, {
    type: 'symbol',
    'source-layer': name,
    minzoom: 13.5,
    // The names of footpaths are shown only at high zooms, because placing names takes most of the time needed for a
    // frame.
    filter: ['all', ['has', 'name'], ['!=', KIND, 'rail'], ['any', ['!=', KIND, 'path'], ['>=', ['zoom'], 15.5]]],
    layout: {
      'symbol-placement': 'line',
      'symbol-spacing': 450,
      'symbol-sort-key': BY_ROAD(0, 1, ['match', KIND, 'path', 3, 2]),
      'text-field': NAME,
      'text-font': FONT,
      'text-size': ['interpolate', ['linear'], ['zoom'], 13.5, 10, 18, 13],
      'text-max-angle': 30,
      'text-padding': 6,
    },
    paint: { 'text-color': text, 'text-halo-color': halo, 'text-halo-width': 1.4 },
  })
}

function areaNames(name: string, { text, waterText, halo }: Palette): LayerSpecification {
  const isWater = /^water$/i.test(name)
  return layer(`tiles-${name}-names`, {
    type: 'symbol',
    'source-layer': name,
    minzoom: isWater ? 11 : 14,
    filter: ['all', ['has', 'name'], ['==', ['geometry-type'], 'Polygon']],
    layout: { 'text-field': NAME, 'text-font': FONT, 'text-size': 10.5, 'text-max-width': 7, 'text-padding': 8 },
    paint: { 'text-color': isWater ? waterText : text, 'text-halo-color': halo, 'text-halo-width': 1.2 },
  })
}

function riverNames(name: string, { waterText, halo }: Palette): LayerSpecification {
  return layer(`tiles-${name}-rivers`, {
    type: 'symbol',
    'source-layer': name,
    minzoom: 12,
    filter: ['all', ['has', 'name'], ['==', ['geometry-type'], 'LineString']],
    layout: {
      'symbol-placement': 'line',
      'symbol-spacing': 500,
      'text-field': NAME,
      'text-font': FONT,
      'text-size': 11,
      'text-letter-spacing': 0.08,
    },
    paint: { 'text-color': waterText, 'text-halo-color': halo, 'text-halo-width': 1 },
  })
}

/** A layer that only reserves space for place names. The code in place-names.ts draws the names, above the vehicles. */
function placeNames(name: string): LayerSpecification {
  const detail = ['coalesce', ['get', 'kind_detail'], '']
  const size = (more: number) => ['match', detail, 'city', 15 + more, 'town', 13 + more, 11 + more]
  return layer(PLACE_NAMES, {
    type: 'symbol',
    'source-layer': name,
    maxzoom: 15,
    // A city's name is hidden at zooms that show only a part of the city.
    filter: [
      'all',
      ['has', 'name'],
      ['any', ['<', ['zoom'], 13], ['!', ['in', detail, ['literal', ['city', 'town']]]]],
    ],
    layout: {
      'text-field': NAME,
      'text-font': FONT,
      'text-size': ['interpolate', ['linear'], ['zoom'], 8, size(-1), 13, size(1)],
      'text-max-width': 100,
      'text-padding': 10,
      'symbol-sort-key': ['match', detail, 'city', 0, 'town', 1, 'village', 2, 3],
    },
    paint: { 'text-opacity': 0 },
  })
}

/** A layer of invisible text. Each name is as large as on the canvas, and on the same side of its stop. */
function takenNames(): LayerSpecification {
  return layer('taken', {
    type: 'symbol',
    source: TAKEN,
    layout: {
      'text-field': ['get', 'text'],
      'text-font': FONT,
      'text-size': 13,
      'text-anchor': ['case', ['get', 'isOnLeft'], 'right', 'left'],
      'text-offset': ['case', ['get', 'isOnLeft'], ['literal', [-0.5, 0]], ['literal', [0.5, 0]]],
      'text-max-width': 100,
      'text-padding': 1,
      'text-allow-overlap': true,
    },
    paint: { 'text-opacity': 0 },
  })
}

/**
 * Adds the id and the source to a layer, and casts it to MapLibre's type. The cast is needed because that type only
 * accepts expressions that are written as literals.
 */
function layer(id: string, of: object): LayerSpecification {
  const isBackground = 'type' in of && of.type === 'background'
  return { id, ...(isBackground ? {} : { source: 'tiles' }), ...of } as LayerSpecification
}
