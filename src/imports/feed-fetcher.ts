// Downloads feeds in a separate Worker, in parallel: a slow source delays only its own network. The Worker exists only
// while something is downloaded.

import { DownloadFailed } from '../sources/download-failed.ts'
import { type FeedOrder, fetchFeeds, type LocalFeed } from '../sources/feed-sources.ts'
import { lockImport } from './import-lock.ts'

/** Which feeds to download, for which network. */
export interface FetchFeedsOrder {
  readonly network: string
  readonly feeds: readonly FeedOrder[]
  readonly dataDir: string
}

type FetchOutcome =
  | { readonly kind: 'fetched'; readonly feeds: readonly LocalFeed[] }
  | { readonly kind: 'failed'; readonly reason: string | undefined; readonly message: string }

/** Messages from the Worker. */
type FetchAnswer = { readonly kind: 'awake' } | (FetchOutcome & { readonly number: number })

interface FetchRequest {
  readonly number: number
  readonly order: FetchFeedsOrder
}

declare const self: Worker

/** Runs in the Worker: starts every requested download at once. */
export function runFetchThread(): void {
  const post = (answer: FetchAnswer) => self.postMessage(answer)
  self.onmessage = async ({ data: { number, order } }: MessageEvent<FetchRequest>) => {
    post({ number, ...(await fetchLocked(order)) })
  }
  post({ kind: 'awake' })
}

/** Downloads a network's feeds under its import lock. A failure only affects this network. */
async function fetchLocked(order: FetchFeedsOrder): Promise<FetchOutcome> {
  try {
    // Excludes a concurrent `quai import`: two processes must not write the same file.
    const lock = await lockImport(order, () => undefined)
    try {
      return { kind: 'fetched', feeds: await fetchFeeds(order.feeds, order) }
    } finally {
      lock.release()
    }
  } catch (error) {
    const reason = error instanceof DownloadFailed ? error.reason : undefined
    return { kind: 'failed', reason, message: error instanceof Error ? error.message : String(error) }
  }
}

/** Starts the Worker when it is needed, and passes downloads to it. */
export class FeedFetcher {
  private worker: Worker | undefined
  private isAwake = false
  private readonly pending = new Map<number, { request: FetchRequest; resolve: (outcome: FetchOutcome) => void }>()
  private number = 0

  /** Downloads a network's feeds. Failures of a download are returned, not thrown. */
  fetch(order: FetchFeedsOrder): Promise<FetchOutcome> {
    const { promise, resolve } = Promise.withResolvers<FetchOutcome>()
    const request = { number: ++this.number, order }
    if (this.worker === undefined) this.start()
    this.pending.set(request.number, { request, resolve })
    if (this.isAwake) this.worker?.postMessage(request)
    return promise
  }

  /** Aborts all downloads. */
  close(): void {
    this.end('the service is shutting down')
  }

  private start(): void {
    const worker = new Worker(Bun.main, { argv: ['fetch'] })
    worker.onmessage = ({ data }: MessageEvent<FetchAnswer>) => this.take(data)
    const onEnd = (message: string) => {
      if (this.worker === worker) this.end(message)
    }
    worker.onerror = ({ message }) => onEnd(message)
    worker.addEventListener('close', () => onEnd('the download thread exited'))
    this.worker = worker
  }

  private take(answer: FetchAnswer): void {
    if (answer.kind === 'awake') {
      this.isAwake = true
      for (const { request } of this.pending.values()) this.worker?.postMessage(request)
      return
    }
    this.pending.get(answer.number)?.resolve(answer)
    this.pending.delete(answer.number)
    if (this.pending.size === 0) this.end('')
  }

  /** Fails all pending downloads. The next download starts a new Worker. */
  private end(message: string): void {
    const { worker } = this
    this.worker = undefined
    this.isAwake = false
    worker?.terminate()
    const failed = [...this.pending.values()]
    this.pending.clear()
    for (const { resolve } of failed) resolve({ kind: 'failed', reason: undefined, message })
  }
}
