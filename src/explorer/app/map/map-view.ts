// The map. MapLibre draws the base map, lines and stops. A canvas above the map shows vehicles and names. The map and
// the canvas are drawn in the same frame, so that they stay aligned.
import { addProtocol, type GeoJSONSource, Map as GlMap, setWorkerUrl } from 'maplibre-gl'
import { language } from '../../../pages/app/language.ts'
import { Stored } from '../../../pages/app/stored.ts'
import { serviceNow } from '../api-client.ts'
import { WORKER_URL } from '../page-addresses.ts'
import { type Camera, keepCamera } from '../place.ts'
import { texts } from '../texts/texts.ts'
import { clearCanvas, pixelRatio } from './canvas.ts'
import { drawLabels, type Label } from './labels.ts'
import { type Land, loadLand } from './land.ts'
import type { MapFeature } from './map-feature.ts'
import { DARK_GROUND, LIGHT_GROUND, LINE_LAYERS, mapStyle, PLAIN, STOP_LAYERS, shownStops } from './map-style.ts'
import {
  type Bounds,
  metersPerUnit,
  type PlanePoint,
  toCoordinate,
  toPlane,
  type Viewport,
  worldPixelsAt,
} from './mercator.ts'
import { marginOfBoxes, paddingOfPanel, zoomOfWorld } from './paddings.ts'
import { PlaceNames } from './place-names.ts'
import { besideEachOther } from './shared-tracks.ts'
import { TakenNames } from './taken-names.ts'
import { followTiles, type Tiles } from './tiles.ts'
import { type Sighting, VehicleLayer } from './vehicle-layer.ts'

/** What the user clicked on the map. */
export type Pressed =
  | { readonly kind: 'vehicle'; readonly id: string; readonly lineId: string }
  | { readonly kind: 'stop'; readonly id: string }
  | { readonly kind: 'line'; readonly id: string }
  | { readonly kind: 'ground' }

/** Called with the clicked object and the position of the click. Returns whether it handled the click. */
type Presser = (pressed: Pressed, at: { readonly lon: number; readonly lat: number }) => boolean

/** The map's data sources. */
export type SourceName = 'lines' | 'stops' | 'line-stops' | 'legs' | 'marks'

const PRESS_PIXELS = 6
const STOP_ZOOM = 14.6
/** Interval at which the map moves to the followed vehicle. */
const FOLLOW_MILLIS = 1_000
/** While the map is at rest, the canvas is redrawn only after a vehicle moves visibly: by this many device pixels. */
const LEAST_MOVE_PIXELS = 0.5

/** The map on the screen. */
export class MapView {
  readonly map: GlMap
  readonly vehicles = new VehicleLayer()
  /** Labels of the loaded stops, except platforms. They are drawn only while `lineLabels` is empty. */
  stopLabels: readonly Label[] = []
  lineLabels: readonly Label[] = []
  /** Attribution of the base map; empty if there is none. */
  readonly credit = new Stored('')
  /** The vehicle that the map follows until the user moves the map. */
  readonly followed = new Stored<string | undefined>(undefined)
  /** Meters per CSS pixel at the center of the map. */
  readonly metersPerPixel = new Stored(1)
  private followedAt = 0
  /** Called when the color scheme has changed. */
  onGround: () => void = () => undefined
  private readonly canvas: HTMLCanvasElement
  private readonly context: CanvasRenderingContext2D | null
  private readonly given = new Map<SourceName, readonly MapFeature[]>()
  private readonly pressers = new Set<Presser>()
  private readonly marks = new Map<string, MapFeature>()
  private readonly darkness = matchMedia('(prefers-color-scheme: dark)')
  private readonly stillness = matchMedia('(prefers-reduced-motion: reduce)')
  private readonly frame: HTMLElement
  private chosen: string | undefined
  private hiddenAreas: readonly string[] = []
  /** Whether a screen may move the map. False once an earlier camera was restored or the user has moved the map. */
  private isFree = true
  private hasDrawer = false
  /** Whether the map has been moved to a network. Until then, it shows the world. */
  private isPlaced = false
  private tiles: Tiles | undefined
  private land: Land | undefined
  private readonly takenNames = new TakenNames()
  private readonly placeNames = new PlaceNames()
  private drawnVehicles = 0
  private isPainting = false
  private paintedAt = 0

