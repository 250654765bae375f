// Loads vehicles: the chosen line's by event stream, the other lines in view by polling one line per call. The polling rate
// depends on the units left: one hour uses at most a twentieth of them.
import { ask, type Refusal, segment, toRefusal, unitsLeft } from './api-client.ts'
import type { Atlas } from './atlas.ts'
import type { Vehicle } from './contract.ts'
import { followStream } from './event-stream.ts'
import type { MapView } from './map/map-view.ts'
import { Stored } from './stored.ts'

const STREAM_SECONDS = 5
/** Target time to poll every line once. */
const TURN_MILLIS = 15_000
const SHORTEST_PAUSE_MILLIS = 150
const LONGEST_PAUSE_MILLIS = 30_000
const HOUR_MILLIS = 3_600_000
const HOURLY_SHARE = 0.05
/** How long a line without vehicles is skipped. */
const EMPTY_REST_MILLIS = 60_000

/** Progress of loading vehicles. */
export interface VehicleNews {
  /** Incremented on each response, so that lists rerender. */
  readonly answers: number
  /** Why the latest call failed. */
  readonly problem: Refusal | undefined
}

/** Loads the vehicles of one network into the map. */
export class VehicleFeed {
  readonly news = new Stored<VehicleNews>({ answers: 0, problem: undefined })
  private readonly atlas: Atlas
  private readonly view: MapView
  private readonly restUntil = new Map<string, number>()
  private readonly askedAt = new Map<string, number>()
  private chosen: string | undefined
  private endStream: () => void = () => undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private isClosed = false
  /** Whether the other lines are polled too. */
  isForAll = true

  constructor(atlas: Atlas, view: MapView) {
    this.atlas = atlas
    this.view = view
    this.schedule(0)
  }

  /** Follows a line by stream and ends the previous stream. */
  choose(lineId: string | undefined): void {
    if (this.chosen === lineId) return
    this.chosen = lineId
    this.endStream()
    this.endStream = () => undefined
    if (lineId === undefined || !this.hasVehicles) return
    if (!this.atlas.network.capabilities.streams) return
    const path = `/lines/${segment(lineId)}/vehicles/stream?interval=${STREAM_SECONDS}`
    this.endStream = followStream<readonly Vehicle[]>(path, 'Vehicles of the chosen line, live', {
      onAnswer: ({ data }) => this.take(lineId, data),
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

  /** Polls the next line. */
  private async turn(): Promise<void> {
    const lines = this.linesInView()
    const next = lines.reduce<string | undefined>(
      (oldest, line) => (oldest === undefined || this.askedMillis(line) < this.askedMillis(oldest) ? line : oldest),
      undefined,
    )
    if (next === undefined || document.visibilityState === 'hidden') return this.schedule(1_000)
    this.askedAt.set(next, performance.now())
    const started = performance.now()
    // The first round polls as fast as allowed.
    let pauseMillis = pauseBetween(this.askedAt.size < lines.length ? Number.POSITIVE_INFINITY : lines.length)
    try {
      const { data } = await ask<readonly Vehicle[]>(`/lines/${segment(next)}/vehicles`, 'Vehicles of a line in view', {
        isPolled: true,
      })
      if (this.isClosed) return
      if (data.length === 0) this.restUntil.set(next, performance.now() + EMPTY_REST_MILLIS)
      if (next !== this.chosen) this.take(next, data)
    } catch (error) {
      const refusal = toRefusal(error)
      this.note(refusal)
      this.restUntil.set(next, performance.now() + EMPTY_REST_MILLIS)
      pauseMillis = Math.max(pauseMillis, refusal.retrySeconds * 1_000, 2_000)
    }
    this.schedule(Math.max(SHORTEST_PAUSE_MILLIS, pauseMillis - (performance.now() - started)))
  }

  private linesInView(): string[] {
    if (!this.isForAll || !this.hasVehicles) return []
    const [west, south, east, north] = this.view.bounds()
    const now = performance.now()
    return this.atlas.state.value.lines
      .map((line) => line.id)
      .filter((id) => {
        if (id === this.chosen || (this.restUntil.get(id) ?? 0) > now) return false
        const bounds = this.atlas.shape(id)?.bounds
        if (bounds === undefined) return false
        return bounds[0] < east && west < bounds[2] && bounds[1] < north && south < bounds[3]
      })
  }

  private askedMillis(lineId: string): number {
    return this.askedAt.get(lineId) ?? Number.NEGATIVE_INFINITY
  }

  private take(lineId: string, vehicles: readonly Vehicle[]): void {
    if (this.isClosed) return
    this.view.vehicles.replaceLine(lineId, vehicles, this.atlas.looksOf(lineId, this.view.isDark))
    this.view.repaint()
    this.news.update(({ answers }) => ({ answers: answers + 1, problem: undefined }))
  }

  private note(problem: Refusal): void {
    this.news.update((news) => ({ ...news, problem }))
  }
}

/** Milliseconds between two polls. */
function pauseBetween(lineCount: number): number {
  const byUnits = HOUR_MILLIS / Math.max(1, (unitsLeft.value ?? 1_000) * HOURLY_SHARE)
  return Math.min(LONGEST_PAUSE_MILLIS, Math.max(byUnits, TURN_MILLIS / Math.max(1, lineCount)))
}
