// The life cycle of a replica. It joins the cluster under a new id. It adds to the database the counts that its
// predecessor left in the same folder, but never continues the counts of another process. While it serves, it ticks. If
// the database has lost writes, it sends all its counts again. At the end, it leaves the cluster.
import { mayPass } from '../accounts/account-store.ts'
import type { UsageRow } from '../metering/usage-store.ts'
import { DataDirUnusable } from '../system/data-dir-lock.ts'
import type { Beat } from './beat.ts'
import type { ChangeLog } from './change-log.ts'
import { type About, type FleetStore, ReplicaEnded, StoreLostWrites, type TickAnswer } from './fleet-store.ts'
import type { GrantCells } from './grant-cells.ts'
import type { Grants } from './grants.ts'
import type { Pace } from './pace.ts'
import type { SilentReplicas } from './silent-replicas.ts'

/** Pause between two ticks. */
const TICK_MILLIS = 200
/** Pause before a failed startup step is repeated. */
const RETRY_MILLIS = 200
/** The longest time between two ticks of a running process, even if the response to a SQL statement was lost. */
const STILL_MILLIS = 5_000
/** Time between two checks for replicas that are silent. */
const SWEEP_MILLIS = 1_000
/** Maximum number of usage rows in one SQL statement. */
const ROWS_AT_ONCE = 500
/**
 * If the database has not answered a tick for this long, the other replicas may have been unable to tick for the same
 * reason. So the measurement of their silence starts again, and none of them is ended.
 */
const AWAY_MILLIS = 1_000
/**
 * Other replicas may end a silent replica as lost after `lostAfterMillis`. The silent replica itself stops charging
 * earlier. The margin is a tenth of `lostAfterMillis`, but at most LONGEST_MARGIN_MILLIS.
 */
const LONGEST_MARGIN_MILLIS = 60_000

/** Counts that earlier processes left in the data directory. */
export interface FoundCounts {
  /** Id of the replica that counted; '' for a single service. */
  readonly owner: string
  readonly rows: readonly UsageRow[]
  readonly writerId: string
}

/** Dependencies of a replica. */
export interface ReplicaParts {
  readonly id: string
  readonly about: About
  /** Ids of the replicas that last used the data directory. */
  readonly predecessors: readonly string[]
  readonly found: readonly FoundCounts[]
  readonly store: FleetStore
  readonly pace: Pace
  readonly beat: Beat
  readonly cells: GrantCells
  readonly grants: Grants
  readonly changes: ChangeLog
  readonly silent: SilentReplicas
  readonly lostAfterMillis: number
  /**
   * The longest time that requests are charged while the database cannot confirm accounts and keys; 0 for no limit.
   */
  readonly ringAgeMillis: number
  /** Stops flushes; resolves when none is in progress. */
  pauseFlushes(): Promise<void>
  resumeFlushes(): void
  /** Flushes all slots. Called while flushes are paused. */
  flushAll(): Promise<void>
  /** The facts about this replica that operators and other replicas read. */
  facts(): unknown
  /** Called when the database has answered a tick. */
  onHeard(answer: TickAnswer): void
  /** Called when another process or an operator ended this replica. */
  onEnded(why: string): void
  onProblem(message: string): void
  /** Stops charging units to days before `day`. */
  seal(day: number): Promise<void>
}

/** A replica: one process in the cluster. */
export class Replica {
  readonly id: string
  /** The database's last answer to a tick, for operators. */
  lastTick: TickAnswer | undefined
  /** When the last answered tick was sent, in monotonic milliseconds. */
  heardMillis = Number.NEGATIVE_INFINITY
  /** How many times this replica has sent all its counts and grants again. */
  resyncCount = 0
  /** The database's clock minus the system's, in milliseconds. */
  skewMillis = 0
  isEnded = false
  private readonly parts: ReplicaParts
  private isStopped = false
  private isServing = false
  private isResyncing = false
  private mustResync = false
  private sweptMillis = Number.NEGATIVE_INFINITY
  private nudged = Promise.withResolvers<void>()
  private ticking: Promise<void> = Promise.resolve()

