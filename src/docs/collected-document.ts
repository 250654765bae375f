// One OpenAPI document from the routes of an app, as @elysiajs/swagger collects them from the `detail` of their hooks. The
// plugin stands in an app of its own, which is made in memory for this one document: its page is served nowhere.
import { swagger } from '@elysiajs/swagger'
import { Elysia, type InternalRoute } from 'elysia'
import type { Json } from './openapi-schema.ts'

/** A route that is served, as Elysia lists it. */
export type ServedRoute = Pick<InternalRoute, 'method' | 'path' | 'hooks'>

/** An operation as its route describes it. */
export interface Operation extends Json {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Answer>>
}

/** What an operation answers with one status. */
export interface Answer extends Json {
  readonly content?: Readonly<Record<string, Json & { readonly schema?: object }>>
}

/** Operations by path, as OpenAPI writes it, and method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** Where the plugin answers, in its own app only. No API has such addresses. */
const COLLECTED_PATH = '/collected/document'
const PLUGIN_PAGE_PATH = '/collected/page'

/** What a document is made of. */
export interface DocumentSource {
  readonly routes: readonly ServedRoute[]
  /** Paths of routes that are served beside the API, such as pages. */
  readonly pages: readonly string[]
  /** Makes the document of what the plugin collected. The schemas in it are the very objects that the routes name. */
  finish(paths: Paths): Json
}

/** The document as JSON. */
export async function collectDocument({ routes, pages, finish }: DocumentSource): Promise<string> {
  const app = new Elysia({ name: 'docs.collected', strictPath: true })
    .onAfterHandle(({ responseValue }) => finish(pathsOf(responseValue)))
    .use(
      swagger({
        path: PLUGIN_PAGE_PATH,
        specPath: COLLECTED_PATH,
        exclude: [...pages],
        // It takes paths with a dot for files and leaves them out otherwise.
        excludeStaticFile: false,
      }),
    )
  for (const { method, path, hooks } of routes) app.route(method, path, () => undefined, { detail: hooks.detail })
  const answer = await app.handle(new Request(`http://localhost${COLLECTED_PATH}`))
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the OpenAPI document could not be made: ${text}`)
  return text
}

/** Operations with what their routes share, in the order of a table by operation id; those not in it come last. */
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
