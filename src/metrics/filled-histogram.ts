// A histogram without counts of its own: when metrics are requested, it reads the counts from their source, such as the
// data threads' memory.
import { Histogram, type Registry } from 'prom-client'

/** The counts of one series in a histogram. */
export interface HistogramCounts {
  /** Number of observations in each bucket; the last bucket has no upper bound. */
  readonly buckets: readonly number[]
  /** Sum of the observations, in seconds. */
  readonly seconds: number
}

/** The description of a histogram, and the source of its counts. */
interface FilledParts<Label extends string> {
  readonly name: string
  readonly help: string
  /** Upper bounds of all buckets but the last. */
  readonly boundsSeconds: readonly number[]
  readonly read: () => readonly {
    readonly labels: Readonly<Partial<Record<Label, string>>>
    readonly counts: HistogramCounts
  }[]
}

/** A prom-client histogram that reads its counts from `parts.read` whenever metrics are requested. */
export class FilledHistogram<Label extends string> extends Histogram<Label> {
  private readonly parts: FilledParts<Label>

  constructor(registry: Registry, parts: FilledParts<Label>) {
    super({ name: parts.name, help: parts.help, registers: [registry] })
    this.parts = parts
  }

  /** Returns the values of the metric. prom-client calls this method, although its types do not declare it. */
  async getForPromString() {
    const { name, help, boundsSeconds, read } = this.parts
    const values = read().flatMap(({ labels, counts: { buckets, seconds } }) => {
      let count = 0
      const filled = buckets.map((inBucket, at) => {
        count += inBucket
        const le = boundsSeconds[at] ?? '+Inf'
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
      })
      return [
        ...filled,
        { metricName: `${name}_sum`, labels, value: seconds },
        { metricName: `${name}_count`, labels, value: count },
      ]
    })
    return { name, help, type: 'histogram', values }
  }
}
