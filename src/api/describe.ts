// What the document says of a route, made from its row: Elysia carries it and never validates by it.
import type { Route } from './routes.ts'

/** The name of a route's operation and its summary, as Elysia takes them. */
export function describe(route: Route) {
  return { detail: { operationId: route.name, summary: route.summary } }
}
