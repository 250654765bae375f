// Times functions: warms them up, then reports the minimum, the median and high percentiles of many runs.

/** Percentiles of measured values, in the unit of the values. */
export interface Spread {
  readonly min: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** The spread of the values. Sorts `values` in place. */
export function spreadOf(values: Float64Array): Spread {
  values.sort()
  const at = (share: number) => values[Math.min(values.length - 1, Math.floor(values.length * share))]
  return { min: values[0], p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** Times `rounds` calls of a function, in microseconds. First makes as many calls without timing them, to warm up. */
export function timeEach(rounds: number, call: (round: number) => void): Spread {
  for (let round = 0; round < rounds; round++) call(round)
  const micros = new Float64Array(rounds)
  for (let round = 0; round < rounds; round++) {
    const started = Bun.nanoseconds()
    call(round)
    micros[round] = (Bun.nanoseconds() - started) / 1000
  }
  return spreadOf(micros)
}

/** Formats a number with at least four significant digits. */
export function digits(value: number): string {
  return value >= 1000 ? value.toFixed(0) : value >= 100 ? value.toFixed(1) : value.toPrecision(4)
}

/** Processor seconds that the given processes have used, as Linux reports them in /proc. */
export async function processorSeconds(...pids: readonly number[]): Promise<number> {
  const CLOCK_TICKS_PER_SECOND = 100
  let ticks = 0
  for (const pid of pids) {
    const stat = await Bun.file(`/proc/${pid}/stat`).text()
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / CLOCK_TICKS_PER_SECOND
}

/** A memory value of a process in megabytes, such as `Rss`, `Pss` or `Private_Dirty`. */
export async function processMemory(pid: number, name: string): Promise<number> {
  const text = await Bun.file(`/proc/${pid}/smaps_rollup`).text()
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]
  if (kilobytes === undefined) throw new Error(`the system does not report ${name}`)
  return Number(kilobytes) / 1024
}

/** Growth of memory in megabytes per minute: the slope of a line fitted to the samples by least squares. */
export function slopeOf(samples: readonly { readonly minute: number; readonly megabytes: number }[]): number {
  const mean = (of: (sample: { minute: number; megabytes: number }) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const [at, of] = [mean(({ minute }) => minute), mean(({ megabytes }) => megabytes)]
  const above = samples.reduce((sum, { minute, megabytes }) => sum + (minute - at) * (megabytes - of), 0)
  return above / samples.reduce((sum, { minute }) => sum + (minute - at) ** 2, 0)
}
