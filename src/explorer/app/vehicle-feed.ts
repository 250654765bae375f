// Loads vehicles. Vehicles on the chosen line come from an event stream. For other lines, the vehicles in view are
// requested by circle, one request at a time. The first requests follow each other almost without a pause. The later
// pauses are so long that the requests of an hour use at most a twentieth of the remaining units. However, no pause is
// longer than half a minute.

import { Stored } from '../../pages/app/stored.ts'
import { type Refusal, request, segment, toRefusal, unitsLeft } from './api-client.ts'
import type { Atlas } from './atlas.ts'
import type { NearbyVehicle, Vehicle } from './contract.ts'
import { followStream } from './event-stream.ts'
import type { MapView } from './map/map-view.ts'
import type { Bounds } from './map/mercator.ts'
import { type Cell, circleOf, commonOf, coverOf, isInside, quartersOf, widened } from './vehicle-cells.ts'

const STREAM_SECONDS = 5
/** Number of requests with only the shortest pause between them, after a network is opened. */
const FIRST_CALLS = 6
const SHORTEST_PAUSE_MILLIS = 150
/** The pause for four requests a minute. */
const USUAL_PAUSE_MILLIS = 15_000
const LONGEST_PAUSE_MILLIS = 30_000
/** Interval at which the feed checks whether a request is due. */
const LOOK_MILLIS = 250
const HOUR_MILLIS = 3_600_000
const HOURLY_SHARE = 0.05
const MOST_IN_CIRCLE = 100
/** Maximum time that the first request waits for the lines' shapes. Once they are drawn, the map moves to them. */
const SHAPES_WAIT_MILLIS = 5_000
/** Vehicles are requested up to this far outside the bounding box of the lines' shapes. */
const BESIDE_METERS = 1_000

/** The progress of loading vehicles. */
export interface VehicleNews {
  /** Incremented by each response, so that lists rerender. */
  readonly answers: number
  /** Why the latest API call failed; undefined if it succeeded. */
  readonly problem: Refusal | undefined
}

/** A rectangle, and the time when it was last requested. */
interface RequestedCell extends Cell {
  requestedAt: number
}

/** Loads the vehicles of one network into the map. */
export class VehicleFeed {
  readonly news = new Stored<VehicleNews>({ answers: 0, problem: undefined })
  private readonly atlas: Atlas
  private readonly view: MapView
  private readonly openedAt = performance.now()
  /** The bounding box that the cells cover. */
  private covered: Bounds | undefined
  private cells: RequestedCell[] = []
  private calls = 0
  private chosen: string | undefined
  private endStream: () => void = () => undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private isClosed = false
  /** Whether vehicles on lines other than the chosen one are requested. */
  isForAll = true

  constructor(atlas: Atlas, view: MapView) {
    this.atlas = atlas
    this.view = view
    this.schedule(0)
  }

  /**
   * Follows a line's vehicles, from an event stream or, if the network has no streams, by polling. Stops following the
   * previous line.
   */
  choose(lineId: string | undefined): void {
    if (this.chosen === lineId) return
    this.chosen = lineId
    this.endStream()
    this.endStream = () => undefined
    if (lineId === undefined || !this.hasVehicles) return
    if (!this.atlas.network.capabilities.streams) {
      void this.readLine(lineId)
      const timer = setInterval(() => void this.readLine(lineId), USUAL_PAUSE_MILLIS)
      this.endStream = () => clearInterval(timer)
      return
    }
    const path = `/lines/${segment(lineId)}/vehicles/stream?interval=${STREAM_SECONDS}`
    this.endStream = followStream<readonly Vehicle[]>(path, 'chosenVehicles', {
      onAnswer: ({ data }) => this.takeLine(lineId, data),
      onBreak: (refusal) => this.note(refusal),
    })
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
    this.endStream()
    this.view.vehicles.clear()
  }

  private get hasVehicles(): boolean {
    return this.atlas.network.capabilities.vehicles !== 'none'
  }

  private schedule(millis: number): void {
    if (this.isClosed) return
    this.timer = setTimeout(() => void this.turn(), millis)
  }

  /** Requests the cell that was requested longest ago. */
  private async turn(): Promise<void> {
    const cell = this.nextCell()
    if (cell === undefined) return this.schedule(LOOK_MILLIS)
    this.calls++
    cell.requestedAt = performance.now()
    let pauseMillis = this.calls < FIRST_CALLS && this.hasUnrequested(cell) ? SHORTEST_PAUSE_MILLIS : usualPause()
    try {
      const { near, radius } = circleOf(cell)
      const query = `near=${near}&radius=${radius}&networks=${segment(this.atlas.network.id)}&limit=${MOST_IN_CIRCLE}`
      const answer = await request<readonly NearbyVehicle[]>(`/vehicles/nearby?${query}`, 'vehiclesInView', {
        isPolled: true,
      })
      if (this.isClosed) return
      this.takeCell(cell, answer.data)
      // A response with the maximum number of vehicles may omit others. From now on, the quarters of this cell are
      // requested instead.
      if (answer.data.length === MOST_IN_CIRCLE && this.divide(cell) && this.calls < FIRST_CALLS) {
        pauseMillis = SHORTEST_PAUSE_MILLIS
      }
    } catch (error) {
      const refusal = toRefusal(error)
      this.note(refusal)
      pauseMillis = Math.max(usualPause(), refusal.retrySeconds * 1_000)
    }
    this.schedule(pauseMillis)
  }

