// Watches a network's feeds for changes: compares stamps of local files, and sends conditional requests to URLs.
import { isWebAddress, stampSources } from '../sources/source-stamp.ts'

/** Default seconds between checks of local files. */
const LOCAL_SECONDS = 10
const WEB_SECONDS = 3_600
/** A changed file is imported only after its stamp has stayed the same for this long: a copy may be in progress. */
const SETTLE_MILLIS = 1_000

/** The feeds to watch, and where to report. */
export interface WatchOrder {
  readonly sources: readonly string[]
  /** Seconds between checks; undefined for the default, 0 for never. */
  readonly refreshSeconds: number | undefined
  /** Stamp of the local files at the last import. */
  readonly importedStamp: () => string
  /** Called when the feeds may have changed. */
  readonly onChange: () => void
  /** Called with a message if the files cannot be read, and with `undefined` once the files can be read again. */
  readonly onProblem: (problem: string | undefined) => void
}

/** Watches one network's feeds until closed. */
export class SourceWatch {
  private readonly order: WatchOrder
  private readonly timers: ReturnType<typeof setInterval>[] = []
  private settling: ReturnType<typeof setTimeout> | undefined
  /** Whether the last check failed. */
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
      if (settled === undefined) return // the files cannot be read: the next check starts over
      if (settled !== stamp) this.settle(settled)
      else if (settled !== this.order.importedStamp()) this.order.onChange()
    }, SETTLE_MILLIS)
  }

  /**
   * Stamp of the files; undefined if the system cannot read them now, for example because it lacks file descriptors.
   */
  private stamp(): string | undefined {
    try {
      const stamp = stampSources(this.order.sources)
      if (this.isFailing) this.order.onProblem(undefined)
      this.isFailing = false
      return stamp
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      if (!this.isFailing) this.order.onProblem(`the source files cannot be read (${String(error.code)})`)
      this.isFailing = true
      return undefined
    }
  }
}
