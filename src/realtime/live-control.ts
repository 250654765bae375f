// The control thread's hold on the live thread. There is none where no network has live feeds.
import type { PackedLive, SnapshotMessage } from '../networks/network-messages.ts'
import type { FromLiveThread, LiveThreadStart, ToLiveThread, UnmatchedUpdates } from './live-messages.ts'

/** What the control thread is told of. */
export interface LiveControlParts {
  readonly onLive: (network: string, live: PackedLive) => void
  readonly onFailure: (error: Error) => void
}

/** The live thread. */
export class LiveControl {
  private readonly worker: Worker
  private readonly parts: LiveControlParts
  private readonly awake = Promise.withResolvers<void>()
  private readonly waiting = new Map<number, PromiseWithResolvers<PackedLive | undefined>>()
  private readonly asking = new Map<number, (feeds: readonly UnmatchedUpdates[]) => void>()
  private number = 0

  constructor(parts: LiveControlParts) {
    this.parts = parts
    this.worker = new Worker(Bun.main, { argv: ['live'] })
    this.worker.onmessage = (event: MessageEvent<FromLiveThread>) => this.take(event.data)
    this.worker.onerror = (event) => parts.onFailure(new Error(event.message))
  }

  async start(start: LiveThreadStart): Promise<void> {
    await this.awake.promise
    this.post({ kind: 'start', start })
  }

  /** Goes on with other orders. What is prepared later is made of them. */
  reload(message: Omit<Extract<ToLiveThread, { kind: 'reload' }>, 'kind'>): void {
    this.post({ kind: 'reload', ...message })
  }

  /** What the feeds say of a snapshot that is about to be served; undefined where the network has none. Rejects if the snapshot cannot be read now. */
  async prepare(network: string, snapshot: SnapshotMessage): Promise<PackedLive | undefined> {
    const number = ++this.number
    const prepared = Promise.withResolvers<PackedLive | undefined>()
    this.waiting.set(number, prepared)
    this.post({ kind: 'snapshot', network, snapshot, number })
    return await prepared.promise
  }

  /** Which updates of a network's feeds stand for no trip now. */
  async listUnmatched(network: string): Promise<readonly UnmatchedUpdates[]> {
    const number = ++this.number
    const told = Promise.withResolvers<readonly UnmatchedUpdates[]>()
    this.asking.set(number, told.resolve)
    this.post({ kind: 'list_unmatched', network, number })
    return await told.promise
  }

  close(): void {
    this.worker.terminate()
  }

  private post(message: ToLiveThread): void {
    this.worker.postMessage(message)
  }

  private take(message: FromLiveThread): void {
    switch (message.kind) {
      case 'awake':
        this.awake.resolve()
        break
      case 'prepared':
        this.waiting.get(message.number)?.resolve(message.live)
        this.waiting.delete(message.number)
        break
      case 'not_prepared':
        this.waiting.get(message.number)?.reject(new Error(message.problem))
        this.waiting.delete(message.number)
        break
      case 'unmatched':
        this.asking.get(message.number)?.(message.feeds)
        this.asking.delete(message.number)
        break
      case 'live':
        this.parts.onLive(message.network, message.live)
        break
      case 'failed':
        this.parts.onFailure(new Error(message.message))
        break
    }
  }
}
