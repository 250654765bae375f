// The public documentation: OpenAPI document, reference, guides and the list of errors. No page loads anything from another
// origin.
import { Elysia } from 'elysia'
import { QueryParser } from '../contract/parameter-parser.ts'
import { ACCOUNT_PROBLEMS } from '../http/account-problem.ts'
import { encodeBody } from '../http/content-coding.ts'
import { Cors } from '../http/cors.ts'
import { PROBLEMS } from '../http/problem.ts'
import { chooseCoding, takesGzip } from '../http/request-head.ts'
import { safetyHeaders } from '../http/safety-headers.ts'
import { dataPipeline } from '../requests/pipeline.ts'
import { problemResponse } from '../requests/refusals.ts'
import type { Endpoint, Service } from '../requests/service.ts'
import { once } from '../system/once.ts'
import type { ServedRoute } from './collected-document.ts'
import { docsNavigation, GUIDES, GUIDES_PATH, guidePage, guidePath, guidesPage } from './guides.ts'
import scalarPath from './reference/scalar.js.gz' with { type: 'file' }
import { TEXT_POLICY, textPage, toHtml, wideTable } from './text-pages.ts'

/** The reference's script only calls its own origin and adds inline styles. */
const PAGE_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const DAY_SECONDS = 86_400

const START_SCRIPT = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideDownloadButton: false,
  persistAuth: false,
  defaultOpenAllTags: false,
  metaData: { title: 'Quai API' },
})
`

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quai API</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>The reference needs JavaScript; the document it is made of is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** Paths of the pages. */
export const PAGE_PATHS: readonly string[] = [
  '/openapi.json',
  '/docs',
  '/docs/start.js',
  '/docs/scalar.js',
  '/docs/errors',
  GUIDES_PATH,
  ...GUIDES.map(guidePath),
]

/**
 * The routes of the document, the pages and their files.
 * @param servedRoutes all routes of the app
 */
export const docsApi = (service: Service, servedRoutes: () => readonly ServedRoute[]) => {
  const document = once(async () => {
    // Built on the first request, so it does not delay the start.
    const { openApiDocument } = await import('./openapi.ts')
    const text = await openApiDocument(servedRoutes(), { baseUrl: service.baseUrl, pages: PAGE_PATHS })
    return { plain: text, zstd: encodeBody(text, 'zstd'), gzip: encodeBody(text, 'gzip') }
  })
  const page = pageEndpoint(service)
  return new Elysia({ name: 'api.docs' })
    .get(
      '/openapi.json',
      page(async ({ headers }) => {
        const coding = chooseCoding(headers.get('accept-encoding'))
        return answer((await document())[coding ?? 'plain'], 'application/json', {
          'Access-Control-Allow-Origin': '*',
          Vary: 'Accept-Encoding',
          ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
        })
      }),
    )
    .get(
      '/docs',
      page(() => answer(PAGE, 'text/html; charset=utf-8', { 'Content-Security-Policy': PAGE_POLICY })),
    )
    .use(guidesApi(service, page))
    .get(
      '/docs/start.js',
      page(() => answer(START_SCRIPT, 'text/javascript; charset=utf-8')),
    )
    .get(
      '/docs/scalar.js',
      page(({ headers }) => scalarScript(headers)),
    )
    .get(
      '/docs/errors',
      page(() => answerText(errorsPage())),
    )
}

/** Creates endpoints of pages: public requests without parameters. */
function pageEndpoint(service: Service): (respond: PageHandler) => Endpoint {
  const cors = new Cors(service.corsOrigins)
  const parser = new QueryParser({})
  const safety = Object.entries(safetyHeaders(service.baseUrl))
  return (respond) => {
    const answer = dataPipeline(service, {
      access: 'page',
      units: 0,
      parser,
      pathIdIn: () => '',
      handle: async (_, passage) => {
        const response = await respond(passage)
        for (const [name, value] of safety) response.headers.set(name, value)
        return response
      },
      refuse: (problem, { headers }) => problemResponse(problem, { service, cors, headers }),
    })
    return async ({ request, server }) => answer({ request, server })
  }
}

type PageHandler = (asked: { readonly headers: Headers }) => Response | Promise<Response>

/** Routes of the guides and their list. */
const guidesApi = (service: Service, page: (respond: PageHandler) => Endpoint) => {
  const app = new Elysia({ name: 'api.docs.guides' }).get(
    GUIDES_PATH,
    page(() => answerText(guidesPage())),
  )
  for (const guide of GUIDES) {
    const text = once(() => guidePage(guide, service.baseUrl))
    app.get(
      guidePath(guide),
      page(async () => answerText(await text())),
    )
  }
  return app
}

function answerText(page: string): Response {
  return answer(page, 'text/html; charset=utf-8', { 'Content-Security-Policy': TEXT_POLICY })
}

function answer(
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

/** Responds with the reference's script, gzipped unless the client does not accept gzip. */
async function scalarScript(headers: Headers): Promise<Response> {
  const isPacked = takesGzip(headers.get('accept-encoding'))
  const script = isPacked ? await packedScript() : await plainScript()
  return answer(script, 'text/javascript; charset=utf-8', {
    'Cache-Control': `public, max-age=${DAY_SECONDS}`,
    Vary: 'Accept-Encoding',
    ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
  })
}

/**
 * The script, loaded once on the first request. Responses share a Blob's bytes but copy an array's: 200 slow clients cost
 * 0 MB instead of 190 MB gzipped or 550 MB uncompressed.
 */
const packedScript = once(async () => new Blob([await Bun.file(scalarPath).bytes()]))
const plainScript = once(async () => new Blob([Bun.gunzipSync(await (await packedScript()).bytes())]))

/** The page with all reasons of both APIs, which the `type` of errors links to. */
function errorsPage(): string {
  const rows = Object.entries({ ...ACCOUNT_PROBLEMS, ...PROBLEMS }).map(
    ([reason, { status, code, title, sentence }]) =>
      `<tr id="${reason}"><td><code>${reason}</code></td><td>${status}</td><td><code>${code}</code></td>` +
      `<td><strong>${title}.</strong> ${toHtml(sentence)}</td></tr>`,
  )
  const table = `<table>
<thead><tr><th>reason</th><th>status</th><th>code</th><th>meaning</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`
  const body = `<header>${docsNavigation('/docs/errors')}</header>
<main><h1>Errors</h1>
<p>Errors are <code>application/problem+json</code> (RFC 9457) and cost nothing. <a href="/docs">The reference</a> lists the errors of each route, and <a href="/docs/guides/errors">the guide</a> explains how to handle them.</p>
${wideTable(table, 'Every reason')}</main>`
  return textPage('Errors', body, 'list')
}