  constructor(parts: ReplicaParts) {
    this.parts = parts
    this.id = parts.id
  }

  /**
   * Joins the cluster, and adds the counts in `found` to the database. Afterwards, the predecessors' unused units can
   * be granted again.
   */
  async join(): Promise<void> {
    await this.refuseCopy()
    await this.untilDone(async () => {
      await this.announce(false)
      await this.bringIn()
    })
  }

  /** Ticks once, changes the replica's state to `serving`, then keeps ticking. */
  async serve(): Promise<void> {
    await this.untilDone(async () => {
      await this.tick()
      const state = await this.parts.store.serve(this.id)
      if (state === null) throw new StoreLostWrites('this replica is not in the database')
      if (state === 'ended') throw new ReplicaEnded('the cluster removed this replica before it started serving')
    })
    this.isServing = true
    this.ticking = this.keepTicking()
  }

  /** Returns all units and leaves the cluster. Called after the last flush. */
  async leave(): Promise<void> {
    const { store, grants, changes, facts } = this.parts
    this.isStopped = true
    await this.ticking
    await grants.pause()
    if (this.isEnded) return
    // For some seconds, other replicas count the streams in this replica's last tick, so this last tick reports no open
    // streams.
    await store.tick(this.id, changes.seen, facts())
    await store.end(this.id, 'left', null)
    while ((await store.settle(this.id, undefined)) > 0);
  }

  /** Sends a tick and handles the answer: reads new changes, for example. */
  async tick(): Promise<void> {
    const { store, pace, beat, changes, grants, cells, silent } = this.parts
    const sentMillis = pace.nowMillis()
    const sentWallMillis = pace.wallMillis()
    const { acked } = beat
    const { seen } = changes
    const answer = await store.tick(this.id, seen, this.parts.facts())
    if (this.isEnded) return
    if (answer.state === 'ended') return await this.end(answer.why ?? '')
    if (sentMillis - this.heardMillis > AWAY_MILLIS) silent.forget()
    this.heardMillis = sentMillis
    this.lastTick = answer
    this.skewMillis = answer.at - (sentWallMillis + pace.wallMillis()) / 2
    cells.deadlineMillis = sentWallMillis + this.patienceMillis
    grants.noteTick(sentMillis)
    this.parts.onHeard(answer)
    const isBehind = answer.version < seen.version || !answer.is_known
    const isUnknown = answer.state === null || (this.isServing && answer.state === 'joining')
    const isLost = isUnknown || answer.told_life !== answer.life || (answer.beat ?? 0) < acked || isBehind
    this.mustResync ||= isLost
    if (this.mustResync) return await this.resync(answer)
    if (answer.version > seen.version) await changes.read()
    for (const [accountId, month] of answer.recalls ?? []) grants.recall(accountId, month)
    if (answer.sealing_day > (answer.sealed_day ?? 0)) await this.parts.seal(answer.sealing_day)
    grants.scan()
    if (!answer.is_first || sentMillis - this.sweptMillis < SWEEP_MILLIS) return
    this.sweptMillis = sentMillis
    await silent.sweep()
  }

  /** Ticks immediately. Called when a request waits for the data that the tick reads. */
  nudge(): void {
    this.nudged.resolve()
  }

  /**
   * Handles an error from a SQL statement. If another process or an operator has ended this replica, it stops charging.
   * If the database has lost writes, the next tick sends all counts again. Any other error is reported.
   */
  async handleFault(error: unknown): Promise<void> {
    if (error instanceof ReplicaEnded) await this.end(error.message)
    else if (error instanceof StoreLostWrites) this.mustResync = true
    else this.parts.onProblem(`${error}`)
  }

  /**
   * How long the database may be silent before this replica stops charging. After a longer silence, another process may
   * use the units that this replica holds.
   */
  private get patienceMillis(): number {
    const { lostAfterMillis, ringAgeMillis } = this.parts
    const untilLost = lostAfterMillis - Math.min(LONGEST_MARGIN_MILLIS, lostAfterMillis / 10)
    return ringAgeMillis === 0 ? untilLost : Math.min(untilLost, ringAgeMillis)
  }

