// The last handler of the account API. It answers OPTIONS requests, unsupported methods and unknown paths.
import { Elysia } from 'elysia'
import { Problem } from '../http/problem.ts'
import { checkAccountMessage } from '../requests/account-pipeline.ts'
import type { AccountApi } from './account-api.ts'
import { noContent, refuse } from './account-endpoint.ts'
import { ACCOUNT_FRAMING } from './account-message.ts'

/** A route as listed by Elysia. */
interface KnownRoute {
  readonly method: string
  readonly path: string
}

/**
 * Answers OPTIONS with 204. Answers CONNECT, and unsupported methods on known paths, with 405. Answers everything else
 * with 404.
 */
export const unknownAccountRequests = (api: AccountApi, known: readonly KnownRoute[]) => {
  return new Elysia({ name: 'account.unknown' }).all('/*', ({ request, server }) => {
    const fault = api.limits.crowd.refusalOf(request, server) ?? checkAccountMessage(request, ACCOUNT_FRAMING)
    if (fault !== undefined) return refuse(api, request, fault)
    const { pathname } = new URL(request.url, api.addresses.accountUrl)
    const methods = known
      .filter(({ path }) => !path.endsWith('*') && shapeOf(path).test(pathname))
      .map(({ method }) => method)
    const allow = {
      Allow: [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].join(', '),
    }
    // The response has no Access-Control-Allow-Origin header, so pages from other origins have no access.
    if (request.method === 'OPTIONS') return noContent(allow)
    if (request.method === 'CONNECT') {
      // The client would treat the bytes after this response as tunnel data, so close the connection.
      return refuse(api, request, new Problem('method_not_allowed'), { ...allow, Connection: 'close' })
    }
    return methods.length === 0
      ? refuse(api, request, new Problem('not_found'))
      : refuse(api, request, new Problem('method_not_allowed'), allow)
  })
}

function shapeOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[A-Za-z_]+/g, '[^/]+')}$`)
}