  /** Throws if the browser does not support WebGL 2. @param frame the element around the map and the canvas */
  constructor(frame: HTMLElement, container: HTMLElement, canvas: HTMLCanvasElement) {
    setWorkerUrl(WORKER_URL)
    this.frame = frame
    this.canvas = canvas
    // Lets tests read the drawn map.
    Object.defineProperty(frame, 'mapView', { value: this })
    this.context = canvas.getContext('2d')
    this.map = new GlMap({
      container,
      style: mapStyle(this.ground, PLAIN, {}),
      center: [8, 30],
      zoom: zoomOfWorld(),
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      maxPitch: 0,
      maxZoom: 19,
      pixelRatio: pixelRatio(),
      fadeDuration: 0,
      renderWorldCopies: false,
    })
    this.map.touchZoomRotate.disableRotation()
    this.map.keyboard.disableRotation()
    this.map.on('render', () => this.repaint())
    this.map.on('style.load', () => this.refill())
    this.map.on('idle', () => {
      this.placeNames.read(this.map)
      this.repaint()
    })
    this.map.on('click', (event) => this.press(event.point, event.lngLat))
    this.map.on('movestart', (event) => {
      // Moves by the program have no original event. Only the user's own moves stop the map from following a vehicle.
      if (event.originalEvent === undefined) return
      this.isFree = false
      this.followed.set(undefined)
    })
    this.map.on('moveend', () => {
      if (!this.isPlaced) return
      const { lng: lon, lat } = this.map.getCenter()
      keepCamera({ lon, lat, zoom: this.map.getZoom() })
    })
    this.map.on('resize', () => this.map.setPadding(paddingOfPanel(this.hasDrawer)))
    this.map.setPadding(paddingOfPanel())
    this.map.on('mousemove', (event) => {
      const pressed = this.at(event.point)
      this.map.getCanvas().style.cursor = pressed === undefined ? '' : 'pointer'
    })
    this.darkness.addEventListener('change', () => this.restyle())
    this.vehicles.setDark(this.darkness.matches)
    this.vehicles.isGliding = !this.stillness.matches
    const nameCanvas = () => this.map.getCanvas().setAttribute('aria-label', texts().mapCanvas)
    nameCanvas()
    language.follow(nameCanvas)
    void this.loadGround()
    requestAnimationFrame(this.tick)
  }

  get isDark(): boolean {
    return this.darkness.matches
  }

  /** Replaces the features of a source. */
  give(source: SourceName, features: readonly MapFeature[]): void {
    this.given.set(source, features)
    this.fill(source, features)
  }

  /** Replaces the network's lines. @param isWhole whether `lines` is complete; only then are shared tracks computed */
  giveLines(lines: readonly MapFeature[], isWhole: boolean): void {
    this.give('lines', isWhole ? besideEachOther(lines) : lines)
  }

  /** Sets or removes a marker. */
  mark(name: string, feature: MapFeature | undefined): void {
    if (feature === undefined) this.marks.delete(name)
    else this.marks.set(name, feature)
    this.give('marks', [...this.marks.values()])
  }

  /** Highlights a line, or no line. */
  choose(lineId: string | undefined): void {
    this.chosen = lineId
    this.vehicles.isChosen = lineId === undefined ? undefined : ({ line_id }) => line_id === lineId
    if (!this.map.isStyleLoaded() && this.map.getLayer('lines') === undefined) return
    const isChosen = ['==', ['get', 'line'], lineId ?? ''] as never
    this.map.setFilter('chosen-line', isChosen)
    this.map.setFilter('chosen-casing', isChosen)
    this.dim(lineId !== undefined || this.hasLegs)
  }

  /** Draws a journey's or trip's legs, and highlights vehicles chosen by `isChosen`. An empty list removes the legs. */
  giveLegs(legs: readonly MapFeature[], isChosen?: (vehicle: Sighting) => boolean): void {
    this.give('legs', legs)
    this.vehicles.isChosen = legs.length === 0 ? undefined : isChosen
    this.dim(this.hasLegs)
    this.repaint()
  }

  /** Dims all lines, or draws them normally again. */
  private dim(isDimmed: boolean): void {
    if (this.map.getLayer('lines') === undefined) return
    this.map.setPaintProperty('lines', 'line-opacity', isDimmed ? 0.22 : 1)
    this.map.setPaintProperty('lines-casing', 'line-opacity', isDimmed ? 0.3 : 0.9)
  }

