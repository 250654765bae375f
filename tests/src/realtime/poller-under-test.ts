// A poller and its upstream. A test sets the upstream's responses, and reads what the poller did.
import { FeedPoller } from '../../../src/realtime/feed-poller.ts'
import type { LiveFeedOrder } from '../../../src/realtime/live-messages.ts'
import type { FeedBudget } from '../../../src/realtime/upstream-budget.ts'

/** How the upstream responds to one request. */
export type Answer = (request: Request) => Response | Promise<Response>

/** An upstream whose responses a test sets. */
export class Upstream {
  /** The responses. When only one is left, it is repeated. */
  answers: Answer[] = []
  /** Path and headers of each request. */
  readonly requests: { readonly path: string; readonly headers: Headers }[] = []
  private readonly server: ReturnType<typeof Bun.serve>

  constructor() {
    this.server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        // A copy, since Bun keeps the original headers only until the response is sent.
        this.requests.push({ path: new URL(request.url).pathname, headers: new Headers(request.headers) })
        const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0]
        return answer?.(request) ?? new Response('', { status: 404 })
      },
    })
  }

  /** The feed's URL, with secrets wherever a URL can contain them. */
  get address(): string {
    return `http://user:SECRET@127.0.0.1:${this.server.port}/feed.pb?key=SECRET`
  }

  get origin(): string {
    return `http://127.0.0.1:${this.server.port}`
  }

  /** The values of a header, one for each request. */
  sent(name: string): (string | null)[] {
    return this.requests.map(({ headers }) => headers.get(name))
  }

  async close(): Promise<void> {
    await this.server.stop(true)
  }
}

/** A poller, and records of what it did. */
export interface PollerNotes {
  readonly poller: FeedPoller
  /** The bodies that the poller passed on, as strings. */
  readonly bodies: string[]
  same: number
  fetched: number
  /** If set, bodies are rejected for this reason. */
  problem: { reason: string; message: string } | undefined
}

/** Creates a poller for the feed at this URL. */
export function pollerOf(url: string, more: Partial<LiveFeedOrder> = {}, budget?: FeedBudget): PollerNotes {
  const order: LiveFeedOrder = {
    id: 'trips',
    url,
    intervalSeconds: 15,
    headers: { 'x-token': 'SECRET' },
    budget: undefined,
    maxAgeSeconds: undefined,
    provides: undefined,
    ...more,
  }
  const poller = new FeedPoller({
    order,
    budget,
    clock: { nowMillis: () => 1_000_000 },
    onBody: (bytes) => {
      notes.bodies.push(Buffer.from(bytes).toString())
      return notes.problem
    },
    onSame: () => notes.same++,
    onFetched: () => notes.fetched++,
  })
  const notes: PollerNotes = { poller, bodies: [], same: 0, fetched: 0, problem: undefined }
  return notes
}
