// The results of a storm, and the limits that they must meet.

/** A board may be unavailable if its request is due at most this long before or after the process is killed. */
const KILL_GRACE_MILLIS = 2_000
/**
 * Minimum share of boards that must be available. A board that may be unavailable because the process was killed counts
 * as available.
 */
const LEAST_AVAILABLE = 0.9999
/**
 * Maximum memory, as a multiple of the mean over `MEMORY_MINUTES`. In a shorter storm, the mean over its second half is
 * used.
 */
const MOST_MEMORY = 1.3
const MEMORY_MINUTES = { from: 5, to: 10 } as const
const SHOWN = 10
const MEMORY_SHOWN = 5
const RECENT = 8

/** A sample of the process's memory. */
interface MemorySample {
  readonly minute: number
  readonly megabytes: number
  /** The last events before the sample. */
  readonly recent: readonly string[]
}

/** Counts the results of a storm. */
export class StormTally {
  /** Units of responses that were read completely. */
  reported = 0
  /** Units of requests that were sent but not answered. They may or may not be in the ledger. */
  unanswered = 0
  /** The number of checked responses, by kind of call. */
  readonly checked: Record<string, number> = {}
  /** The number of expected refusals, by reason. */
  readonly refused: Record<string, number> = {}
  /** Responses that contradict the timetable, the live feed or the API. */
  readonly wrong: string[] = []
  readonly stormEvents: Record<string, number> = {}
  readonly unavailable: string[] = []
  boards = 0
  /** The number of streams that were opened. `chargedStreams` is the number of those that were certainly charged. */
  streams = 0
  chargedStreams = 0
  unansweredStreams = 0
  events = 0
  retries = 0
  /** Calls that were sent more than a second late because the machine was busy. */
  lateCalls = 0
  /** The last events, which may explain a wrong response. */
  private recent: readonly string[] = []
  private readonly memory: MemorySample[] = []
  private readonly kills: number[] = []
  private readonly started = performance.now()

  get minutes(): number {
    return (performance.now() - this.started) / 60_000
  }

  note(event: string): void {
    this.stormEvents[event] = (this.stormEvents[event] ?? 0) + 1
    this.recent = [...this.recent, `${event} at ${this.minutes.toFixed(2)}`].slice(-RECENT)
  }

  noteKill(): void {
    this.kills.push(performance.now())
  }

  noteMemory(megabytes: number): void {
    this.memory.push({ minute: this.minutes, megabytes, recent: this.recent })
  }

  check(what: string, fault: string | undefined): void {
    this.checked[what] = (this.checked[what] ?? 0) + 1
    if (fault === undefined) return
    this.wrong.push(`${what}: ${fault}`)
    if (this.wrong.length > SHOWN) return
    console.log(`WRONG at minute ${this.minutes.toFixed(2)}, ${what}: ${fault}; before: ${this.recent.join(', ')}`)
  }

  refuse(why: string): void {
    this.refused[why] = (this.refused[why] ?? 0) + 1
  }

  /**
   * Counts a board that was due at this time.
   * @param failure why the board was not answered; undefined if it was answered
   */
  countBoard(dueMillis: number, failure: string | undefined): void {
    this.boards++
    if (failure === undefined) return
    const isExcused = this.kills.some((at) => dueMillis > at - KILL_GRACE_MILLIS && dueMillis < at + KILL_GRACE_MILLIS)
    if (isExcused) this.refuse('within 2 s of a process kill')
    else this.unavailable.push(`minute ${this.minutes.toFixed(2)}: ${failure}`)
  }

  /**
   * Prints all figures. Returns whether all limits are met.
   * @param isTimed false to ignore the limits on availability and memory, since a restart takes longer on a busy
   * machine
   */
  report(ledger: { readonly calls: number; readonly streams: number }, isTimed: boolean): boolean {
    const mean = meanOf(this.memory, this.minutes)
    const [peak] = this.showMemory()
    const most = peak?.megabytes ?? Number.NaN
    const available = 1 - this.unavailable.length / Math.max(1, this.boards)
    console.log(`happened: ${countsOf(this.stormEvents)}`)
    console.log(`responses checked: ${countsOf(this.checked)}; stream events: ${this.events}`)
    console.log(
      `rejected: ${countsOf(this.refused)}; sent again after a lost connection: ${this.retries}; sent late: ${this.lateCalls}`,
    )
    for (const line of this.unavailable.slice(0, SHOWN)) console.log(`  unavailable: ${line}`)
    const bars = [
      {
        isMet: this.reported <= ledger.calls && ledger.calls <= this.reported + this.unanswered,
        line: `units: ${this.reported} acknowledged ≤ ${ledger.calls} in the ledger ≤ ${this.reported + this.unanswered} with those unanswered`,
      },
      {
        isMet: this.chargedStreams <= ledger.streams && ledger.streams <= this.streams + this.unansweredStreams,
        line: `streams: ${this.chargedStreams} certainly charged ≤ ${ledger.streams} in the ledger ≤ ${this.streams + this.unansweredStreams} opened or unanswered`,
      },
      { isMet: this.wrong.length === 0, line: `wrong responses: ${this.wrong.length}` },
      {
        isOfTime: true,
        isMet: available >= LEAST_AVAILABLE,
        line: `boards available: ${(100 * available).toFixed(4)}% of ${this.boards} (≥ ${100 * LEAST_AVAILABLE}%)`,
      },
      {
        isOfTime: true,
        isMet: most <= mean * MOST_MEMORY,
        line: `memory (Pss): ${most.toFixed(0)} MB at most, mean ${mean.toFixed(0)} MB: ${(most / mean).toFixed(2)} × (≤ ${MOST_MEMORY} ×)`,
      },
    ]
    for (const { isMet, line } of bars) console.log(`${isMet ? 'met   ' : 'MISSED'} ${line}`)
    return bars.every(({ isMet, isOfTime }) => isMet || (isOfTime === true && !isTimed))
  }

  /** Prints the largest samples. Returns all samples, the largest first. */
  private showMemory(): readonly MemorySample[] {
    const sorted = this.memory.toSorted((one, other) => other.megabytes - one.megabytes)
    for (const { minute, megabytes, recent } of sorted.slice(0, MEMORY_SHOWN)) {
      console.log(`  memory: ${megabytes.toFixed(0)} MB at minute ${minute.toFixed(2)}; before: ${recent.join(', ')}`)
    }
    return sorted
  }
}

function meanOf(samples: readonly MemorySample[], minutes: number): number {
  const { from, to } = minutes > MEMORY_MINUTES.to ? MEMORY_MINUTES : { from: minutes / 2, to: minutes }
  const some = samples.filter(({ minute }) => minute >= from && minute <= to)
  return some.reduce((sum, { megabytes }) => sum + megabytes, 0) / some.length
}

function countsOf(counts: Readonly<Record<string, number>>): string {
  const rows = Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1))
  return rows.length === 0 ? 'none' : rows.map(([name, count]) => `${name} ${count}`).join(', ')
}