  /** Adds a click handler. Returns a function to remove it. The latest handlers run first, until one returns true. */
  onPress(presser: Presser): () => void {
    this.pressers.add(presser)
    return () => this.pressers.delete(presser)
  }

  /** Called when a screen opens. Restores its earlier camera or, if it has none, lets the screen move the map. */
  begin(camera: Camera | undefined): void {
    this.isFree = camera === undefined
    if (camera === undefined) return
    this.isPlaced = true
    this.map.jumpTo({ center: [camera.lon, camera.lat], zoom: camera.zoom })
  }

  /** Moves the center of the map while the request drawer is open, to make room for the drawer. */
  setDrawer(isOpen: boolean): void {
    if (isOpen === this.hasDrawer) return
    this.hasDrawer = isOpen
    this.map.easeTo({ padding: paddingOfPanel(isOpen), duration: this.stillness.matches ? 0 : 300 })
  }

  /** Moves the map to a bounding box, unless an earlier camera has been restored or the user has moved the map. */
  fit([west, south, east, north]: Bounds, most = 15): void {
    if (!this.isFree) return
    this.isPlaced = true
    this.map.fitBounds([west, south, east, north], {
      padding: marginOfBoxes(),
      maxZoom: most,
      duration: this.stillness.matches ? 0 : 700,
    })
  }

  /** Moves the map to a stop, unless an earlier camera has been restored or the user has moved the map. */
  fitStop(lon: number, lat: number): void {
    if (this.isFree) this.goTo(lon, lat)
  }

  /** Moves the map to a position, and zooms in enough to show a stop there. */
  goTo(lon: number, lat: number): void {
    this.isPlaced = true
    this.map.easeTo({
      center: [lon, lat],
      zoom: Math.max(this.map.getZoom(), STOP_ZOOM),
      duration: this.stillness.matches ? 0 : 600,
    })
  }

  /** Zooms in by a number of steps, or out if the number is negative. Used by the zoom buttons. */
  zoomBy(steps: number): void {
    this.isFree = false
    const zoom = Math.round(this.map.getZoom() * 2) / 2 + steps
    this.map.easeTo({ zoom, duration: this.stillness.matches ? 0 : 250 })
  }

  /** Follows a vehicle, or stops following. */
  follow(vehicleId: string | undefined): void {
    this.followed.set(vehicleId)
    const place = vehicleId === undefined ? undefined : this.vehicles.placeOf(vehicleId)
    if (place !== undefined) this.goTo(...toCoordinate(place))
    this.followedAt = performance.now()
  }

  /** Hides the discs of these areas and of their stops, because the chosen line draws its own discs. */
  hideAreas(ids: readonly string[]): void {
    this.hiddenAreas = ids
    if (this.map.getLayer('stops') !== undefined) this.map.setFilter('stops', shownStops(ids))
  }

  /** Whether the map has been moved to a network and is not moving now. */
  get isResting(): boolean {
    return this.isPlaced && !this.map.isMoving()
  }

  /** The visible bounds, in degrees. */
  bounds(): Bounds {
    const bounds = this.map.getBounds()
    return [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()]
  }

  /** Redraws the canvas. */
  repaint(): void {
    const { context } = this
    if (context === null || this.isPainting) return
    this.isPainting = true
    const view = this.viewport()
    clearCanvas(context, view)
    this.metersPerPixel.set(metersPerUnit(view.center.y) / view.worldPixels)
    this.paintedAt = performance.now()
    const drawn = this.vehicles.draw(context, view, { now: this.paintedAt, serviceNow: serviceNow() })
    // Names are drawn after the vehicles, so they stay readable while vehicles pass.
    const { left } = paddingOfPanel()
    const drawnNames = drawLabels(context, view, {
      labels: this.lineLabels.length === 0 ? this.stopLabels : this.lineLabels,
      isDark: this.isDark,
      left,
    })
    if (this.tiles !== undefined) this.takenNames.show(this.map, drawnNames)
    this.placeNames.draw(context, view, { isDark: this.isDark, left })
    // Lets tests read how many vehicles the canvas shows.
    if (drawn !== this.drawnVehicles) this.frame.dataset['vehicles'] = String(drawn)
    this.drawnVehicles = drawn
    this.isPainting = false
  }

