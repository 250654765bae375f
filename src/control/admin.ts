// The admin listener: whether the process lives, whether it has started and can serve, its metrics, and the pages for
// operators. It only tells;
// nothing can be changed through it, and nothing it says holds a secret, a key or an account.
import { isInternalName, isOwnName, readHost } from '../access/host-names.ts'
import { openLog } from '../system/log.ts'
import { PortUnavailable } from '../system/ports.ts'

/** What the admin listener asks of the process. */
export interface AdminParts {
  readonly hostname: string
  readonly port: number
  /** Whether the ports were opened once. */
  readonly isStarted: () => boolean
  readonly isReady: () => boolean
  /** Names by which this machine may be asked for its metrics, besides its addresses and names of internal networks. */
  readonly names: readonly string[]
  /** Digests of the live data of each thread, which are equal but for a moment. */
  readonly digestLive: () => Promise<unknown>
  /** Loaded when they are first asked for. */
  readonly metrics: () => Promise<{ readonly contentType: string; text(): Promise<string> }>
  /** The same of the pages for operators, which answer whatever is no probe. */
  readonly pages: () => Promise<{ answer(request: Request, peer: string | undefined): Promise<Response> }>
}

const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

const OTHER_NAME =
  'Metrics are not at that name; use an address, localhost, or a name that admin_hosts in the configuration lists.\n'

const otherName = () => new Response(OTHER_NAME, { status: 403, headers: NO_STORE })

/** A page of another site must not read the metrics by a name of its own. Without a Host header nobody is a browser. */
function isKnownHost({ headers }: Request, names: readonly string[]): boolean {
  const header = headers.get('host')
  if (header === null) return true
  const host = readHost(header)
  return host !== undefined && (isOwnName(host) || isInternalName(host) || names.includes(host))
}

/** Opens the admin listener: `/livez`, `/startupz`, `/readyz`, `/metrics`, `/live-digests`, and the pages. Throws where the port is taken. */
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
      // Bun shares a port with other processes otherwise, without a word.
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
        log.error({ error }, 'the admin listener could not answer')
        return new Response('The admin listener could not answer; the log of the service says why.\n', { status: 500 })
      },
    })
  } catch (error) {
    throw new PortUnavailable('the admin listener', { hostname, port, setting: 'admin_port' }, error)
  }
}
