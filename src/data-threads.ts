// The control thread's hold on the data threads: starts them, opens the port once all are ready, brings every change
// to each, and drains them at the end. A thread that dies takes the process with it: half a service would answer wrongly.
import type { RingChange } from './access/key-ring.ts'
import type { PackedLive } from './realtime/live-messages.ts'
import type { EndedStream } from './streams/free-reconnects.ts'
import type { DataThreadStart, FromDataThread, NetworkMessage, ThreadReload, ToDataThread } from './thread-messages.ts'

/** Longest that a drain waits for answers under way. */
const DRAIN_MILLIS = 10_000

type Kind = FromDataThread['kind']
type MessageOf<K extends Kind> = Extract<FromDataThread, { kind: K }>

/** One Worker and what it was asked. */
class ThreadHandle {
  private readonly worker: Worker
  private readonly waiting = new Map<
    string,
    { resolve: (message: FromDataThread) => void; reject: (error: Error) => void }
  >()
  private readonly onFailure: (error: Error) => void
  private readonly isAwake: Promise<unknown>

  constructor(worker: Worker, onFailure: (error: Error) => void) {
    this.worker = worker
    this.onFailure = onFailure
    this.isAwake = this.wait('awake')
    worker.onmessage = (event: MessageEvent<FromDataThread>) => this.take(event.data)
    worker.onerror = (event) => this.fail(new Error(event.message))
  }

  post(message: ToDataThread): void {
    this.worker.postMessage(message)
  }

  async ask<K extends Kind>(message: ToDataThread, answer: K, number = 0): Promise<MessageOf<K>> {
    await this.isAwake
    const answered = this.wait(answer, number)
    this.post(message)
    return await answered
  }

  terminate(): void {
    this.worker.terminate()
  }

  private wait<K extends Kind>(answer: K, number = 0): Promise<MessageOf<K>> {
    return new Promise((resolve, reject) => {
      this.waiting.set(`${answer}:${number}`, { resolve: resolve as (message: FromDataThread) => void, reject })
    })
  }

  private take(message: FromDataThread): void {
    if (message.kind === 'failed') return this.fail(new Error(message.message))
    const key = `${message.kind}:${'number' in message ? message.number : 0}`
    this.waiting.get(key)?.resolve(message)
    this.waiting.delete(key)
  }

  private fail(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
    this.onFailure(error)
  }
}

/** All data threads of the process. */
export class DataThreads {
  private readonly threads: readonly ThreadHandle[]
  private changeNumber = 0

  private constructor(threads: readonly ThreadHandle[]) {
    this.threads = threads
  }

  /** Wakes the threads: they load their code while the control thread makes ready what they start with. */
  static wake(count: number, onFailure: (error: Error) => void): DataThreads {
    return new DataThreads(
      Array.from({ length: count }, () => new ThreadHandle(new Worker(Bun.main, { argv: ['data'] }), onFailure)),
    )
  }

  /** Starts the threads; they map snapshots and open their gates, and do not listen yet. */
  async start(starts: readonly DataThreadStart[]): Promise<void> {
    await Promise.all(
      this.threads.map((thread, ordinal) =>
        thread.ask({ kind: 'start', start: starts[ordinal] as DataThreadStart }, 'ready'),
      ),
    )
  }

  /** Opens the port on every thread; the first one's choice where the port is 0. The port. */
  async listen(port: number): Promise<number> {
    let opened = port
    for (const thread of this.threads) opened = (await thread.ask({ kind: 'listen', port: opened }, 'listening')).port
    return opened
  }

  /**
   * Has every thread make a network's state ready, then all of them serve it: no thread begins before each one can.
   * Why it cannot be served, where some thread says so; all then go on with what they have.
   */
  async replaceNetwork(network: NetworkMessage): Promise<string | undefined> {
    const number = ++this.changeNumber
    const prepared = await Promise.all(
      this.threads.map((thread) => thread.ask({ kind: 'prepare', network, number }, 'prepared', number)),
    )
    const problem = prepared.find((each) => each.problem !== undefined)?.problem
    if (problem !== undefined) {
      for (const thread of this.threads) thread.post({ kind: 'discard', number })
      return problem
    }
    await Promise.all(this.threads.map((thread) => thread.ask({ kind: 'commit', number }, 'committed', number)))
    return undefined
  }

  /** Has every thread answer from what live feeds say now. */
  replaceLive(network: string, live: PackedLive): void {
    for (const thread of this.threads) thread.post({ kind: 'live', network, live })
  }

  /** Settles once the settings hold on every thread. */
  async reload(reload: ThreadReload): Promise<void> {
    const number = ++this.changeNumber
    await Promise.all(this.threads.map((thread) => thread.ask({ kind: 'reload', reload, number }, 'reloaded', number)))
  }

  /** Settles once the change holds on every thread. */
  async changeAccess(change: RingChange): Promise<void> {
    const number = ++this.changeNumber
    await Promise.all(this.threads.map((thread) => thread.ask({ kind: 'access', change, number }, 'applied', number)))
  }

  /** Ends streams, refuses new connections, lets answers under way end, then ends the threads. The streams ended. */
  async drain(): Promise<EndedStream[]> {
    const ended: EndedStream[] = []
    const stopped = Promise.all(
      this.threads.map(async (thread) => {
        ended.push(...(await thread.ask({ kind: 'end_streams' }, 'streams_ended')).ended)
        await thread.ask({ kind: 'stop' }, 'stopped')
      }),
    )
    await Promise.race([stopped, Bun.sleep(DRAIN_MILLIS)])
    for (const thread of this.threads) thread.terminate()
    return ended
  }
}