  viewport(): Viewport {
    const { lng, lat } = this.map.getCenter()
    const { clientWidth: width, clientHeight: height } = this.canvas
    const zoom = this.map.getZoom()
    const worldPixels = worldPixelsAt(zoom)
    const middle = toPlane([lng, lat])
    // The padding for the panel moves the map's center away from the center of the canvas.
    const offset = this.map.project([lng, lat])
    const center = {
      x: middle.x + (width / 2 - offset.x) / worldPixels,
      y: middle.y + (height / 2 - offset.y) / worldPixels,
    }
    return { center, worldPixels, zoom, width, height }
  }

  private get hasLegs(): boolean {
    return (this.given.get('legs')?.length ?? 0) > 0
  }

  private get ground() {
    return this.darkness.matches ? DARK_GROUND : LIGHT_GROUND
  }

  private readonly tick = (now: number) => {
    requestAnimationFrame(this.tick)
    this.keepFollowed(now)
    // Not every frame is painted, because vehicles move visibly only a few times a second, except at the highest zooms.
    const moved = this.vehicles.greatestMove(this.paintedAt, now) * worldPixelsAt(this.map.getZoom()) * pixelRatio()
    if (moved >= LEAST_MOVE_PIXELS && document.visibilityState === 'visible') this.repaint()
  }

  private keepFollowed(now: number): void {
    const id = this.followed.value
    if (id === undefined || now - this.followedAt < FOLLOW_MILLIS || this.map.isMoving()) return
    this.followedAt = now
    const place = this.vehicles.placeOf(id)
    if (place === undefined) return
    const duration = this.stillness.matches ? 0 : FOLLOW_MILLIS
    this.map.easeTo({ center: [...toCoordinate(place)], duration, easing: (share) => share })
  }

  private press(point: PlanePoint, at: { lng: number; lat: number }): void {
    const pressed = this.at(point) ?? { kind: 'ground' }
    for (const presser of [...this.pressers].reverse()) if (presser(pressed, { lon: at.lng, lat: at.lat })) return
  }

  private at({ x, y }: PlanePoint): Pressed | undefined {
    const vehicle = this.vehicles.hit(this.viewport(), { x, y })
    if (vehicle !== undefined) return { kind: 'vehicle', id: vehicle.id, lineId: vehicle.line_id }
    if (this.map.getLayer('lines') === undefined) return undefined
    const box: [[number, number], [number, number]] = [
      [x - PRESS_PIXELS, y - PRESS_PIXELS],
      [x + PRESS_PIXELS, y + PRESS_PIXELS],
    ]
    const stop = this.map.queryRenderedFeatures(box, { layers: STOP_LAYERS })[0]
    if (stop !== undefined) return { kind: 'stop', id: String(stop.properties['stop']) }
    const line = this.map.queryRenderedFeatures(box, { layers: LINE_LAYERS })[0]
    return line === undefined ? undefined : { kind: 'line', id: String(line.properties['line']) }
  }

  /** Loads the world's outline, and the base map if there is one. */
  private async loadGround(): Promise<void> {
    this.land = await loadLand()
    this.fillLand()
    await followTiles(this.map, addProtocol, (tiles) => {
      const isPlain = tiles === undefined && this.tiles === undefined
      this.tiles = tiles
      this.credit.set(tiles?.credit ?? '')
      if (!isPlain) this.restyle()
    })
  }

  private restyle(): void {
    this.vehicles.setDark(this.isDark)
    this.onGround()
    const layers = this.tiles?.layers(this.isDark) ?? PLAIN
    this.map.setStyle(mapStyle(this.ground, layers, this.tiles?.source ?? {}), { diff: false })
  }

  private refill(): void {
    this.takenNames.forget()
    for (const [source, features] of this.given) this.fill(source, features)
    this.fillLand()
    this.choose(this.chosen)
    this.hideAreas(this.hiddenAreas)
  }

  private fillLand(): void {
    if (this.land !== undefined) this.map.getSource<GeoJSONSource>('land')?.setData(this.land as never)
  }

  private fill(source: SourceName, features: readonly MapFeature[]): void {
    const data = { type: 'FeatureCollection', features }
    this.map.getSource<GeoJSONSource>(source)?.setData(data as never)
  }
}
