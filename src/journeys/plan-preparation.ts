// Lays out the days of each network before queries need them: at startup, after each new snapshot, and before queries
// need other days. Queries then do not wait for layouts.
import type { Networks } from '../networks/network.ts'
import type { Clock } from '../system/clock.ts'
import type { JourneyPlanning } from './journey-planning.ts'
import type { PlannerQuestion } from './planner-messages.ts'

/** Interval between checks for days that queries will need soon. */
const LOOK_MILLIS = 60_000
/** Days are laid out this long before queries need them. */
const AHEAD_SECONDS = 1_800
/**
 * Number of networks that are warmed up: the first ones in the configuration. Each of them then uses up to a megabyte
 * more memory.
 */
const WARMED_UP = 8

/** A query that waits for days to be laid out, and the steps that lay them out. */
interface RequestedDays {
  readonly question: PlannerQuestion
  readonly steps: Generator<void>
  readonly run: () => void
}

/**
 * Runs one step; returns true if it was the last one. A step that throws counts as the last one. The query that needs
 * the days then fails with the same error and reports it.
 */
function isDone(steps: Generator<void>): boolean {
  try {
    return steps.next().done === true
  } catch {
    return true
  }
}

/** Prepares the networks of one planner, in steps between its queries. */
export class PlanPreparation {
  private readonly planning: JourneyPlanning
  private readonly networks: Networks
  private readonly clock: Clock | undefined
  private steps: Generator<void> | undefined
  /**
   * The queries that wait for days to be laid out. Their days are laid out before all other days. The queries take
   * turns, with one step each.
   */
  private requested: readonly RequestedDays[] = []
  private isUnderWay = false
  /** The network whose days are being laid out. */
  private network: string | undefined

  constructor(planning: JourneyPlanning, networks: Networks, clock: Clock | undefined) {
    this.planning = planning
    this.networks = networks
    this.clock = clock
    if (clock !== undefined) setInterval(() => this.begin(), LOOK_MILLIS).unref()
  }

  /** Starts to prepare all networks again; days that are already laid out are skipped. */
  begin(): void {
    const { clock } = this
    if (clock === undefined) return
    this.steps = this.allSteps(Math.ceil(clock.nowMillis() / 1000))
    this.scheduleStep()
  }

  /** Lays out the days that a query needs, in steps between other queries. Calls `run` when the days are ready. */
  layOutFor(question: PlannerQuestion, run: () => void): void {
    this.requested = [...this.requested, { question, steps: this.planning.prepareFor(question), run }]
    this.scheduleStep()
  }

  private scheduleStep(): void {
    if (this.isUnderWay) return
    this.isUnderWay = true
    setTimeout(() => {
      this.isUnderWay = false
      this.step()
      if (this.requested.length > 0 || this.steps !== undefined) this.scheduleStep()
    })
  }

  private step(): void {
    const [first, ...others] = this.requested
    // If no query waits, or the network of the first query is already being prepared, the preparation continues.
    if (first === undefined || (this.steps !== undefined && this.network === first.question.network)) {
      if (this.steps?.next().done !== false) this.steps = undefined
    } else if (isDone(first.steps)) {
      this.requested = others
      first.run()
    } else this.requested = [...others, first]
    const ready = this.requested.filter(({ question }) => this.planning.isReady(question))
    this.requested = this.requested.filter((each) => !ready.includes(each))
    for (const { run } of ready) run()
  }

  /** Prepares one network. Ignores errors: a query that needs the days fails with the same error and reports it. */
  private *stepsOf(network: string, seconds: number, isWarmedUp: boolean): Generator<void> {
    try {
      yield* this.planning.prepare(network, seconds, isWarmedUp)
    } catch {
      return
    }
  }

  private *allSteps(nowSeconds: number): Generator<void> {
    for (const seconds of [nowSeconds, nowSeconds + AHEAD_SECONDS]) {
      for (const [at, { settings }] of this.networks.list.entries()) {
        this.network = settings.id
        yield* this.stepsOf(settings.id, seconds, at < WARMED_UP)
      }
    }
  }
}
