// The operator's pages on the admin port: overview, import reports, board explainer and replicas. Each page is also
// available as JSON. The pages are read-only, load nothing from other origins, and run no scripts.
import { StoreUnavailable } from '../accounts/account-store.ts'
import { addPageHeaders, pageHeaders } from '../pages/page-headers.ts'
import { SITE_STYLE } from '../pages/site-page.ts'
import { clusterAwayPage, clusterPage } from './cluster-page.ts'
import { explainPage } from './explain-page.ts'
import { type ExplainForm, FORM_FIELDS } from './explain-question.ts'
import { explainForm } from './explanation.ts'
import { importPage } from './import-page.ts'
import { readLastImports } from './last-imports.ts'
import style from './operator.css' with { type: 'text' }
import { findAccessRefusal } from './operator-access.ts'
import type { OperatorSources } from './operator-sources.ts'
import { overviewJson, readOverview } from './overview.ts'
import { overviewPage } from './overview-page.ts'
import { STYLE_PATH } from './page-frame.ts'

const STYLE = SITE_STYLE + style
const HTML_TYPE = 'text/html; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'
const RULES = { policy: ["script-src 'none'", 'img-src data:', "form-action 'self'"], isSecure: false }
/** Maximum length of a field value. Longer values are cut off. */
const FIELD_LENGTH = 500

/** A page, and the data that it shows. Clients that request JSON get the data. */
interface Answer {
  readonly status: number
  readonly data: () => unknown
  readonly page: () => string
}

/** Serves the operator's pages. */
export class OperatorPages {
  private readonly sources: OperatorSources
  private readonly token: string | undefined
  private readonly headers = pageHeaders(RULES)

  /** @param token the configured admin_token */
  constructor(sources: OperatorSources, token: string | undefined) {
    this.sources = sources
    this.token = token
  }

  /** Answers a request. @param peer the client's address */
  async answer(request: Request, peer: string | undefined): Promise<Response> {
    return addPageHeaders(await this.find(request, peer), this.headers)
  }

  private async find(request: Request, peer: string | undefined): Promise<Response> {
    const refusal = findAccessRefusal({ headers: request.headers, peer }, this.token)
    if (refusal !== undefined) return refused(refusal.status, refusal.sentence)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refused(405, 'These pages only support GET and HEAD.')
    const url = URL.parse(request.url)
    if (url === null) return refused(400, 'The URL is invalid.')
    if (url.pathname === STYLE_PATH)
      return new Response(STYLE, { headers: { 'Content-Type': 'text/css; charset=utf-8' } })
    const isNamed = url.pathname.endsWith('.json')
    const path = isNamed ? url.pathname.slice(0, -'.json'.length) : url.pathname
    const answer = await this.route(path, url.searchParams)
    if (answer === undefined) return refused(404, 'Page not found.')
    const { status, data, page } = answer
    const isJson = isNamed || prefersJson(request.headers.get('accept'))
    const body = isJson ? `${JSON.stringify(data(), null, 2)}\n` : page()
    return new Response(body, { status, headers: { 'Content-Type': isJson ? JSON_TYPE : HTML_TYPE, Vary: 'Accept' } })
  }

  private async route(path: string, query: URLSearchParams): Promise<Answer | undefined> {
    if (path === '/' || path === '/overview') {
      const overview = readOverview(this.sources, (query.get('q') ?? '').slice(0, FIELD_LENGTH).trim())
      const pageNumber = Number(/^\d{1,6}$/.exec(query.get('page') ?? '')?.[0] ?? 1)
      return { status: 200, data: () => overviewJson(overview), page: () => overviewPage(overview, pageNumber) }
    }
    if (path === '/explain') return await this.explain(query)
    if (path === '/cluster') return await this.cluster()
    const [, network] = /^\/networks\/([^/]+)\/import$/.exec(path) ?? []
    const imports = network === undefined ? undefined : readLastImports(this.sources, decode(network))
    return imports && { status: 200, data: () => imports, page: () => importPage(imports) }
  }

  private async cluster(): Promise<Answer | undefined> {
    try {
      const report = await this.sources.reportFleet?.()
      return report && { status: 200, data: () => report, page: () => clusterPage(report) }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      const { message } = error
      return { status: 503, data: () => ({ problem: message }), page: () => clusterAwayPage(message) }
    }
  }

  private async explain(query: URLSearchParams): Promise<Answer> {
    const configured = this.sources.configured()
    const field = (name: string) => (query.get(name) ?? '').slice(0, FIELD_LENGTH).trim()
    const values = Object.fromEntries(FORM_FIELDS.map((name) => [name, field(name)])) as unknown as ExplainForm
    const form = { ...values, network: values.network || (configured[0]?.id ?? '') }
    const isFilled = form.stop !== '' || form.trip !== ''
    const explanation = isFilled ? await explainForm(this.sources, form) : undefined
    const isRefused = explanation !== undefined && 'fault' in explanation
    const data =
      explanation ??
      ({ fault: { field: 'stop', sentence: 'Enter a stop or a trip.', suggestions: [] }, fields: FORM_FIELDS } as const)
    const networks = configured.map(({ id, name }) => ({ id, name }))
    return { status: isRefused ? 400 : 200, data: () => data, page: () => explainPage(form, networks, explanation) }
  }
}

function refused(status: number, sentence: string): Response {
  const response = new Response(`${sentence}\n`, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' } })
  if (status === 401) response.headers.set('WWW-Authenticate', 'Basic realm="Quai operator", charset="UTF-8"')
  if (status === 405) response.headers.set('Allow', 'GET, HEAD')
  return response
}

/** Whether the client explicitly accepts JSON but not HTML. */
function prefersJson(accept: string | null): boolean {
  return accept !== null && /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept)
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return part
    throw error
  }
}
