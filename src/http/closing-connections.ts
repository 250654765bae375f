// How a server that is about to end has its clients go elsewhere: it answers on, and each answer is its connection's last.
// Costs nothing until then, since the handlers are only exchanged when it begins.
import type { Server } from 'bun'

type Answer = Response | Promise<Response>
type Handler = (request: Request, server: Server<unknown>) => Answer

/** A server with its handlers: an Elysia app that listens, for one. */
export interface ClosableApp {
  readonly server: Server<unknown> | null
  readonly fetch: Handler
  /** Routes of the HTTP server itself, which go round `fetch`. */
  readonly config: { readonly serve?: { readonly routes?: Readonly<Record<string, unknown>> } | undefined }
}

/** Has every answer from now on say `Connection: close`. Streams that are open are not touched. */
export function closeConnections({ server, fetch, config }: ClosableApp): void {
  const routes = Object.entries(config.serve?.routes ?? {}).map(([path, route]) => [path, closingRoute(route)])
  server?.reload({ fetch: closing(fetch), routes: Object.fromEntries(routes) })
}

/** A route's handlers by method, each closing. */
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
