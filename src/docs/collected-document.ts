// Collects an OpenAPI document from the `detail` of an app's routes, with the plugin @elysiajs/swagger. The plugin runs
// in a temporary in-memory app. The plugin's own page is not served.
import { swagger } from '@elysiajs/swagger'
import { Elysia, type InternalRoute } from 'elysia'
import type { Json } from './openapi-schema.ts'

/** A served route, as listed by Elysia. */
export type ServedRoute = Pick<InternalRoute, 'method' | 'path' | 'hooks'>

/** An operation in the document, as described by the `detail` of its route. */
export interface Operation extends Json {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Answer>>
}

/** A response of an operation. */
export interface Answer extends Json {
  readonly content?: Readonly<Record<string, Json & { readonly schema?: object }>>
}

/** Operations by OpenAPI path and method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** The path at which the plugin serves the document in the temporary app. */
const COLLECTED_PATH = '/collected/document'
const PLUGIN_PAGE_PATH = '/collected/page'

/** The routes from which a document is built, and the function that completes it. */
export interface DocumentSource {
  readonly routes: readonly ServedRoute[]
  /** Paths to leave out, such as pages. */
  readonly pages: readonly string[]
  /** Builds the document from the collected paths. They contain the routes' schema objects themselves, not copies. */
  finish(paths: Paths): Json
}

/** Builds the document and returns it as JSON. */
export async function collectDocument({ routes, pages, finish }: DocumentSource): Promise<string> {
  const app = new Elysia({ name: 'docs.collected', strictPath: true })
    .onAfterHandle(({ responseValue }) => finish(pathsOf(responseValue)))
    .use(
      swagger({
        path: PLUGIN_PAGE_PATH,
        specPath: COLLECTED_PATH,
        exclude: [...pages],
        // By default, the plugin treats paths with a dot as files and leaves them out.
        excludeStaticFile: false,
      }),
    )
  // Paths with a wildcard are not operations.
  for (const { method, path, hooks } of routes.filter((route) => !route.path.includes('*')))
    app.route(method, path, () => undefined, { detail: hooks.detail })
  const answer = await app.handle(new Request(`http://localhost${COLLECTED_PATH}`))
  const text = await answer.text()
  if (!answer.ok) throw new Error(`building the OpenAPI document failed: ${text}`)
  return text
}

/**
 * Completes the operations and sorts them by their position in a list of operation ids. Operations that are not in the
 * list come last.
 */
export function finishOperations(
  paths: Paths,
  order: readonly string[],
  finish: (operation: Operation) => Operation,
): Paths {
  const places = new Map(order.map((name, at) => [name, at]))
  const placeOf = ({ operationId }: Operation) => places.get(operationId) ?? order.length
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const finished: Record<string, Record<string, Operation>> = {}
  for (const { path, method, operation } of operations.sort((a, b) => placeOf(a.operation) - placeOf(b.operation))) {
    finished[path] = { ...finished[path], [method]: finish(operation) }
  }
  return finished
}

function pathsOf(collected: unknown): Paths {
  if (!isDocument(collected)) throw new Error('@elysiajs/swagger collected no paths')
  return collected.paths
}

function isDocument(value: unknown): value is { readonly paths: Paths } {
  return typeof value === 'object' && value !== null && 'paths' in value
}
