// What a planner makes ready before anybody asks: the days of each network, at once after the start or a new snapshot and
// again before they change, so that no question waits for more than its own search.
import type { Networks } from '../networks/network.ts'
import type { Clock } from '../system/clock.ts'
import type { JourneyPlanning } from './journey-planning.ts'

/** How often it is looked whether other days are needed, and how long beforehand they are made ready. */
const LOOK_MILLIS = 60_000
const AHEAD_SECONDS = 1_800

/** Makes the networks of one planner ready, a step at a time between its questions. */
export class PlanPreparation {
  private readonly planning: JourneyPlanning
  private readonly networks: Networks
  private readonly clock: Clock | undefined
  private steps: Generator<void> | undefined

  constructor(planning: JourneyPlanning, networks: Networks, clock: Clock | undefined) {
    this.planning = planning
    this.networks = networks
    this.clock = clock
    if (clock !== undefined) setInterval(() => this.begin(), LOOK_MILLIS).unref()
  }

  /** Begins anew: what is ready is passed over. */
  begin(): void {
    const { clock } = this
    if (clock === undefined) return
    const isUnderWay = this.steps !== undefined
    this.steps = this.allSteps(Math.ceil(clock.nowMillis() / 1000))
    if (!isUnderWay) this.goOn()
  }

  private goOn(): void {
    setTimeout(() => {
      if (this.steps?.next().done === false) this.goOn()
      else this.steps = undefined
    })
  }

  /** What breaks here breaks the question that needs it: that one says so, and others are answered. */
  private *stepsOf(network: string, seconds: number): Generator<void> {
    try {
      yield* this.planning.prepare(network, seconds)
    } catch {
      return
    }
  }

  private *allSteps(nowSeconds: number): Generator<void> {
    for (const seconds of [nowSeconds, nowSeconds + AHEAD_SECONDS]) {
      for (const { settings } of this.networks.list) yield* this.stepsOf(settings.id, seconds)
    }
  }
}
