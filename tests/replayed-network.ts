// Runs the service with one real feed, and with an upstream that publishes recorded messages. Checks use this service
// to replay captures, with its clock stopped at the time of the recording.
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { commandOf, end, ServiceFolder, type Serving, until } from './service/running.ts'

/** The id under which a feed is served. */
export const NETWORK = 'real'
/** Maximum age of live data in seconds: longer than the time between replayed messages. */
export const MAX_AGE_SECONDS = 3600
/** After this number of fetches of a feed, one more fetch shows that the first one has been processed. */
const FETCHES = 2

/** A service with one network, whose live feeds publish recorded messages. */
export class ReplayedNetwork {
  private readonly feeds: readonly string[]
  private readonly published = new Map<string, Uint8Array<ArrayBuffer>>()
  private readonly fetches = new Map<string, number>()
  private readonly upstream: ReturnType<typeof Bun.serve>
  private readonly folder: ServiceFolder
  private serving: Serving | undefined
  private key: string | undefined

  /**
   * @param gtfs path of the timetable
   * @param feeds ids of the live feeds
   */
  constructor(gtfs: string, feeds: readonly string[]) {
    this.feeds = feeds
    this.upstream = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        const feed = new URL(request.url).pathname.slice(1)
        this.fetches.set(feed, (this.fetches.get(feed) ?? 0) + 1)
        const bytes = this.published.get(feed)
        return bytes === undefined ? new Response('', { status: 404 }) : new Response(bytes)
      },
    })
    const live = feeds.map(
      (id) =>
        `[[networks.feeds]]\nid = "${id}"\ninterval_seconds = 1\nmax_age_seconds = ${MAX_AGE_SECONDS}\nurl = "http://127.0.0.1:${this.upstream.port}/${id}"\n`,
    )
    const network = `[[networks]]\nid = "${NETWORK}"\ngtfs = ${JSON.stringify(resolve(gtfs))}\n`
    const command = commandOf(process.env['QUAI_BINARY'] === undefined ? 'source' : 'binary')
    this.folder = new ServiceFolder(command, `data_dir = "data"\n${network}${live.join('')}`)
  }

  /** Starts the service with its clock stopped at `nowSeconds`. Returns once the service has read all messages. */
  async serve(port: number, nowSeconds: number, messages: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Promise<void> {
    await this.halt()
    this.key ??= await this.folder.makeKey('replay')
    this.published.clear()
    for (const [feed, bytes] of messages) this.published.set(feed, bytes)
    const clock = `${new Date(nowSeconds * 1000).toISOString().replace('.000', '')},x0`
    this.serving = await this.folder.serve({ workers: 1, port, clock })
    await until(async () => (await this.get('/v1/networks')).status === 200, 'the network is served')
    await this.untilRead()
  }

  /** Publishes the next messages to the running service, and waits until they have been read. */
  async publish(messages: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Promise<void> {
    for (const [feed, bytes] of messages) this.published.set(feed, bytes)
    await this.untilRead()
  }

  /** A response: its status, and its body parsed from JSON. */
  async get(path: string): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
    const headers = { authorization: `Bearer ${this.key ?? ''}` }
    const response = await fetch((this.serving?.base ?? '') + path, { headers })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }

  async stop(): Promise<void> {
    await this.halt()
    await this.upstream.stop(true)
    rmSync(this.folder.folder, { recursive: true, force: true })
  }

  private async halt(): Promise<void> {
    if (this.serving !== undefined) await end(this.serving)
    this.serving = undefined
  }

  private async untilRead(): Promise<void> {
    this.fetches.clear()
    const isRead = () => this.feeds.every((feed) => (this.fetches.get(feed) ?? 0) > FETCHES)
    await until(isRead, 'all feeds were read')
  }
}
