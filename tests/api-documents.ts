// The OpenAPI documents of both APIs, at addresses that the stored copies in tests/golden/ have too.
import { accountOpenApiDocument } from '../src/account-api/account-openapi.ts'
import { openApiDocument } from '../src/docs/openapi.ts'

const BASE_URL = 'https://api.test'
const ACCOUNT_URL = 'https://accounts.test'

/** Each document, and the file in tests/golden/ that holds its contract. */
export async function apiDocuments(): Promise<readonly { readonly golden: string; readonly document: unknown }[]> {
  const addresses = { baseUrl: BASE_URL, accountUrl: ACCOUNT_URL, consoleUrl: ACCOUNT_URL, explorerUrl: undefined }
  return [
    { golden: 'openapi.json', document: openApiDocument(BASE_URL) },
    { golden: 'account-openapi.json', document: accountOpenApiDocument(addresses) },
  ]
}
