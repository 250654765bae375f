// A database session of a process. It sends one statement at a time. A statement may be slow, lost on the way,
// committed without an answer, or committed long after the process has given up on it.
import { StoreUnavailable } from '../../../src/accounts/account-store.ts'
import type { FleetDatabase } from './fleet-database.ts'
import type { FleetWorld } from './fleet-world.ts'
import type { SimulatedReplica } from './simulated-replica.ts'

/** A process gives up on a statement after this time. */
export const TIMEOUT_MILLIS = 3_000

/** One session. */
export class Link {
  private readonly world: FleetWorld
  private readonly process: SimulatedReplica
  private last: Promise<unknown> = Promise.resolve()

  constructor(world: FleetWorld, process: SimulatedReplica) {
    this.world = world
    this.process = process
  }

  /** Runs a statement after all earlier ones. */
  send<Result>(run: (database: FleetDatabase) => Result): Promise<Result> {
    const result = this.last.then(() => this.transmit(run))
    this.last = result.catch(() => {})
    return result
  }

  private transmit<Result>(run: (database: FleetDatabase) => Result): Promise<Result> {
    const { world, process } = this
    const { loop, dice } = world
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const unavailable = () => reject(new StoreUnavailable('no answer'))
    if (!world.isUp || process.node.isCut) {
      world.later(process, dice.chance(0.7) ? 5 : TIMEOUT_MILLIS, unavailable)
      return promise
    }
    const { primary } = world
    const sentAt = loop.now
    const isSlow = !world.isHealing && dice.chance(world.slowShare)
    const commitAt = sentAt + 1 + dice.below(isSlow ? 6_000 : 8)
    const isQueued = dice.chance(0.3)
    const isLost = isSlow && dice.chance(0.3)
    loop.at(commitAt, () => {
      const isOther = world.primary !== primary && !(isQueued && commitAt < sentAt + TIMEOUT_MILLIS + 500)
      if (isLost || !world.isUp || isOther) return
      let answer: () => void
      try {
        const value = run(world.database)
        answer = () => resolve(value)
      } catch (error) {
        answer = () => reject(error)
      }
      const backAt = commitAt + dice.below(isSlow && dice.chance(0.5) ? 4_000 : 5)
      if (backAt >= sentAt + TIMEOUT_MILLIS) return
      world.later(process, backAt - loop.now, () => {
        if (!process.node.isCut) answer()
      })
    })
    world.later(process, TIMEOUT_MILLIS, unavailable)
    return promise
  }
}

/** The sessions of a process. */
export function openLinks(world: FleetWorld, process: SimulatedReplica) {
  const open = () => new Link(world, process)
  return { watch: open(), flush: open(), grant: open(), store: open() }
}
