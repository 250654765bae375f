// What a planner makes ready before anybody asks: the days of each network, at once after the start or a new snapshot and
// again before they change, so that no question waits for more than its own search.
import type { Networks } from '../networks/network.ts'
import type { Clock } from '../system/clock.ts'
import type { JourneyPlanning } from './journey-planning.ts'
import type { PlannerQuestion } from './planner-messages.ts'

/** How often it is looked whether other days are needed, and how long beforehand they are made ready. */
const LOOK_MILLIS = 60_000
const AHEAD_SECONDS = 1_800

/** The days of a question that waits for them. */
interface AskedDays {
  readonly question: PlannerQuestion
  readonly steps: Generator<void>
  readonly ask: () => void
}

/** Takes a step. One that breaks is the last: the question breaks by the same, and says so. */
function isDone(steps: Generator<void>): boolean {
  try {
    return steps.next().done === true
  } catch {
    return true
  }
}

/** Makes the networks of one planner ready, a step at a time between its questions. */
export class PlanPreparation {
  private readonly planning: JourneyPlanning
  private readonly networks: Networks
  private readonly clock: Clock | undefined
  private steps: Generator<void> | undefined
  /** What somebody waits for, first come first served; it goes before the rest, a step of each in turn. */
  private asked: readonly AskedDays[] = []
  private isUnderWay = false
  /** The network that is made ready. */
  private network: string | undefined

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
    this.steps = this.allSteps(Math.ceil(clock.nowMillis() / 1000))
    this.goOn()
  }

  /** Lays out the days of a question, between the questions of others, then asks it. */
  layOutFor(question: PlannerQuestion, ask: () => void): void {
    this.asked = [...this.asked, { question, steps: this.planning.prepareFor(question), ask }]
    this.goOn()
  }

  private goOn(): void {
    if (this.isUnderWay) return
    this.isUnderWay = true
    setTimeout(() => {
      this.isUnderWay = false
      this.step()
      if (this.asked.length > 0 || this.steps !== undefined) this.goOn()
    })
  }

  private step(): void {
    const [first, ...others] = this.asked
    // What is laid out anyway is not laid out twice.
    if (first === undefined || (this.steps !== undefined && this.network === first.question.network)) {
      if (this.steps?.next().done !== false) this.steps = undefined
    } else if (isDone(first.steps)) {
      this.asked = others
      first.ask()
    } else this.asked = [...others, first]
    const ready = this.asked.filter(({ question }) => this.planning.isReady(question))
    this.asked = this.asked.filter((each) => !ready.includes(each))
    for (const { ask } of ready) ask()
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
      for (const { settings } of this.networks.list) {
        this.network = settings.id
        yield* this.stepsOf(settings.id, seconds)
      }
    }
  }
}
