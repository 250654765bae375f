// Generates the OpenAPI documents of both APIs from the routes of real servers. For each document, names the file in
// tests/golden/ that stores its contract.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ACCOUNT_PAGE_PATHS } from '../src/account-api/account-document.ts'
import { openAccountListener } from '../src/account-api/account-listener.ts'
import { accountOpenApiDocument } from '../src/account-api/account-openapi.ts'
import { createAccountServer } from '../src/account-api/server.ts'
import { openAccounts } from '../src/accounts/open-accounts.ts'
import type { ServedRoute } from '../src/docs/collected-document.ts'
import { PAGE_PATHS } from '../src/docs/docs.ts'
import { openApiDocument } from '../src/docs/openapi.ts'
import { makeConfig } from './src/account-config.ts'
import { openApi } from './src/api/api-under-test.ts'

const BASE_URL = 'https://api.test'
const ACCOUNT_URL = 'https://accounts.test'

/** The routes of a data API that serves no network. */
export async function dataRoutes(): Promise<readonly ServedRoute[]> {
  return (await openApi({ networks: [] })).app.routes
}

/** The OpenAPI document of the data API, or of the given routes. */
// biome-ignore lint/suspicious/noExplicitAny: tests read members of any shape from the document.
export async function dataDocument(routes?: readonly ServedRoute[]): Promise<any> {
  const place = { baseUrl: BASE_URL, pages: PAGE_PATHS }
  return JSON.parse(await openApiDocument(routes ?? (await dataRoutes()), place))
}

/** The routes of an account API without accounts. */
export async function accountRoutes(): Promise<readonly ServedRoute[]> {
  const folder = mkdtempSync(join(tmpdir(), 'quai-documents-'))
  const config = makeConfig(folder, { account_port: 0 })
  const accounts = await openAccounts(config, { onProblem: () => {} })
  const listener = openAccountListener(config, accounts, { print: () => {}, onProblem: () => {} })
  try {
    return createAccountServer(listener.api).routes
  } finally {
    await listener.close()
    await accounts.close()
    rmSync(folder, { recursive: true })
  }
}

/** The OpenAPI document of the account API, or of the given routes. */
export async function accountDocument(routes?: readonly ServedRoute[]): Promise<Record<string, unknown>> {
  const addresses = { baseUrl: BASE_URL, accountUrl: ACCOUNT_URL, consoleUrl: ACCOUNT_URL, explorerUrl: undefined }
  const place = { addresses, pages: ACCOUNT_PAGE_PATHS }
  return JSON.parse(await accountOpenApiDocument(routes ?? (await accountRoutes()), place))
}

/** Both documents, each with the name of the file in tests/golden/ that stores its contract. */
export async function apiDocuments(): Promise<readonly { readonly golden: string; readonly document: unknown }[]> {
  return [
    { golden: 'openapi.json', document: await dataDocument() },
    { golden: 'account-openapi.json', document: await accountDocument() },
  ]
}

/** The operations whose successful responses are not fully documented (see `hasSchemas`), each as `METHOD /path`. */
export function withoutAnswer(document: Record<string, unknown>): string[] {
  return Object.entries(Object(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(Object(methods))
      .filter(([, operation]) => !hasSchemas(Object(operation)))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
}

/**
 * Whether an operation has successful responses, and all of them have a schema for each media type. A 204 needs no
 * schema, because it has no body.
 */
function hasSchemas(operation: { readonly responses?: Readonly<Record<string, unknown>> }): boolean {
  const successes = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith('2'))
  return (
    successes.length > 0 &&
    successes.every(([status, response]) => {
      const types = Object.values(Object(Object(response)['content']))
      return status === '204' || (types.length > 0 && types.every((type) => Object(type)['schema'] !== undefined))
    })
  )
}
