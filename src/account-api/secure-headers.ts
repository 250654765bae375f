// Security headers for every response from the account port.
import { addPageHeaders, pageHeaders } from '../pages/page-headers.ts'
import type { AccountAddresses } from './account-api.ts'
import { isSecure } from './cookies.ts'

/** Returns a function that adds the headers to a response and returns the response. */
export function secureHeaders(addresses: AccountAddresses): (response: Response) => Response {
  const headers = pageHeaders({ policy: ["form-action 'self'"], isSecure: isSecure(addresses) })
  return (response) => addPageHeaders(response, headers)
}
