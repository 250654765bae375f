// The public documentation: OpenAPI document, reference, guides, the list of errors and the packed client. No page
// loads anything from another origin.
import { Elysia } from 'elysia'
import { CLIENT_FILE, CLIENT_PATH, clientPackage } from '../client/client-package.ts'
import { ACCOUNT_PROBLEMS } from '../http/account-problem.ts'
import { encodeBody } from '../http/content-coding.ts'
import { PROBLEMS, Problem } from '../http/problem.ts'
import { chooseCoding, takesGzip } from '../http/request-head.ts'
import { html } from '../pages/markup.ts'
import { wideTable } from '../pages/site-page.ts'
import type { PageAddresses, Service } from '../requests/service.ts'
import { once } from '../system/once.ts'
import type { ServedRoute } from './collected-document.ts'
import { docsPage, GUIDES_PATH } from './docs-page.ts'
import { exampleEpoch, exampleValues } from './example-ids.ts'
import { GUIDES, guidePath } from './guides.ts'
import { type PageEndpoint, type PageHandler, pageEndpoint, pageResponse, textResponse } from './page-endpoint.ts'
import scalarPath from './reference/scalar.js.gz' with { type: 'file' }
import { referenceResponse, START_SCRIPT } from './reference-page.ts'

const KEPT_FOR_A_DAY = 'public, max-age=86400'

/** Everything below this path is public. */
const DOCS_PATH = '/docs'
/** Paths of the public pages, and of the files that they load. */
export const PAGE_PATHS: readonly string[] = [
  '/',
  '/status',
  '/openapi.json',
  DOCS_PATH,
  '/docs/start.js',
  '/docs/scalar.js',
  '/docs/errors',
  CLIENT_PATH,
  GUIDES_PATH,
  ...GUIDES.map(guidePath),
]

/** Whether a path is public: a page, or any path below /docs, even if it has no page. */
export function isPagePath(path: string): boolean {
  return PAGE_PATHS.includes(path) || path.startsWith(`${DOCS_PATH}/`)
}

/**
 * The routes for the API document, the pages, and the files that the pages load.
 * @param servedRoutes all routes of the app
 */
export const docsApi = (service: Service, servedRoutes: () => readonly ServedRoute[]) => {
  const document = keptDocument(service, servedRoutes)
  const page = pageEndpoint(service)
  return new Elysia({ name: 'api.docs' })
    .get(
      '/openapi.json',
      page(async ({ headers }) => {
        const coding = chooseCoding(headers.get('accept-encoding'))
        return pageResponse((await document())[coding ?? 'plain'], 'application/json', {
          'Access-Control-Allow-Origin': '*',
          Vary: 'Accept-Encoding',
          ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
        })
      }),
    )
    .get(
      DOCS_PATH,
      page(() => referenceResponse(service.pages)),
    )
    .use(guidesApi(service, page))
    .get(
      '/docs/start.js',
      page(() => pageResponse(START_SCRIPT, 'text/javascript; charset=utf-8')),
    )
    .get(
      '/docs/scalar.js',
      page(({ headers }) => scalarScript(headers)),
    )
    .get(
      '/docs/errors',
      page(() => textResponse(errorsPage(service.pages))),
    )
    .get(
      CLIENT_PATH,
      page(async () => {
        return pageResponse(await packedClient(), 'application/gzip', {
          'Cache-Control': KEPT_FOR_A_DAY,
          'Content-Disposition': `attachment; filename="${CLIENT_FILE}"`,
        })
      }),
    )
    .get(
      `${DOCS_PATH}/*`,
      page(({ headers }) => unknownPage(headers, service.pages)),
    )
}

/**
 * Returns a function that provides the OpenAPI document, uncompressed and in each content coding. The document is built
 * on the first request, so that it does not delay the start. It is rebuilt when its examples change.
 */
function keptDocument(service: Service, servedRoutes: () => readonly ServedRoute[]): () => Promise<EncodedDocument> {
  let kept: { readonly epoch: string; readonly document: () => Promise<EncodedDocument> } | undefined
  return () => {
    const epoch = exampleEpoch(service)
    if (kept?.epoch !== epoch) kept = { epoch, document: once(() => encodedDocument(service, servedRoutes())) }
    return kept.document()
  }
}

