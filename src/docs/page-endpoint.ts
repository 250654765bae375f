// Creates the handlers of public pages. Requests for pages need no key and have no parameters.
import { QueryParser } from '../contract/parameter-parser.ts'
import { Cors } from '../http/cors.ts'
import { Problem } from '../http/problem.ts'
import { safetyHeaders } from '../http/safety-headers.ts'
import { dataPipeline } from '../requests/pipeline.ts'
import { problemResponse } from '../requests/refusals.ts'
import type { Context, Service } from '../requests/service.ts'
import { TEXT_POLICY } from './docs-page.ts'

/** Responds to a request for a page. */
export type PageHandler = (request: { readonly headers: Headers }) => Response | Problem | Promise<Response | Problem>

/** The handler of a page, in the form that the app expects. */
export type PageEndpoint = (context: Context) => Promise<Response>

/** Returns a function that creates the handler of a page. */
export function pageEndpoint(service: Service): (respond: PageHandler) => PageEndpoint {
  const cors = new Cors(service.corsOrigins)
  const parser = new QueryParser({})
  const safety = Object.entries(safetyHeaders(service.baseUrl))
  return (respond) => {
    const answer = dataPipeline(service, {
      access: 'page',
      route: undefined,
      parser,
      pathIdIn: () => '',
      handle: async (_, passage) => {
        const response = await respond(passage)
        if (response instanceof Problem) return response
        for (const [name, value] of safety) response.headers.set(name, value)
        return response
      },
      refuse: (problem, { headers }) => problemResponse(problem, { service, cors, headers }),
    })
    return async ({ request, server }) => answer(request, server)
  }
}

/** Responds with a file or a page. Browsers may cache it for five minutes, unless `more` has another Cache-Control. */
export function pageResponse(
  body: string | Blob | Uint8Array<ArrayBuffer>,
  type: string,
  more: Record<string, string> = {},
): Response {
  return new Response(body, {
    headers: {
      'Content-Type': type,
      'Cache-Control': 'public, max-age=300',
      'Referrer-Policy': 'no-referrer',
      ...more,
    },
  })
}

/** Responds with a page whose only script is the one that adds copy buttons. */
export function textResponse(page: string, more: Record<string, string> = {}): Response {
  return pageResponse(page, 'text/html; charset=utf-8', { 'Content-Security-Policy': TEXT_POLICY, ...more })
}
