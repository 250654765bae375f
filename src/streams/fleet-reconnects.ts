// In a cluster: finds out from the control thread whether another replica ended a stream. If so, reconnecting is free.
import type { FleetNotice, FleetRequest, StreamName } from '../access/fleet-talk.ts'
import { FREE_RECONNECT_MILLIS } from './free-reconnects.ts'

/**
 * How long a reconnecting stream waits for the answer of the control thread. Without an answer in time, the reconnect
 * is not free.
 */
const WAIT_MILLIS = 5_000

/** Finds free reconnects for one data thread. */
export class FleetReconnects {
  private readonly send: (request: FleetRequest) => void
  private readonly waiting = new Map<number, (isFree: boolean) => void>()
  private lastNumber = 0
  /** Until when reconnects may be free, in monotonic milliseconds. */
  private untilMillis: number

  constructor(send: (request: FleetRequest) => void) {
    this.send = send
    this.untilMillis = performance.now() + FREE_RECONNECT_MILLIS // some streams may have ended before this start
  }

  /** Called when a replica has ended streams. */
  noteEnded(): void {
    this.untilMillis = performance.now() + FREE_RECONNECT_MILLIS
  }

  /**
   * Uses a free reconnect of a key for a stream. The promise resolves to true if there was a free reconnect. Returns
   * undefined if no replica has ended streams recently.
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

  /** Handles an answer to `claim`. If the answer is too late for `claim`, makes the reconnect available again. */
  answered({ number, stream, isFree }: Omit<Extract<FleetNotice, { kind: 'claimed' }>, 'kind'>): void {
    const settle = this.waiting.get(number)
    this.waiting.delete(number)
    if (settle !== undefined) settle(isFree)
    else if (isFree) this.giveBack(stream)
  }
}