interface EncodedDocument {
  readonly plain: string
  readonly zstd: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

async function encodedDocument(service: Service, routes: readonly ServedRoute[]): Promise<EncodedDocument> {
  const { openApiDocument } = await import('./openapi.ts')
  const { baseUrl } = service
  const text = await openApiDocument(routes, { baseUrl, pages: PAGE_PATHS, values: exampleValues(service) })
  return { plain: text, zstd: encodeBody(text, 'zstd'), gzip: encodeBody(text, 'gzip') }
}

/** The routes for the guides, and for the list of guides. */
const guidesApi = (service: Service, page: (respond: PageHandler) => PageEndpoint) => {
  const app = new Elysia({ name: 'api.docs.guides' }).get(
    GUIDES_PATH,
    page(async () => textResponse((await import('./guide-page.ts')).guidesPage(service.pages))),
  )
  for (const guide of GUIDES) {
    const text = once(async () => (await import('./guide-page.ts')).guidePage(guide, service))
    app.get(
      guidePath(guide),
      page(async () => textResponse(await text())),
    )
  }
  return app
}

/** The 404 response for a path without a page: an HTML page for browsers, a JSON error for programs. */
function unknownPage(headers: Headers, pages: PageAddresses | undefined): Response | Problem {
  if (headers.get('accept')?.includes('text/html') !== true) return new Problem('not_found')
  const body = html`<h1>Page not found</h1>
<p>There is no page at this address. Look in the <a href="${GUIDES_PATH}">guides</a> or the <a href="${DOCS_PATH}">reference</a>.</p>`
  const found = textResponse(docsPage({ title: 'Page not found', here: '', kind: 'text', body }, pages))
  return new Response(found.body, { status: 404, headers: found.headers })
}

/** Responds with the script of the API reference, gzipped if the client accepts gzip. */
async function scalarScript(headers: Headers): Promise<Response> {
  const isPacked = takesGzip(headers.get('accept-encoding'))
  const script = isPacked ? await packedScript() : await plainScript()
  return pageResponse(script, 'text/javascript; charset=utf-8', {
    'Cache-Control': KEPT_FOR_A_DAY,
    Vary: 'Accept-Encoding',
    ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
  })
}

/**
 * The script of the API reference, loaded once, on the first request. It is a Blob because responses share the bytes of
 * a Blob but copy the bytes of an array. For 200 slow clients, copies would need 190 MB gzipped or 550 MB uncompressed.
 */
const packedScript = once(async () => new Blob([await Bun.file(scalarPath).bytes()]))
const packedClient = once(async () => new Blob([await clientPackage()]))
const plainScript = once(async () => new Blob([Bun.gunzipSync(await (await packedScript()).bytes())]))

/** The page that lists all error reasons of both APIs. The `type` of each error links to this page. */
function errorsPage(pages: PageAddresses | undefined): string {
  const rows = Object.entries({ ...ACCOUNT_PROBLEMS, ...PROBLEMS }).map(
    ([reason, { status, code, title, sentence }]) =>
      html`<tr id="${reason}"><th scope="row"><code>${reason}</code></th><td>${status}</td><td><code>${code}</code></td><td><strong>${title}.</strong> ${sentence}</td></tr>\n`,
  )
  const table = html`<table class="stacked reasons">
<thead><tr><th scope="col">reason</th><th scope="col">status</th><th scope="col">code</th><th scope="col">meaning</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`
  const body = html`<h1>Errors</h1>
<p class="lead">Errors are <code>application/problem+json</code> responses (RFC 9457). They cost no units. The <a href="/docs">reference</a> lists the errors of each route; the <a href="/docs/guides/errors">guide</a> explains how to handle them.</p>
${wideTable(table, 'Every reason')}`
  return docsPage({ title: 'Errors', here: '/docs/errors', kind: 'wide', body }, pages)
}