  /**
   * Throws if a predecessor is still running in another folder, because this data directory is then a copy. A
   * predecessor in this folder has ended, because this process has the folder's lock.
   */
  private async refuseCopy(): Promise<void> {
    const { store, predecessors, about, pace } = this.parts
    for (const predecessor of predecessors) {
      const find = () => this.untilDone(() => store.findReplica(predecessor))
      const before = await find()
      if (before === undefined || before.folder === about.folder) continue
      await pace.sleep(STILL_MILLIS)
      if ((await find())?.seenAt === before.seenAt) continue
      throw new DataDirUnusable(
        'the data directory is a copy of one that a running replica uses; remove the folder "meter" from the copy, then start again',
      )
    }
  }

  private async announce(isAgain: boolean): Promise<void> {
    const { store, about, predecessors, found, beat } = this.parts
    const writers = Object.fromEntries(found.map(({ writerId, owner }) => [writerId, owner]))
    beat.reset(await store.join({ id: this.id, about, predecessors, writers, isAgain }))
  }

  /**
   * Adds the counts in `found` to the database, under the ids of the writers that counted them. Then releases the units
   * that the predecessors did not use.
   */
  private async bringIn(): Promise<void> {
    const { store, predecessors, found, beat } = this.parts
    for (const { owner, rows } of found) {
      for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
        const some = rows.slice(first, first + ROWS_AT_ONCE)
        const write = { replica: this.id, owner, acked: beat.acked, rows: some, used: undefined }
        beat.confirm(await store.flush(write))
      }
    }
    for (const predecessor of predecessors) {
      while ((await store.settle(predecessor, { id: this.id, acked: beat.acked })) > 0);
    }
  }

  /** Sends all counts and grants again, because the database may have lost some of them. */
  private async resync(answer: TickAnswer): Promise<void> {
    const { store, beat, grants, changes, pauseFlushes, resumeFlushes, flushAll } = this.parts
    if (!this.isResyncing)
      this.parts.onProblem('the database has lost transactions; sending all counts to the database again')
    this.isResyncing = true
    this.resyncCount++
    await Promise.all([grants.pause(), pauseFlushes()])
    try {
      await this.announce(true)
      await this.bringIn()
      await flushAll()
      await grants.showAll()
      beat.confirm(await store.reportLife(this.id, beat.acked, answer.life))
      await changes.readAll()
      await store.serve(this.id)
      this.mustResync = false
      this.isResyncing = false
    } catch (error) {
      if (error instanceof ReplicaEnded) await this.end(error.message)
      else if (!(error instanceof StoreLostWrites)) throw error
    } finally {
      grants.resume()
      resumeFlushes()
    }
  }

  /** Stops charging and flushing. The charged units are flushed when the process shuts down. */
  private async end(why: string): Promise<void> {
    if (this.isEnded) return
    this.isEnded = true
    this.isStopped = true
    this.parts.cells.deadlineMillis = 0
    await this.parts.pauseFlushes()
    this.parts.onEnded(why)
  }

  private async keepTicking(): Promise<void> {
    const { pace, changes } = this.parts
    while (!this.isStopped) {
      const startedMillis = pace.nowMillis()
      const { seen } = changes
      try {
        await this.tick()
      } catch (error) {
        if (!mayPass(error)) await this.handleFault(error)
      }
      // If changes were read, ticks again at once, to confirm them: other replicas wait for this confirmation.
      if (changes.seen !== seen) continue
      const millis = Math.max(0, startedMillis + TICK_MILLIS - pace.nowMillis())
      await Promise.race([pace.sleep(millis), this.nudged.promise])
      this.nudged = Promise.withResolvers<void>()
    }
  }

  /** Runs a startup step, and repeats it as long as it fails because of a database outage or lost writes. */
  private async untilDone<Result>(step: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await step()
      } catch (error) {
        if (this.isStopped || !(mayPass(error) || error instanceof StoreLostWrites)) throw error
      }
      await this.parts.pace.sleep(RETRY_MILLIS)
    }
  }
}
