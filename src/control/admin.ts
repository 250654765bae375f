// The admin port: liveness, startup and readiness probes, metrics, and the pages for operators. It is read-only, and its
// responses contain no secrets, keys or account data.
import { isInternalName, isOwnName, readHost } from '../access/host-names.ts'
import { openLog } from '../system/log.ts'
import { PortUnavailable } from '../system/ports.ts'

/** The parts of the process that the admin port shows. */
export interface AdminParts {
  readonly hostname: string
  readonly port: number
  /** Whether the service has been ready at least once. */
  readonly isStarted: () => boolean
  readonly isReady: () => boolean
  /** Host names allowed for metrics, in addition to this machine's own addresses and internal names. */
  readonly names: readonly string[]
  /**
   * Digests of each thread's live data. After a change, the threads have different digests until all of them have
   * received the change.
   */
  readonly digestLive: () => Promise<unknown>
  /** The metrics. Their code is loaded on first use. */
  readonly metrics: () => Promise<{ readonly contentType: string; text(): Promise<string> }>
  /** The pages for operators. They answer all other paths. Their code is loaded on first use. */
  readonly pages: () => Promise<{ answer(request: Request, peer: string | undefined): Promise<Response> }>
}

const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

const OTHER_NAME =
  'Metrics are not served at that host name; use an IP address, localhost, or a name listed in admin_hosts.\n'

const otherName = () => new Response(OTHER_NAME, { status: 403, headers: NO_STORE })

/**
 * Whether the Host header is an allowed name. The check prevents DNS rebinding, by which another site could read the
 * metrics through its own host name. A request without Host is allowed, because browsers always send Host.
 */
function isKnownHost({ headers }: Request, names: readonly string[]): boolean {
  const header = headers.get('host')
  if (header === null) return true
  const host = readHost(header)
  return host !== undefined && (isOwnName(host) || isInternalName(host) || names.includes(host))
}

/**
 * Opens the admin port: `/livez`, `/startupz`, `/readyz`, `/metrics`, `/live-digests`, and the pages. Throws
 * PortUnavailable if the port is in use.
 */
export function openAdmin(parts: AdminParts): ReturnType<typeof Bun.serve> {
  const { hostname, port, metrics, pages } = parts
  const answer = (isFine: boolean, otherwise: string) =>
    new Response(isFine ? 'ok\n' : `${otherwise}\n`, {
      status: isFine ? 200 : 503,
      headers: { 'content-type': 'text/plain; charset=utf-8', ...NO_STORE },
    })
  const log = openLog('admin')
  try {
    return Bun.serve({
      hostname,
      port,
      // With `true`, Bun would silently share the port with other processes.
      reusePort: false,
      development: false,
      routes: {
        '/livez': () => answer(true, ''),
        '/startupz': () => answer(parts.isStarted(), 'not started'),
        '/readyz': () => answer(parts.isReady(), 'not ready'),
        '/metrics': async (request) => {
          if (!isKnownHost(request, parts.names)) return otherName()
          const loaded = await metrics()
          const headers = { 'content-type': loaded.contentType, ...NO_STORE }
          return new Response(await loaded.text(), { headers })
        },
        '/live-digests': async (request) => {
          if (!isKnownHost(request, parts.names)) return otherName()
          return Response.json(await parts.digestLive(), { headers: NO_STORE })
        },
      },
      fetch: async (request, server) => await (await pages()).answer(request, server.requestIP(request)?.address),
      error: (error) => {
        log.error({ error }, 'admin request failed')
        return new Response('Internal error; see the service log.\n', { status: 500 })
      },
    })
  } catch (error) {
    throw new PortUnavailable('the admin listener', { hostname, port, setting: 'admin_port' }, error)
  }
}