  private nextCell(): RequestedCell | undefined {
    if (!this.isForAll || !this.hasVehicles || document.visibilityState === 'hidden') return undefined
    if (!this.view.isResting) return undefined
    // The first request waits for the shapes, because the map moves to the network only after they are drawn.
    const { lines, drawn, wanted } = this.atlas.state.value
    const isDrawn = lines.length > 0 && drawn >= wanted
    if (this.calls === 0 && !isDrawn && performance.now() - this.openedAt < SHAPES_WAIT_MILLIS) return undefined
    this.cover()
    return this.cells.reduce<RequestedCell | undefined>(
      (oldest, cell) => (oldest === undefined || cell.requestedAt < oldest.requestedAt ? cell : oldest),
      undefined,
    )
  }

  /** Covers the visible part of the network with cells, unless it is already covered. */
  private cover(): void {
    const network = this.atlas.bounds()
    const seen = this.view.bounds()
    const box = network === undefined ? seen : commonOf(seen, widened(network, BESIDE_METERS))
    if (box === undefined) {
      this.cells = []
      this.covered = undefined
      return
    }
    if (this.covered?.every((edge, at) => edge === box[at]) === true) return
    const before = this.cells
    this.covered = box
    this.cells = coverOf(box).map((cell) => ({ ...cell, requestedAt: Number.NEGATIVE_INFINITY }))
    // Cells that are known to contain too many vehicles are divided at once, because a single response would omit some
    // of the vehicles.
    for (const cell of this.cells) if (this.knownIn(cell) > MOST_IN_CIRCLE) this.divide(cell)
    for (const cell of this.cells) cell.requestedAt = requestedAtOf(cell, before)
  }

  private knownIn(cell: Cell): number {
    return this.view.vehicles.countWhere(({ lon, lat }) => isInside(cell, lon, lat))
  }

  private hasUnrequested(but: RequestedCell): boolean {
    return this.cells.some((cell) => cell !== but && cell.requestedAt === Number.NEGATIVE_INFINITY)
  }

  /** Replaces a cell with its quarters. Returns false if the cell is too small to be divided. */
  private divide(cell: RequestedCell): boolean {
    const quarters = quartersOf(cell)
    if (quarters.length === 0) return false
    const parts = quarters.map((each) => ({ ...each, requestedAt: Number.NEGATIVE_INFINITY }))
    this.cells = this.cells.flatMap((each) => (each === cell ? parts : [each]))
    return true
  }

  private takeCell(cell: Cell, vehicles: readonly NearbyVehicle[]): void {
    const { vehicles: layer, isDark } = this.view
    // Vehicles on the chosen line come from the line's stream, which is more recent.
    layer.replaceWhere(
      vehicles.filter(({ line_id }) => line_id !== this.chosen),
      {
        looksOf: (lineId) => this.atlas.looksOf(lineId, isDark),
        isGone: ({ line_id, lon, lat }) =>
          vehicles.length < MOST_IN_CIRCLE && line_id !== this.chosen && isInside(cell, lon, lat),
      },
    )
    this.noteAnswer()
  }

  private async readLine(lineId: string): Promise<void> {
    try {
      const { data } = await request<readonly Vehicle[]>(`/lines/${segment(lineId)}/vehicles`, 'lineVehicles', {
        isPolled: true,
      })
      if (this.chosen === lineId) this.takeLine(lineId, data)
    } catch (error) {
      this.note(toRefusal(error))
    }
  }

  private takeLine(lineId: string, vehicles: readonly Vehicle[]): void {
    if (this.isClosed) return
    const looks = this.atlas.looksOf(lineId, this.view.isDark)
    const isGone = (vehicle: { readonly line_id: string }) => vehicle.line_id === lineId
    this.view.vehicles.replaceWhere(vehicles, { looksOf: () => looks, isGone })
    this.noteAnswer()
  }

  private noteAnswer(): void {
    this.view.repaint()
    this.news.update(({ answers }) => ({ answers: answers + 1, problem: undefined }))
  }

  private note(problem: Refusal): void {
    this.news.update((news) => ({ ...news, problem }))
  }
}

/**
 * Finds the cell in `before` that contains this cell. Returns when that cell was last requested; −∞ if there is none.
 */
function requestedAtOf({ bounds }: Cell, before: readonly RequestedCell[]): number {
  const [lon, lat] = [(bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2]
  const same = before.find((cell) => isInside(cell, lon, lat))
  const isWithin = same !== undefined && isInside(same, bounds[0], bounds[1]) && isInside(same, bounds[2], bounds[3])
  return isWithin ? same.requestedAt : Number.NEGATIVE_INFINITY
}

/** The usual pause between two requests, in milliseconds. The first requests have a shorter pause. */
function usualPause(): number {
  const byUnits = HOUR_MILLIS / Math.max(1, (unitsLeft.value ?? 1_000) * HOURLY_SHARE)
  return Math.min(LONGEST_PAUSE_MILLIS, Math.max(byUnits, USUAL_PAUSE_MILLIS))
}
