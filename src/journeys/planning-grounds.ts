// The grounds on a planner thread. The ground of a network is its data for planning: the timetable or the accessible
// part of the timetable, the walks, and the planner. A ground is made at first use, and again when the snapshot or the
// streets are replaced.
import { Fares } from '../../indexes/fares/fares.ts'
import { LayoutBudget } from '../../indexes/journeys/layout-budget.ts'
import { JourneyPlanner } from '../../indexes/journeys/planner.ts'
import { PlannerSearches } from '../../indexes/journeys/planner-searches.ts'
import type { LayoutShare } from '../../indexes/journeys/shared-layouts.ts'
import { stepFree, tripsWithoutWheelchairs } from '../../indexes/journeys/step-free.ts'
import { TripPaths } from '../../indexes/live/trip-paths.ts'
import { StraightWalks } from '../../indexes/streets/straight-walks.ts'
import type { StreetGraph } from '../../indexes/streets/street-graph.ts'
import { openStreetSearch, type StreetSearch, StreetWalks } from '../../indexes/streets/street-walks.ts'
import type { Walks } from '../../indexes/streets/walks.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { DEFAULT_JOURNEYS, type NetworkStreets } from '../networks/network.ts'
import type { JourneyContext } from '../rendering/journey-text.ts'
import type { SnapshotView } from '../rendering/snapshot-view.ts'
import type { LayoutExchange } from './layout-exchange.ts'
import { isLarge, nameLayouts, shareInFiles } from './layout-files.ts'

/** The planning data of a network. */
export interface Ground extends JourneyContext {
  readonly view: SnapshotView
  /** The timetable for planning: that of the snapshot, or its accessible part. */
  readonly timetable: Timetable
  readonly planner: JourneyPlanner
  readonly changeSeconds: number
  readonly isWheelchair: boolean
  readonly paths: TripPaths
  /** The walks used in planning. */
  readonly planWalks: Walks
  /** The streets that `planWalks` follows. */
  readonly streets: NetworkStreets | undefined
}

/** Expected memory of a planner that has no days laid out, in bytes per stop and per trip. Measured on 150 networks. */
const OWN_BYTES = { ofStop: 400, ofTrip: 50 }

function expectedBytes({ stops, trips }: Timetable): number {
  return stops.id.length * OWN_BYTES.ofStop + trips.id.length * OWN_BYTES.ofTrip
}

/** Memory budget in bytes for all networks on one planner thread, including their day layouts. */
const LAYOUT_BYTES = 128 * 1024 * 1024

/** How layouts are stored. */
export interface GroundOptions {
  /** Shares layouts with other planners; undefined if this is the only planner. */
  readonly exchange?: LayoutExchange | undefined
  /** Called if a layout cannot be written to its file. */
  readonly warn?: ((message: string) => void) | undefined
  readonly mostBytes?: number
}

/** The grounds of one planner thread. */
export class PlanningGrounds {
  private readonly exchange: LayoutExchange | undefined
  private readonly warn: (message: string) => void
  private readonly grounds = new WeakMap<SnapshotView, Ground>()
  private readonly wheelchairGrounds = new WeakMap<SnapshotView, Ground>()
  private readonly budget: LayoutBudget
  private readonly searches = new PlannerSearches()
  private readonly streetSearches = new WeakMap<StreetGraph, StreetSearch>()

  constructor({ exchange, warn = () => undefined, mostBytes = LAYOUT_BYTES }: GroundOptions) {
    this.exchange = exchange
    this.warn = warn
    this.budget = new LayoutBudget(mostBytes)
  }

  /** Returns the planning data of a snapshot with the network's current streets; makes it if necessary. */
  of(view: SnapshotView, { isWheelchair = false }: { readonly isWheelchair?: boolean } = {}): Ground {
    const grounds = isWheelchair ? this.wheelchairGrounds : this.grounds
    const known = grounds.get(view)
    if (known !== undefined && known.streets === view.network.streets) return known
    const ground = this.make(view, isWheelchair)
    grounds.set(view, ground)
    return ground
  }

  /**
   * Whether the memory budget has room to prepare a network before any request. Always true if the network is already
   * prepared.
   * @param view undefined if the network's snapshot is not open
   */
  hasRoomAhead(view: SnapshotView | undefined): boolean {
    return (view !== undefined && this.grounds.has(view)) || this.budget.hasRoomAhead
  }

  /** Total bytes of all day layouts that this thread has held since its start, including those that were dropped. */
  get laidBytes(): number {
    return this.budget.laidBytes
  }

  /** Frees the memory that searches used for snapshots that have been replaced. */
  forgetReplaced(): void {
    this.searches.clear()
  }

  private make(view: SnapshotView, isWheelchair: boolean): Ground {
    const { settings } = view
    const { streets } = view.network
    const timetable = isWheelchair ? stepFree(view.timetable) : view.timetable
    const leftOut = isWheelchair ? tripsWithoutWheelchairs(timetable) : undefined
    const { transferWalkMeters, changeSeconds, tightSeconds, gramsPerKm } = settings.journeys ?? DEFAULT_JOURNEYS
    const planWalks = this.walksOf(timetable, streets, isWheelchair)
    const ownName = nameLayouts(view.snapshot.id, { transferWalkMeters, changeSeconds, isWheelchair })
    const name = streets?.links === undefined ? ownName : `${ownName} ${streets.id}`
    return {
      view,
      timetable,
      isWheelchair,
      gramsPerKm,
      tightSeconds,
      changeSeconds,
      fares: new Fares(timetable),
      paths: new TripPaths(timetable),
      planWalks,
      streets,
      walks: settings.hasStreets === true ? planWalks : undefined,
      planner: new JourneyPlanner(
        timetable,
        { walkMeters: transferWalkMeters, changeSeconds, leftOut, walks: planWalks },
        {
          budget: this.budget,
          share: this.shareOf(view, timetable, name),
          searches: this.searches,
          ownBytes: expectedBytes(timetable),
          onEmpty: () => (isWheelchair ? this.wheelchairGrounds : this.grounds).delete(view),
        },
      ),
    }
  }

  private shareOf({ network }: SnapshotView, timetable: Timetable, name: string): LayoutShare | undefined {
    const others = this.exchange?.shareOf(name)
    const { snapshotPath } = network
    if (snapshotPath === undefined || !isLarge(timetable)) return others
    return shareInFiles({ snapshotPath, name, warn: this.warn }, others)
  }

  /** The walks of a timetable. They follow streets if the snapshot's stops are linked to streets. */
  private walksOf(timetable: Timetable, streets: NetworkStreets | undefined, isWheelchair: boolean): Walks {
    if (streets?.links === undefined) return new StraightWalks(timetable)
    const search = this.streetSearches.getOrInsertComputed(streets.graph, () => openStreetSearch(streets.graph))
    const { links } = streets.links
    return new StreetWalks(timetable, search, { links, profile: isWheelchair ? 'step_free' : 'foot' })
  }
}
