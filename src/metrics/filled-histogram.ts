// A histogram whose counts are kept elsewhere, such as in the data threads' memory, and read when metrics are
// requested.
import { Histogram, type Registry } from 'prom-client'

/** The counts of one series of a histogram. */
export interface HistogramCounts {
  /** Number of observations in each bucket; the last bucket has no upper bound. */
  readonly buckets: readonly number[]
  /** Sum of the observations, in seconds. */
  readonly seconds: number
}

/** A histogram, and the source of its counts. */
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

/** A histogram of prom-client that reads its counts from `parts.read` on each request. */
export class FilledHistogram<Label extends string> extends Histogram<Label> {
  private readonly parts: FilledParts<Label>

  constructor(registry: Registry, parts: FilledParts<Label>) {
    super({ name: parts.name, help: parts.help, registers: [registry] })
    this.parts = parts
  }

  /** Called by prom-client on a histogram, though its types omit it. */
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
