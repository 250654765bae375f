// Security headers of every response of the account port.
import { addPageHeaders, pageHeaders } from '../pages/page-headers.ts'
import type { AccountAddresses } from './account-api.ts'
import { isSecure } from './cookies.ts'

/** Puts the headers on a response, which it gives back. */
export function secureHeaders(addresses: AccountAddresses): (response: Response) => Response {
  const headers = pageHeaders({ policy: ["form-action 'self'"], isSecure: isSecure(addresses) })
  return (response) => addPageHeaders(response, headers)
}
