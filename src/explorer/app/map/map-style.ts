// The MapLibre style for the base map and the network. Stop names are not part of it, because they are drawn on the
// canvas.
import type {
  FilterSpecification,
  GeoJSONSourceSpecification,
  LayerSpecification,
  SourceSpecification,
  StyleSpecification,
} from 'maplibre-gl'

import type { GroundStyle } from './ground-style.ts'
import { TAKEN } from './taken-names.ts'

/** Colors for the base map and the stops. */
export interface Ground {
  readonly paper: string
  readonly land: string
  readonly coast: string
  readonly casing: string
  readonly ink: string
  readonly stop: string
  readonly edge: string
  readonly walk: string
  /** The color of the user's own position. */
  readonly me: string
}

/** The light color scheme. */
export const LIGHT_GROUND: Ground = {
  paper: '#e6ece9',
  land: '#f7f8f5',
  coast: '#cfd8d3',
  casing: '#ffffff',
  ink: '#12211f',
  stop: '#ffffff',
  edge: '#f2bd42',
  walk: '#2c403c',
  me: '#0b5fd0',
}

/** The dark color scheme. */
export const DARK_GROUND: Ground = {
  paper: '#0b1211',
  land: '#121a18',
  coast: '#27332f',
  casing: '#0d1413',
  ink: '#e8efec',
  stop: '#0d1413',
  edge: '#f2bd42',
  walk: '#cbd6d2',
  me: '#8bbcff',
}

/** The ids of the layers with clickable lines. */
export const LINE_LAYERS = ['lines', 'chosen-line']
/** The ids of the layers with clickable stops, topmost first. */
export const STOP_LAYERS = ['line-stops', 'stops']

const NOTHING: GeoJSONSourceSpecification = { type: 'geojson', data: { type: 'FeatureCollection', features: [] } }
/** The lowest zoom at which platforms are drawn separately. */
const PLATFORM_ZOOM = 16
const STOP_ZOOM = 12.6

/** Used if there is no base map. It has no layers, so only the outline of the land is drawn. */
export const PLAIN: GroundStyle = { below: [], names: [], taken: [] }

/** Returns the style of the whole map: the base map's layers, and the network's lines and stops above them. */
export function mapStyle(
  ground: Ground,
  tiles: GroundStyle,
  tileSource: Readonly<Record<string, SourceSpecification>>,
): StyleSpecification {
  return {
    version: 8,
    sources: {
      land: NOTHING,
      lines: NOTHING,
      stops: NOTHING,
      'line-stops': NOTHING,
      legs: NOTHING,
      marks: NOTHING,
      [TAKEN]: NOTHING,
      ...tileSource,
    },
    layers: [
      ...groundLayers(ground),
      ...tiles.below,
      ...lineLayers(ground),
      ...tiles.names,
      ...stopLayers(ground),
      ...legLayers(ground),
      ...tiles.taken,
    ],
  }
}

function groundLayers(ground: Ground): LayerSpecification[] {
  const byZoom = ['interpolate', ['linear'], ['zoom'], 6, 1, 9, 0]
  return [
    { id: 'paper', type: 'background', paint: { 'background-color': zoomColor(ground.paper, ground.land) } },
    layer({
      id: 'land',
      type: 'fill',
      source: 'land',
      maxzoom: 9.5,
      paint: { 'fill-color': ground.land, 'fill-opacity': byZoom },
    }),
    layer({
      id: 'coast',
      type: 'line',
      source: 'land',
      maxzoom: 9.5,
      paint: { 'line-color': ground.coast, 'line-opacity': byZoom },
    }),
  ]
}

/**
 * The background color. At low zooms, it is `far`, the color of the sea. At high zooms, it is `near`, the color of the
 * land, because the outline of the land is too coarse to be drawn there.
 */
function zoomColor(far: string, near: string) {
  return ['interpolate', ['linear'], ['zoom'], 6, far, 9, near] as never
}

const LINE_WIDTH = [
  'interpolate',
  ['exponential', 1.4],
  ['zoom'],
  9,
  ['*', 0.55, ['get', 'weight']],
  13,
  ['get', 'weight'],
  17,
  ['*', 2.4, ['get', 'weight']],
]
const CASED_WIDTH = [
  'interpolate',
  ['exponential', 1.4],
  ['zoom'],
  9,
  ['*', 1.1, ['get', 'weight']],
  13,
  ['+', 2.4, ['get', 'weight']],
  17,
  ['+', 4, ['*', 2.4, ['get', 'weight']]],
]
/** Lines that share a track are drawn side by side; see shared-tracks.ts. */
const BESIDE = ['coalesce', ['get', 'beside'], 0]
const LINE_OFFSET = [
  'interpolate',
  ['exponential', 1.4],
  ['zoom'],
  9,
  ['*', 0.55, BESIDE],
  13,
  BESIDE,
  17,
  ['*', 2.4, BESIDE],
]
const ROUND = { 'line-cap': 'round', 'line-join': 'round', 'line-sort-key': ['get', 'order'] }

