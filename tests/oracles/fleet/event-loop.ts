// Simulates time: events run in order, and nothing happens in between. If an event settles promises, the code that
// waits for them runs before the next event.
import { drainMicrotasks } from 'bun:jsc'

interface Event {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** A simulated clock with its future events. */
export class EventLoop {
  now = 0
  steps = 0
  private order = 0
  private readonly heap: Event[] = []

  /** Schedules `run` at a time. Events at the same time run in the order in which they were created. */
  at(millis: number, run: () => void): void {
    const event = { at: Math.max(millis, this.now), order: this.order++, run }
    const { heap } = this
    let place = heap.push(event) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (isBefore(heap[parent], event)) break
      heap[place] = heap[parent]
      heap[parent] = event
      place = parent
    }
  }

  later(millis: number, run: () => void): void {
    this.at(this.now + millis, run)
  }

  /** Runs all events up to a time. */
  runUntil(millis: number): void {
    drainMicrotasks()
    while (this.heap.length > 0 && this.heap[0].at <= millis) {
      const event = this.pop()
      this.now = Math.max(this.now, event.at)
      event.run()
      drainMicrotasks()
      this.steps++
    }
    this.now = Math.max(this.now, millis)
  }

  private pop(): Event {
    const { heap } = this
    const [first] = heap
    const last = heap.pop()
    if (last === undefined) throw new Error('there is no event')
    if (heap.length === 0) return first
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++
      if (isBefore(last, heap[child])) break
      heap[place] = heap[child]
      place = child
    }
    heap[place] = last
    return first
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

/** Seeded random numbers. */
export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = Math.imul(seed, 2654435761) ^ 0x51ed270b
  }

  /** From 0 to below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(list: readonly Item[]): Item {
    return list[this.below(list.length)]
  }
}
