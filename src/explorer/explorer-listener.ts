// The explorer's port serves a page and its files on a separate origin without cookies. It has no keys and no data: the
// page calls the API.

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

/** Idle connections are closed after this time. */
const IDLE_TIMEOUT_SECONDS = 10
const STOP_MILLIS = 2_000
const PAGE_TYPE = 'text/html; charset=utf-8'
const ALLOWED = 'GET, HEAD'

/** An open explorer port. */
export interface ExplorerListener extends WatchedListener {
  readonly port: number
  /** Its public address. */
  readonly url: string
  /**
   * Starts serving the explorer and returns its address. Before, every response is 503.
   * @param apiPort the port that the API listens on; it differs from the configured port if that is 0
   */
  show(apiPort: number): string
  /** Closes each connection after its next response. */
  closeConnections(): void
  close(): Promise<void>
}

/** Opens the explorer's port, before the API's, which allows the explorer's origin. Throws if the port is in use. */
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
        network: config.networks[0]?.id ?? '',
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

/** Responses of the port. */
export class ExplorerAnswers {
  private readonly headers: readonly (readonly [string, string])[]
  private readonly addresses: ExplorerAddresses
  private readonly tiles: Bun.BunFile | undefined
  private readonly log = openLog('explorer')
  /** All files by path, prepared on the first request. */
  private readonly files = once(async () => {
    const made = await explorerFiles()
    return serveFiles([packFile('', PAGE_TYPE, explorerPage(this.addresses, made)), ...made.files])
  })

  constructor(addresses: ExplorerAddresses, tilesFile: string | undefined) {
    this.addresses = addresses
    this.headers = pageHeaders(explorerRules(addresses))
    this.tiles = tilesFile === undefined ? undefined : Bun.file(tilesFile)
  }

  /** Responds to a request. A failure is logged and answered with 500. */
  async answer(request: Request): Promise<Response> {
    const response = await this.find(request).catch((error: unknown) => {
      this.log.error({ error }, 'explorer request failed')
      return plainText('Internal error. See the log of the service for the cause.\n', 500)
    })
    return addPageHeaders(response, this.headers)
  }

  private async find(request: Request): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const refused = plainText('Method not allowed. Use GET or HEAD.\n', 405)
      refused.headers.set('Allow', ALLOWED)
      return refused
    }
    const path = URL.parse(request.url, this.addresses.explorerUrl)?.pathname ?? ''
    if (path === TILES_PATH && this.tiles !== undefined) return fileRangeResponse(this.tiles, request)
    const file = (await this.files()).get(path.slice(1))
    return file === undefined ? plainText('Page not found.\n', 404) : fileResponse(file, request)
  }
}

/** The origins allowed to call the API, with the explorer's actual port if it was configured as 0. */
export function originsWith({ corsOrigins, explorerUrl }: Config, explorer: ExplorerListener): readonly string[] {
  const configured = new URL(explorerUrl).origin
  return corsOrigins.map((origin) => (origin === configured ? new URL(explorer.url).origin : origin))
}

/** Replaces port 0 in an address by the actual port. */
function withPort(address: string, port: number): string {
  return address.replace(/:0$/, () => `:${port}`)
}

function crowded(): Response {
  const response = plainText('Too many open connections from this address.\n', 429)
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
