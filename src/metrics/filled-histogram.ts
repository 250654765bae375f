// A histogram whose buckets are filled elsewhere, such as by the data threads, and read when metrics are requested.
import { Histogram, type Registry } from 'prom-client'

/** The counts of one series of a histogram. */
export interface HistogramCounts {
  /** Observations by bucket; the last one has no upper bound. */
  readonly buckets: readonly number[]
  /** Sum of the observations. */
  readonly seconds: number
}

/** A histogram, and the source of its counts. */
interface FilledParts<Label extends string> {
  readonly name: string
  readonly help: string
  /** Upper bounds of the buckets. */
  readonly boundsSeconds: readonly number[]
  readonly read: () => readonly {
    readonly labels: Readonly<Partial<Record<Label, string>>>
    readonly counts: HistogramCounts
  }[]
}

/** The histogram. */
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
