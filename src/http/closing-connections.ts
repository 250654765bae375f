// Drains connections before a server stops: the server still responds, but every response has `Connection: close`.
// Handlers are wrapped only when draining begins, so earlier requests have no extra cost.
import type { Server } from 'bun'

type Answer = Response | Promise<Response>
type Handler = (request: Request, server: Server<unknown>) => Answer

/** A server and its handlers, such as a listening Elysia app. */
export interface ClosableApp {
  readonly server: Server<unknown> | null
  readonly fetch: Handler
  /** Contains the HTTP server's routes that bypass `fetch`. */
  readonly config: { readonly serve?: { readonly routes?: Readonly<Record<string, unknown>> } | undefined }
}

/** Adds `Connection: close` to all further responses. Open event streams are not affected. */
export function closeConnections({ server, fetch, config }: ClosableApp): void {
  const routes = Object.entries(config.serve?.routes ?? {}).map(([path, route]) => [path, closingRoute(route)])
  server?.reload({ fetch: closing(fetch), routes: Object.fromEntries(routes) })
}

/** Returns a route's handlers by method, wrapped so that each response closes its connection. */
function closingRoute(route: unknown): Record<string, Handler> {
  const methods = Object.entries(route ?? {}).filter((entry): entry is [string, Handler] => isHandler(entry[1]))
  return Object.fromEntries(methods.map(([method, handler]) => [method, closing(handler)]))
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function'
}

function closing(handler: Handler): Handler {
  return async (request, server) => {
    const response = await handler(request, server)
    response.headers.set('Connection', 'close')
    return response
  }
}