function lineLayers(ground: Ground): LayerSpecification[] {
  const chosen = ['==', ['get', 'line'], '']
  return [
    layer({
      id: 'lines-casing',
      type: 'line',
      source: 'lines',
      layout: ROUND,
      paint: {
        'line-color': ground.casing,
        'line-width': CASED_WIDTH,
        'line-offset': LINE_OFFSET,
        'line-opacity': 0.9,
      },
    }),
    layer({
      id: 'lines',
      type: 'line',
      source: 'lines',
      layout: ROUND,
      paint: { 'line-color': ['get', 'color'], 'line-width': LINE_WIDTH, 'line-offset': LINE_OFFSET },
    }),
    layer({
      id: 'chosen-casing',
      type: 'line',
      source: 'lines',
      filter: chosen,
      layout: ROUND,
      paint: { 'line-color': ground.casing, 'line-width': ['interpolate', ['linear'], ['zoom'], 9, 6, 14, 11, 17, 17] },
    }),
    layer({
      id: 'chosen-line',
      type: 'line',
      source: 'lines',
      filter: chosen,
      layout: ROUND,
      paint: {
        'line-color': ['get', 'color'],
        'line-width': ['interpolate', ['linear'], ['zoom'], 9, 3, 14, 6, 17, 11],
      },
    }),
  ]
}

/**
 * A filter for the stop discs. It shows areas at low zooms and their platforms at high zooms, never both. It hides the
 * areas in `hiddenAreas` and their platforms.
 */
export function shownStops(hiddenAreas: readonly string[]): FilterSpecification {
  const isNear = ['>=', ['zoom'], PLATFORM_ZOOM]
  const isShown = ['match', ['get', 'kind'], 'platform', isNear, 'area', ['!', isNear], true]
  const filter = ['all', isShown, ['!', ['in', ['get', 'area'], ['literal', [...hiddenAreas]]]]]
  return filter as FilterSpecification
}

function stopLayers(ground: Ground): LayerSpecification[] {
  const radius = ['interpolate', ['linear'], ['zoom'], STOP_ZOOM, 1.8, 15, 4, 18, 7]
  const paint = { 'circle-color': ground.stop, 'circle-stroke-color': ground.ink }
  return [
    layer({
      id: 'stops',
      type: 'circle',
      source: 'stops',
      minzoom: STOP_ZOOM,
      filter: shownStops([]),
      paint: {
        ...paint,
        'circle-radius': radius,
        'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], STOP_ZOOM, 0.8, 16, 1.6],
      },
    }),
    layer({
      id: 'line-stops',
      type: 'circle',
      source: 'line-stops',
      paint: {
        ...paint,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 10, 2, 13, 4, 17, 7],
        'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 10, 1, 14, 2],
      },
    }),
  ]
}

function legLayers(ground: Ground): LayerSpecification[] {
  const isRide = ['==', ['get', 'kind'], 'transit']
  const isWalk = ['==', ['get', 'kind'], 'walk']
  return [
    layer({
      id: 'leg-casing',
      type: 'line',
      source: 'legs',
      filter: isRide,
      layout: ROUND,
      paint: { 'line-color': ground.casing, 'line-width': 11 },
    }),
    layer({
      id: 'leg-rides',
      type: 'line',
      source: 'legs',
      filter: isRide,
      layout: ROUND,
      paint: { 'line-color': ['get', 'color'], 'line-width': 6.5 },
    }),
    layer({
      id: 'leg-walks',
      type: 'line',
      source: 'legs',
      filter: isWalk,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': ground.walk, 'line-width': 3.5, 'line-dasharray': [0.1, 2] },
    }),
    layer({
      id: 'leg-stops',
      type: 'circle',
      source: 'legs',
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': ground.stop,
        'circle-radius': 4.5,
        'circle-stroke-color': ground.ink,
        'circle-stroke-width': 2,
      },
    }),
    markLayer(ground),
  ]
}

/** The layer for the chosen stop, the ends of a journey and the user's own position. */
function markLayer(ground: Ground): LayerSpecification {
  return layer({
    id: 'marks',
    type: 'circle',
    source: 'marks',
    paint: {
      'circle-color': ['match', ['get', 'kind'], 'stop', ground.edge, 'from', ground.ink, 'me', ground.me, ground.edge],
      'circle-radius': 8,
      'circle-stroke-color': ['match', ['get', 'kind'], ['from', 'me'], ground.stop, ground.ink],
      'circle-stroke-width': 3,
    },
  })
}

/**
 * Casts a layer to MapLibre's type. The cast is needed because that type only accepts expressions that are written as
 * literals.
 */
function layer(of: object): LayerSpecification {
  return of as LayerSpecification
}
