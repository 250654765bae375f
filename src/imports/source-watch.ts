// Looks at a network's feeds again and again: at local files for a change of their looks, at the web by asking anew.
import { isWebAddress, stampSources } from '../sources/source-stamp.ts'

/** Seconds between two looks where the configuration names none. */
const LOCAL_SECONDS = 10
const WEB_SECONDS = 3_600
/** A file that has changed is taken once it has looked the same for so long: it may still be being copied. */
const SETTLE_MILLIS = 1_000

/** What is watched. */
export interface WatchOrder {
  readonly sources: readonly string[]
  /** Seconds between two looks; undefined for the usual ones, 0 for never. */
  readonly refreshSeconds: number | undefined
  /** How the local files looked when they were last imported. */
  readonly importedStamp: () => string
  /** Called when an import may find something new. */
  readonly onChange: () => void
  /** Told when the files cannot be looked at, in words, and with `undefined` when they can be again. */
  readonly onProblem: (problem: string | undefined) => void
}

/** Watches one network's feeds until it is closed. */
export class SourceWatch {
  private readonly order: WatchOrder
  private readonly timers: ReturnType<typeof setInterval>[] = []
  private settling: ReturnType<typeof setTimeout> | undefined
  /** The last look failed. */
  private isFailing = false

  constructor(order: WatchOrder) {
    this.order = order
    const { sources, refreshSeconds } = order
    if (refreshSeconds === 0) return
    if (sources.some((source) => !isWebAddress(source))) this.every(refreshSeconds ?? LOCAL_SECONDS, () => this.look())
    if (sources.some(isWebAddress)) this.every(refreshSeconds ?? WEB_SECONDS, order.onChange)
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer)
    clearTimeout(this.settling)
  }

  private every(seconds: number, run: () => void): void {
    this.timers.push(setInterval(run, seconds * 1000))
  }

  private look(): void {
    if (this.settling !== undefined) return
    const stamp = this.stamp()
    if (stamp !== undefined && stamp !== this.order.importedStamp()) this.settle(stamp)
  }

  private settle(stamp: string): void {
    this.settling = setTimeout(() => {
      this.settling = undefined
      const settled = this.stamp()
      if (settled === undefined) return // the next look begins anew
      if (settled !== stamp) this.settle(settled)
      else if (settled !== this.order.importedStamp()) this.order.onChange()
    }, SETTLE_MILLIS)
  }

  /** How the files look; undefined if the system does not say now, such as for want of a file descriptor. */
  private stamp(): string | undefined {
    try {
      const stamp = stampSources(this.order.sources)
      if (this.isFailing) this.order.onProblem(undefined)
      this.isFailing = false
      return stamp
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      if (!this.isFailing) this.order.onProblem(`its files cannot be looked at (${String(error.code)})`)
      this.isFailing = true
      return undefined
    }
  }
}
