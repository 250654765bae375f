// The control thread's handle on one data thread: its pending requests, and why it ended.
import type { FleetRequest } from '../access/fleet-talk.ts'
import type { Forwarder } from '../access/untrusted-forwarders.ts'
import type { RouteReport } from '../metering/route-counts.ts'
import type { FromDataThread, ToDataThread } from '../server/thread-messages.ts'

type Kind = FromDataThread['kind']
type MessageOf<K extends Kind> = Extract<FromDataThread, { kind: K }>

/** Thrown if a data thread ends before it answers a request. */
export class ThreadDied extends Error {
  override readonly name = 'ThreadDied'
}

interface Waiting {
  readonly resolve: (message: FromDataThread) => void
  readonly reject: (error: Error) => void
}

/** A Worker and its pending requests. */
export class DataThreadHandle {
  /** Resolves when the Worker can receive messages. Messages that are posted earlier can be lost. */
  readonly isAwake: Promise<unknown>
  private readonly worker: Worker
  private readonly waiting = new Map<string, Waiting>()
  /** The last error that the thread or the JavaScript engine reported. */
  private fault: string | undefined
  private death: ThreadDied | undefined

  /**
   * @param on called with messages that the thread sends without a request; `death` is called once, when the Worker
   * ends for any reason
   */
  constructor(on: {
    readonly death: (error: ThreadDied) => void
    readonly forwarder: (forwarder: Forwarder) => void
    readonly routes: (report: RouteReport) => void
    readonly fleetRequest: (request: FleetRequest) => void
  }) {
    this.worker = new Worker(Bun.main, { argv: ['data'] })
    this.isAwake = this.wait('awake', 0)
    this.isAwake.catch(() => undefined) // prevents an unhandled rejection; callers of `request` get the error
    this.worker.onmessage = (event: MessageEvent<FromDataThread>) => {
      if (event.data.kind === 'forwarder') on.forwarder(event.data.forwarder)
      else if (event.data.kind === 'routes') on.routes(event.data.report)
      else if (event.data.kind === 'fleet') on.fleetRequest(event.data.request)
      else this.take(event.data)
    }
    this.worker.onerror = (event) => {
      this.fault = withoutSource(event.message)
    }
    this.worker.addEventListener('close', () => {
      const error = new ThreadDied(this.fault ?? 'the thread exited on its own')
      this.death = error
      for (const { reject } of this.waiting.values()) reject(error)
      this.waiting.clear()
      on.death(error)
    })
  }

  post(message: ToDataThread): void {
    this.worker.postMessage(message)
  }

  /** Resolves with the thread's answer; rejects if the thread ends first. */
  async request<K extends Kind>(message: ToDataThread, answer: K, number = 0): Promise<MessageOf<K>> {
    await this.isAwake
    return await this.requestNow(message, answer, number)
  }

  /** Like `request`, but only for a thread that is awake: the message is posted before this function returns. */
  requestNow<K extends Kind>(message: ToDataThread, answer: K, number = 0): Promise<MessageOf<K>> {
    const answered = this.wait<K>(answer, number)
    this.post(message)
    return answered
  }

  terminate(): void {
    this.worker.terminate()
  }

  private wait<K extends Kind>(answer: K, number: number): Promise<MessageOf<K>> {
    if (this.death !== undefined) return Promise.reject(this.death)
    return new Promise((resolve, reject) => {
      this.waiting.set(`${answer}:${number}`, { resolve: resolve as (message: FromDataThread) => void, reject })
    })
  }

  private take(message: FromDataThread): void {
    if (message.kind === 'failed') {
      this.fault = message.message
      return
    }
    const key = `${message.kind}:${'number' in message ? message.number : 0}`
    this.waiting.get(key)?.resolve(message)
    this.waiting.delete(key)
  }
}

/** The message of a JavaScript engine error on one line, without the source lines that the engine quotes. */
function withoutSource(message: string): string {
  const lines = message.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !/^(\d+ \||\^)/.test(line)).join(' ')
}
