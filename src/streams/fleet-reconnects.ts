// In a cluster: asks the control thread whether another replica ended a stream. If so, reconnecting to the stream is
// free.
import type { FleetNotice, FleetRequest, StreamName } from '../access/fleet-talk.ts'
import { FREE_RECONNECT_MILLIS } from './free-reconnects.ts'

/**
 * How long a reconnecting stream waits for the control thread's answer. If no answer arrives in time, the reconnect is
 * not free.
 */
const WAIT_MILLIS = 5_000

/** Finds free reconnects for one data thread. */
export class FleetReconnects {
  private readonly send: (request: FleetRequest) => void
  private readonly waiting = new Map<number, (isFree: boolean) => void>()
  private lastNumber = 0
  /** Time until which reconnects may be free, in monotonic milliseconds. */
  private untilMillis: number

  constructor(send: (request: FleetRequest) => void) {
    this.send = send
    this.untilMillis = performance.now() + FREE_RECONNECT_MILLIS // replicas may have ended streams before this thread started
  }

  /** Called when a replica has ended streams. */
  noteEnded(): void {
    this.untilMillis = performance.now() + FREE_RECONNECT_MILLIS
  }

  /**
   * Claims a free reconnect to a key's stream. Returns undefined if no replica has ended streams recently. Otherwise,
   * returns a promise that resolves to whether the reconnect is free.
   */
  claim(stream: StreamName): Promise<boolean> | undefined {
    if (performance.now() >= this.untilMillis) return undefined
    const number = ++this.lastNumber
    const answer = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => this.answered({ number, stream, isFree: false }), WAIT_MILLIS)
    this.waiting.set(number, (isFree) => {
      clearTimeout(timer)
      answer.resolve(isFree)
    })
    this.send({ kind: 'claim', number, stream })
    return answer.promise
  }

  /** Makes the reconnect available again, because the stream was not opened. */
  giveBack(stream: StreamName): void {
    this.send({ kind: 'give_back', stream })
  }

  /**
   * Handles an answer to `claim`. If `claim` has stopped waiting for the answer, makes the reconnect available again.
   */
  answered({ number, stream, isFree }: Omit<Extract<FleetNotice, { kind: 'claimed' }>, 'kind'>): void {
    const settle = this.waiting.get(number)
    this.waiting.delete(number)
    if (settle !== undefined) settle(isFree)
    else if (isFree) this.giveBack(stream)
  }
}
