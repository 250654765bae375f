// The OpenAPI documents of both APIs, made from the routes of real servers, at the addresses of the copies in tests/golden/.
import { accountOpenApiDocument } from '../src/account-api/account-openapi.ts'
import type { ServedRoute } from '../src/docs/collected-document.ts'
import { PAGE_PATHS } from '../src/docs/docs.ts'
import { openApiDocument } from '../src/docs/openapi.ts'
import { openApi } from './src/api/api-under-test.ts'

const BASE_URL = 'https://api.test'
const ACCOUNT_URL = 'https://accounts.test'

/** The routes of a data API that serves no network. */
export async function dataRoutes(): Promise<readonly ServedRoute[]> {
  return (await openApi({ networks: [] })).app.routes
}

/** The document of the data API, or of other routes. */
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into as JSON of any shape.
export async function dataDocument(routes?: readonly ServedRoute[]): Promise<any> {
  const place = { baseUrl: BASE_URL, pages: PAGE_PATHS }
  return JSON.parse(await openApiDocument(routes ?? (await dataRoutes()), place))
}

/** Each document, and the file in tests/golden/ that holds its contract. */
export async function apiDocuments(): Promise<readonly { readonly golden: string; readonly document: unknown }[]> {
  const addresses = { baseUrl: BASE_URL, accountUrl: ACCOUNT_URL, consoleUrl: ACCOUNT_URL, explorerUrl: undefined }
  return [
    { golden: 'openapi.json', document: await dataDocument() },
    { golden: 'account-openapi.json', document: accountOpenApiDocument(addresses) },
  ]
}

/** Operations that don't say what their answer is made of, as method and path. */
export function withoutAnswer(document: Record<string, unknown>): string[] {
  return Object.entries(Object(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(Object(methods))
      .filter(([, operation]) => !saysAnswer(Object(operation)))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
}

/** 204 has no answer to describe; of every other success each media type has a schema. */
function saysAnswer(operation: { readonly responses?: Readonly<Record<string, unknown>> }): boolean {
  const successes = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith('2'))
  return (
    successes.length > 0 &&
    successes.every(([status, response]) => {
      const types = Object.values(Object(Object(response)['content']))
      return status === '204' || (types.length > 0 && types.every((type) => Object(type)['schema'] !== undefined))
    })
  )
}
