// The explorer's port serves a page and its files on a separate origin without cookies. The port serves no keys and no
// data, because the page requests its data from the API.
import { basename, dirname, join } from 'node:path'
import { CrowdedConnections } from '../access/crowded-connections.ts'
import type { WatchedListener } from '../access/watched-listener.ts'
import type { Config } from '../config/config.ts'
import { closeConnections } from '../http/closing-connections.ts'
import { serverTls } from '../http/server-tls.ts'
import { fileResponse, packFile, type ServedFile, serveFiles } from '../pages/page-files.ts'
import { addPageHeaders, pageHeaders } from '../pages/page-headers.ts'
import { openLog } from '../system/log.ts'
import { once } from '../system/once.ts'
import { PortUnavailable } from '../system/ports.ts'
import { fileRangeResponse } from './byte-range.ts'
import { type ExplorerAddresses, explorerPage, explorerRules, TILES_PATH } from './explorer-page.ts'

/** Idle connections are closed after this time. */
const IDLE_TIMEOUT_SECONDS = 10
const STOP_MILLIS = 2_000
const PAGE_TYPE = 'text/html; charset=utf-8'
const ALLOWED = 'GET, HEAD'
/**
 * The URL path of a map made from streets. It contains a hash of the map's sources, so the file at this path never
 * changes.
 */
const GROUND_PATH = /^\/ground-[0-9a-z]+\.pmtiles$/
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** The base maps that the explorer can use. */
export interface ExplorerMaps {
  /** The file path of the operator's own map, which takes precedence. */
  readonly file: string | undefined
  /** Returns the file path of the current map made from streets; undefined if there is none. */
  readonly groundPath: () => string | undefined
}

/** An open explorer port. */
export interface ExplorerListener extends WatchedListener {
  readonly port: number
  /** The explorer's public URL. */
  readonly url: string
  /**
   * Starts serving the explorer, and returns its URL. Until `show` is called, requests get a 503 response.
   * @param apiPort the port on which the API listens; if the configured port is 0, the actual port
   */
  show(apiPort: number): string
  /** Closes each connection after its next response. */
  closeConnections(): void
  close(): Promise<void>
}

/**
 * Opens the explorer's port. It is opened before the API's port, because the API must know the explorer's origin to
 * allow requests from it. Throws if the port is in use.
 * @param groundPath returns the file path of the current map made from streets
 */
export function openExplorerListener(config: Config, groundPath: () => string | undefined): ExplorerListener {
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
        network: config.networks[0]?.id ?? '',
      }
      answers = new ExplorerAnswers(addresses, { file: config.explorerTiles, groundPath })
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

/** Responds to requests on the explorer's port. */
export class ExplorerAnswers {
  private readonly headers: readonly (readonly [string, string])[]
  private readonly addresses: ExplorerAddresses
  private readonly maps: ExplorerMaps
  private readonly log = openLog('explorer')
  /** All files except the page itself, by path. They are loaded and prepared on the first request. */
  private readonly files = once(async () => {
    const { explorerFiles } = await import('./explorer-files.ts')
    const made = await explorerFiles()
    return { made, served: serveFiles(made.files) }
  })
  /** The page, and the URL path of its base map. Replaced when the base map changes. */
  private page: { readonly tilesPath: string; readonly file: ServedFile } | undefined

  constructor(addresses: ExplorerAddresses, maps: ExplorerMaps) {
    this.addresses = addresses
    this.headers = pageHeaders(explorerRules(addresses))
    this.maps = maps
  }

  /** Responds to a request. A failure is logged and answered with 500. */
  async answer(request: Request): Promise<Response> {
    const response = await this.find(request).catch((error: unknown) => {
      this.log.error({ error }, 'explorer request failed')
      return plainText("Internal error. See the service's log for the cause.\n", 500)
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
    const map = await this.findMap(path, request)
    if (map !== undefined) return map
    const file = path === '/' ? await this.findPage() : (await this.files()).served.get(path.slice(1))
    return file === undefined ? plainText('Page not found.\n', 404) : fileResponse(file, request)
  }

  private async findPage(): Promise<ServedFile | undefined> {
    const { file, groundPath } = this.maps
    const ground = groundPath()
    const tilesPath = file !== undefined ? TILES_PATH : ground === undefined ? '' : pathOfGround(ground)
    if (this.page?.tilesPath !== tilesPath) {
      const { made } = await this.files()
      const served = serveFiles([packFile('', PAGE_TYPE, explorerPage(this.addresses, made, tilesPath))]).get('')
      if (served === undefined) return undefined
      this.page = { tilesPath, file: served }
    }
    return this.page.file
  }

  /**
   * Responds with the operator's map or with a map made from streets. The latter can be the current or the previous
   * map, because open pages may still read the previous one.
   */
  private async findMap(path: string, request: Request): Promise<Response | undefined> {
    const { file, groundPath } = this.maps
    if (path === TILES_PATH && file !== undefined) return await fileRangeResponse(Bun.file(file), request)
    const ground = groundPath()
    if (ground === undefined || !GROUND_PATH.test(path)) return undefined
    const wanted = Bun.file(join(dirname(ground), path.slice(1)))
    return (await wanted.exists()) ? await fileRangeResponse(wanted, request, IMMUTABLE) : undefined
  }
}

/** The URL path at which the page requests a map file. */
function pathOfGround(file: string): string {
  return `/${basename(file)}`
}

/**
 * The origins whose pages may call the API. If the explorer's port is configured as 0, the explorer's origin has the
 * actual port instead.
 */
export function originsWith({ corsOrigins, explorerUrl }: Config, explorer: ExplorerListener): readonly string[] {
  const configured = new URL(explorerUrl).origin
  return corsOrigins.map((origin) => (origin === configured ? new URL(explorer.url).origin : origin))
}

/** Replaces port 0 in a URL with the actual port. */
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
