// The explorer's port: a page and its files on an origin of their own, where no cookie is ever set. It knows neither keys
// nor networks: the page asks the API for all it shows.

import { CrowdedConnections } from '../access/crowded-connections.ts'
import type { WatchedListener } from '../access/watched-listener.ts'
import type { Config } from '../config/config.ts'
import { closeConnections } from '../http/closing-connections.ts'
import { serverTls } from '../http/server-tls.ts'
import { fileResponse, packFile, serveFiles } from '../pages/page-files.ts'
import { addPageHeaders, pageHeaders } from '../pages/page-headers.ts'
import { openLog } from '../system/log.ts'
import { once } from '../system/once.ts'
import { PortUnavailable } from '../system/ports.ts'
import { fileRangeResponse } from './byte-range.ts'
import { explorerFiles } from './explorer-files.ts'
import { type ExplorerAddresses, explorerPage, explorerRules, TILES_PATH } from './explorer-page.ts'

/** An idle connection is closed after this. */
const IDLE_TIMEOUT_SECONDS = 10
const STOP_MILLIS = 2_000
const PAGE_TYPE = 'text/html; charset=utf-8'
const ALLOWED = 'GET, HEAD'

/** An open explorer port. */
export interface ExplorerListener extends WatchedListener {
  readonly port: number
  /** Where people reach it. */
  readonly url: string
  /**
   * Shows the explorer from now on, and gives its address; until then it says that the service starts.
   * @param apiPort the port the API has taken, which a configured 0 doesn't tell
   */
  show(apiPort: number): string
  /** Has clients go elsewhere: each answer is the last of its connection. */
  closeConnections(): void
  close(): Promise<void>
}

/** Opens the explorer's port, before the API's: pages of its origin may call that. Throws where it is taken. */
export function openExplorerListener(config: Config): ExplorerListener {
  const { bind, explorerPort, tls } = config
  let answers: ExplorerAnswers | undefined
  const crowd = new CrowdedConnections()
  const fetch = (request: Request, from: Bun.Server<undefined>) =>
    crowd.refusalOf(request, from) === undefined ? (answers?.answer(request) ?? starting()) : crowded()
  const open = (port: number) => {
    try {
      return Bun.serve({
        hostname: bind,
        port,
        reusePort: false,
        idleTimeout: IDLE_TIMEOUT_SECONDS,
        development: false,
        ...serverTls(tls),
        fetch,
      })
    } catch (error) {
      throw new PortUnavailable('the explorer', { hostname: bind, port, setting: 'explorer_port' }, error)
    }
  }
  let server = open(explorerPort)
  const port = server.port ?? explorerPort
  const url = withPort(config.explorerUrl, port)
  return {
    port,
    url,
    show(apiPort) {
      const addresses: ExplorerAddresses = {
        apiUrl: withPort(config.baseUrl, apiPort),
        consoleUrl: `${config.accountConsoleUrl}/console`,
        explorerUrl: url,
        hasTiles: config.explorerTiles !== undefined,
      }
      answers = new ExplorerAnswers(addresses, config.explorerTiles)
      return url
    },
    closeConnections: () => closeConnections({ server, fetch, config: {} }),
    turnAway: (connections) => crowd.replace(connections),
    closeIdle: () => server.closeIdleConnections(),
    async pause() {
      void server.stop()
    },
    async resume() {
      server = open(port)
    },
    async close() {
      await Promise.race([server.stop(), Bun.sleep(STOP_MILLIS)])
      await server.stop(true)
    },
  }
}

/** What the port answers. */
export class ExplorerAnswers {
  private readonly headers: readonly (readonly [string, string])[]
  private readonly addresses: ExplorerAddresses
  private readonly tiles: Bun.BunFile | undefined
  private readonly log = openLog('explorer')
  /** All files by path, made ready when the first is asked for. */
  private readonly files = once(async () => {
    const made = await explorerFiles()
    return serveFiles([packFile('', PAGE_TYPE, explorerPage(this.addresses, made)), ...made.files])
  })

  constructor(addresses: ExplorerAddresses, tilesFile: string | undefined) {
    this.addresses = addresses
    this.headers = pageHeaders(explorerRules(addresses))
    this.tiles = tilesFile === undefined ? undefined : Bun.file(tilesFile)
  }

  /** Answers a request; a failure is logged and answered as one. */
  async answer(request: Request): Promise<Response> {
    const response = await this.find(request).catch((error: unknown) => {
      this.log.error({ error }, 'the explorer could not answer')
      return plainText('The explorer could not answer; the log of the service says why.\n', 500)
    })
    return addPageHeaders(response, this.headers)
  }

  private async find(request: Request): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const refused = plainText('This port takes GET and HEAD alone.\n', 405)
      refused.headers.set('Allow', ALLOWED)
      return refused
    }
    const path = URL.parse(request.url, this.addresses.explorerUrl)?.pathname ?? ''
    if (path === TILES_PATH && this.tiles !== undefined) return fileRangeResponse(this.tiles, request)
    const file = (await this.files()).get(path.slice(1))
    return file === undefined ? plainText('There is no such page.\n', 404) : fileResponse(file, request)
  }
}

/** The origins that may call the API, with the explorer's own as it is where its port was configured as 0. */
export function originsWith({ corsOrigins, explorerUrl }: Config, explorer: ExplorerListener): readonly string[] {
  const configured = new URL(explorerUrl).origin
  return corsOrigins.map((origin) => (origin === configured ? new URL(explorer.url).origin : origin))
}

/** The address of a port; where it was configured as 0, the one that was taken stands in it. */
function withPort(address: string, port: number): string {
  return address.replace(/:0$/, () => `:${port}`)
}

function crowded(): Response {
  const response = plainText('This address has too many open connections.\n', 429)
  response.headers.set('Retry-After', '1')
  response.headers.set('Connection', 'close')
  return response
}

function starting(): Response {
  const response = plainText('The service is starting.\n', 503)
  response.headers.set('Retry-After', '1')
  return response
}

function plainText(text: string, status: number): Response {
  return new Response(text, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' } })
}
