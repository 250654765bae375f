// Gives a number to each distinct id. There are several hundred million ids. They are sorted, and each is stored in
// four bytes. Ids are divided into buckets of a million, so that sorting and searching stay within the processor's
// cache.
import { NONE } from '../columns.ts'
import { WireBroken } from './pbf-wire.ts'

const BUCKET_IDS = 2 ** 20
/** `mayHaveBetween` does not search an id range that is wider than this, because a search would take too long. */
const WIDE_IDS = 16 * BUCKET_IDS
/** Maximum id, far above today's largest one. */
const LARGEST_ID = 2 ** 38

/** The ids within one range of a million. */
interface Bucket {
  /** The range starts at `number` × BUCKET_IDS. */
  readonly number: number
  /** The first row of the bucket. */
  start: number
  /** The row after the last row of the bucket. Before `seal`: the number of ids counted so far. */
  end: number
}

/** Collects ids in two steps: `count` counts each id; `seal` then allocates memory for all ids and adds them. */
export class NodeIdCounts {
  private readonly buckets = new Map<number, Bucket>()
  private bucket: Bucket = { number: Number.NaN, start: 0, end: 0 }

  /**
   * Counts an id. Throws WireBroken if the id is above LARGEST_ID, because each such id could need a bucket of its own.
   */
  count(id: number): void {
    const number = Math.floor(id / BUCKET_IDS)
    if (number !== this.bucket.number) {
      if (!(Math.abs(id) <= LARGEST_ID))
        throw new WireBroken(`the node id ${id} is out of range; expected at most ${LARGEST_ID}`)
      this.bucket = this.buckets.getOrInsertComputed(number, () => ({ number, start: 0, end: 0 }))
    }
    this.bucket.end++
  }

  /**
   * Adds and sorts the ids.
   * @param each calls `add` with the counted ids, or with only some of them
   */
  seal(each: (add: (id: number) => void) => void): NodeIds {
    return new NodeIds(this.buckets, each)
  }
}

/** The distinct ids, sorted. The row of an id is its index among them. */
export class NodeIds {
  readonly count: number
  /** Row → its id, relative to the start of its bucket. */
  private readonly low: Uint32Array
  private readonly buckets: ReadonlyMap<number, Bucket>
  private bucket: Bucket = { number: Number.NaN, start: 0, end: 0 }
  /** The row that `rowOf` found last. */
  private row = 0
  /** The bucket, row and id of the last `seek`. */
  private sought: { readonly bucket: Bucket | undefined; row: number; id: number } = {
    bucket: undefined,
    row: 0,
    id: 0,
  }

  constructor(buckets: ReadonlyMap<number, Bucket>, each: (add: (id: number) => void) => void) {
    this.buckets = buckets
    const sorted = [...buckets.values()].sort((a, b) => a.number - b.number)
    let total = 0
    for (const bucket of sorted) {
      const { end } = bucket
      bucket.start = total
      bucket.end = total
      total += end
    }
    this.low = new Uint32Array(total)
    each((id) => {
      const bucket = this.find(id)
      if (bucket === undefined) throw new Error(`the node id ${id} was added, but was not counted before`)
      this.low[bucket.end++] = id - bucket.number * BUCKET_IDS
    })
    this.count = this.makeUnique(sorted)
  }

  /** The row of an id; NONE if the id was not added. */
  rowOf(id: number): number {
    const bucket = this.find(id)
    if (bucket === undefined) return NONE
    const low = id - bucket.number * BUCKET_IDS
    // The nodes of a way often have consecutive ids, so the next row is tried first.
    const next = this.row + 1
    const isNext = next >= bucket.start && next < bucket.end && this.low[next] === low
    const row = isNext ? next : this.lowerBound(low, bucket)
    this.row = row
    return row < bucket.end && this.low[row] === low ? row : NONE
  }

  /** Like `rowOf`, but faster if ids are requested in ascending order. */
  seek(id: number): number {
    const bucket = this.find(id)
    if (bucket === undefined) return NONE
    const low = id - bucket.number * BUCKET_IDS
    if (this.sought.bucket !== bucket) this.sought = { bucket, row: this.lowerBound(low, bucket), id }
    else if (id < this.sought.id) this.sought.row = this.lowerBound(low, bucket)
    let { row } = this.sought
    while (row < bucket.end && this.low[row] < low) row++
    this.sought.row = row
    this.sought.id = id
    return row < bucket.end && this.low[row] === low ? row : NONE
  }

  /** Whether there may be ids from `first` to `last`, both included. Always true if the range is wider than WIDE_IDS. */
  mayHaveBetween(first: number, last: number): boolean {
    if (last - first > WIDE_IDS) return true
    for (let number = Math.floor(first / BUCKET_IDS); number * BUCKET_IDS <= last; number++) {
      const bucket = this.buckets.get(number)
      if (bucket === undefined) continue
      const row = this.lowerBound(Math.max(0, first - number * BUCKET_IDS), bucket)
      if (row < bucket.end && this.low[row] + number * BUCKET_IDS <= last) return true
    }
    return false
  }

  /** Sorts each bucket, removes repeated ids and closes the gaps. Returns the number of distinct ids. */
  private makeUnique(sorted: readonly Bucket[]): number {
    const { low } = this
    let rows = 0
    for (const bucket of sorted) {
      const { start, end } = bucket
      low.subarray(start, end).sort()
      bucket.start = rows
      for (let at = start; at < end; at++) {
        if (at === start || low[at] !== low[at - 1]) low[rows++] = low[at]
      }
      bucket.end = rows
    }
    return rows
  }

  /**
   * The first row of a bucket at which `this.low` is at least `low`; the end of the bucket if there is none. The search
   * starts at an estimated row, because ids are spread almost evenly.
   */
  private lowerBound(low: number, { start, end }: Bucket): number {
    let from = start
    let to = end
    const guess = start + Math.floor((low / BUCKET_IDS) * (end - start))
    if (this.low[guess] < low) {
      from = guess + 1
      for (let step = 1; from + step < to; step *= 2) {
        if (this.low[from + step] >= low) to = from + step
        else from += step + 1
      }
    } else {
      to = guess
      for (let step = 1; to - step > from; step *= 2) {
        if (this.low[to - step] < low) from = to - step + 1
        else to -= step
      }
    }
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.low[middle] < low) from = middle + 1
      else to = middle
    }
    return from
  }

  private find(id: number): Bucket | undefined {
    const number = Math.floor(id / BUCKET_IDS)
    if (number === this.bucket.number) return this.bucket
    const bucket = this.buckets.get(number)
    if (bucket !== undefined) this.bucket = bucket
    return bucket
  }
}
