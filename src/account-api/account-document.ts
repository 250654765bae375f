// Serves the OpenAPI document on the account port.
import { Elysia } from 'elysia'
import { CONSOLE_PATH } from '../console/console-answer.ts'
import type { ServedRoute } from '../docs/collected-document.ts'
import { once } from '../system/once.ts'
import type { AccountApi } from './account-api.ts'
import { openEndpoint, PAGE } from './account-endpoint.ts'

const DOCUMENT_PATH = '/openapi.json'

/** Paths that the account port serves besides the API. */
export const ACCOUNT_PAGE_PATHS: readonly string[] = ['/', CONSOLE_PATH, DOCUMENT_PATH]

/**
 * GET /openapi.json: public, like the data API's document.
 * @param routes every route of the app; read on the first request, when the list is complete
 */
export const accountDocumentApi = (api: AccountApi, routes: readonly ServedRoute[]) => {
  const text = once(async () => {
    // Built on the first request, so that it doesn't delay startup.
    const { accountOpenApiDocument } = await import('./account-openapi.ts')
    return accountOpenApiDocument(routes, { addresses: api.addresses, pages: ACCOUNT_PAGE_PATHS })
  })
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' }
  return new Elysia({ name: 'account.document' }).get(
    DOCUMENT_PATH,
    openEndpoint(api, PAGE, async () => new Response(await text(), { headers })),
  )
}
