// A stream hub whose gate, clock and topics the test controls. Time passes only when the test advances it, and readers
// read only when the test makes them.
import type { Caller } from '../../../src/access/gate.ts'
import { Problem } from '../../../src/http/problem.ts'
import type { StreamEvent } from '../../../src/streams/frames.ts'
import { type EndedStream, FreeReconnects, reconnectsOf } from '../../../src/streams/free-reconnects.ts'
import { StreamHub, type StreamOrder } from '../../../src/streams/stream-hub.ts'
import { allocateStreamSlots, StreamSlots } from '../../../src/streams/stream-slots.ts'
import { EventReader } from '../../event-stream.ts'
import { CountingGate } from '../api/api-under-test.ts'

/** A gate whose keys can be revoked. */
class RevocableGate extends CountingGate {
  readonly revoked = new Set<string>()

  override holds({ keyId }: Caller): boolean {
    return !this.revoked.has(keyId)
  }
}

/** A caller, given by the number of the key and the number of the account. */
export function callerOf(key: number, account = 1): Caller {
  return { keyId: `key_${key}`, accountId: `acc_${account}`, plan: 'max' }
}

/** The methods of a stream reader that HandReader uses. */
interface Reader {
  read(): Promise<{ value?: Uint8Array | undefined; done: boolean }>
  cancel(): Promise<void>
}

/** A stream's reader. It reads only when the test makes it, and never waits. */
export class HandReader {
  readonly received = new EventReader()
  isDone = false
  error: unknown
  private readonly reader: Reader

  constructor(body: ReadableStream<Uint8Array>) {
    this.reader = body.getReader()
  }

  /** Reads everything that is available. */
  async read(): Promise<void> {
    while (!this.isDone) {
      const next = this.pending ?? this.reader.read()
      this.pending = next
      const taken = await Promise.race([
        next.catch((error: unknown) => {
          this.error = error
          return { value: undefined, done: true }
        }),
        settled(),
      ])
      if (taken === 'nothing') return
      this.pending = undefined
      if (taken.value !== undefined) this.received.add(taken.value)
      this.isDone = taken.done
    }
  }

  private pending: Promise<{ value?: Uint8Array | undefined; done: boolean }> | undefined

  /** Closes the stream. */
  async leave(): Promise<void> {
    await this.reader.cancel()
  }

  /** The data of all events with this name, parsed as JSON. */
  dataOf(event: StreamEvent | 'end'): unknown[] {
    return this.received.events.filter((each) => each.event === event).map(({ data }) => JSON.parse(data))
  }
}

/** Waits until everything available has arrived. This needs no timers, since all of it is in this process. */
async function settled(): Promise<'nothing'> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  return 'nothing'
}

/** What a test may change. */
export interface HubOptions {
  readonly ended?: readonly EndedStream[]
}

/** Opens a hub; returns it and the parts that the test controls. */
export function openHub({ ended = [] }: HubOptions = {}) {
  const gate = new RevocableGate()
  const time = { millis: 1_000_000 }
  const memory = allocateStreamSlots()
  const hub = new StreamHub({
    gate,
    slots: new StreamSlots(memory),
    reconnects: new FreeReconnects(reconnectsOf(ended)),
    clock: { nowMillis: () => 1_780_000_000_000 + time.millis },
    steady: () => time.millis,
  })
  /** For each topic, how often it was rendered, and what it currently contains. */
  const topics = new Map<string, { renders: number; says: unknown }>()
  const limited: string[] = []
  const order = (more: Partial<StreamOrder> = {}): StreamOrder => {
    const topic = more.topic ?? 'board'
    const state = topics.get(topic) ?? { renders: 0, says: 'hello' }
    topics.set(topic, state)
    return {
      topic,
      event: 'departures',
      render: (units) => {
        state.renders++
        if (state.says instanceof Problem) return state.says
        return new TextEncoder().encode(JSON.stringify({ data: state.says, meta: { units } }))
      },
      intervalSeconds: 15,
      caller: callerOf(1),
      cost: 1,
      charge: (units) => void gate.charge({ caller: callerOf(1), units, atMillis: 0, month: 0n }),
      connection: { limitIdle: () => void limited.push(topic) },
      ...more,
    }
  }
  return {
    hub,
    gate,
    memory,
    topics,
    order,
    /** The topics of streams for whose connections the hub has set an idle timeout. */
    limited,
    open(more: Partial<StreamOrder> = {}): HandReader {
      const body = hub.open(order(more))
      if (body instanceof Problem) throw new Error(`rejected: ${body.detail}`)
      return new HandReader(body)
    },
    /** Advances time and lets the hub's timer run. */
    async pass(millis: number): Promise<void> {
      for (const until = time.millis + millis; time.millis < until; ) {
        time.millis = Math.min(until, time.millis + 50)
        hub.advance()
      }
      await settled()
    },
    /** Advances time without running the hub's timer, as if the thread were busy. */
    stall(millis: number): void {
      time.millis += millis
    },
  }
}
