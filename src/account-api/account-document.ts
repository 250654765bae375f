// Where the account port serves its OpenAPI document.
import { Elysia } from 'elysia'
import { CONSOLE_PATH } from '../console/console-answer.ts'
import type { ServedRoute } from '../docs/collected-document.ts'
import { once } from '../system/once.ts'
import type { AccountApi } from './account-api.ts'
import { openEndpoint, PAGE } from './account-endpoint.ts'

const DOCUMENT_PATH = '/openapi.json'

/** Paths that the account port serves beside the API. */
export const ACCOUNT_PAGE_PATHS: readonly string[] = ['/', CONSOLE_PATH, DOCUMENT_PATH]

/**
 * GET /openapi.json: public, as that of the data API.
 * @param routes every route of the app that serves this, listed by the time it is asked
 */
export const accountDocumentApi = (api: AccountApi, routes: readonly ServedRoute[]) => {
  const text = once(async () => {
    // Loaded and made when it is first asked for: no start waits for it.
    const { accountOpenApiDocument } = await import('./account-openapi.ts')
    return accountOpenApiDocument(routes, { addresses: api.addresses, pages: ACCOUNT_PAGE_PATHS })
  })
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' }
  return new Elysia({ name: 'account.document' }).get(
    DOCUMENT_PATH,
    openEndpoint(api, PAGE, async () => new Response(await text(), { headers })),
  )
}
