// The pages of the guides. They are written in Markdown, and rendered on the first request.
import type { Tokens } from 'marked'
import { html, Markup } from '../pages/markup.ts'
import { wideTable } from '../pages/site-page.ts'
import type { PageAddresses } from '../requests/service.ts'
import { docsPage, footNavigation, GUIDES_PATH } from './docs-page.ts'
import benchmark from './guides/benchmark.md' with { type: 'text' }
import caching from './guides/caching.md' with { type: 'text' }
import changelog from './guides/changelog.md' with { type: 'text' }
import configure from './guides/configure.md' with { type: 'text' }
import errors from './guides/errors.md' with { type: 'text' }
import eventStreams from './guides/event-streams.md' with { type: 'text' }
import france from './guides/france.md' with { type: 'text' }
import freshness from './guides/freshness.md' with { type: 'text' }
import install from './guides/install.md' with { type: 'text' }
import journeys from './guides/journeys.md' with { type: 'text' }
import keysAndUnits from './guides/keys-and-units.md' with { type: 'text' }
import operate from './guides/operate.md' with { type: 'text' }
import quickStart from './guides/quick-start.md' with { type: 'text' }
import replicas from './guides/replicas.md' with { type: 'text' }
import trips from './guides/trips.md' with { type: 'text' }
import typescript from './guides/typescript.md' with { type: 'text' }
import yourAccount from './guides/your-account.md' with { type: 'text' }
import { GUIDES, type Guide, guidePath } from './guides.ts'
import { highlighted } from './highlight.ts'
import security from './security.md' with { type: 'text' }

/** Name of a guide → its Markdown. The first line is the title. */
const TEXTS: Readonly<Record<string, string>> = {
  'quick-start': quickStart,
  typescript,
  'keys-and-units': keysAndUnits,
  'your-account': yourAccount,
  journeys,
  trips,
  'event-streams': eventStreams,
  errors,
  freshness,
  caching,
  changelog,
  install,
  configure,
  france,
  operate,
  replicas,
  benchmark,
  security,
}

/** The list of guides as a page. */
export function guidesPage(pages: PageAddresses | undefined): string {
  const listFor = (readers: Guide['readers']) =>
    GUIDES.filter((guide) => guide.readers === readers).map(
      (guide) => html`<dt><a href="${guidePath(guide)}">${titleOf(guide)}</a></dt><dd>${guide.about}</dd>\n`,
    )
  const body = html`<h1>Guides</h1>
<p class="lead">How to use the API. The <a href="/docs">reference</a> lists the parameters and responses of each route.</p>
<dl>${listFor('developers')}</dl>
<h2>For operators</h2>
<dl>${listFor('operators')}</dl>`
  return docsPage({ title: 'Guides', here: GUIDES_PATH, kind: 'text', body }, pages)
}

/**
 * Renders a guide as a page.
 * @param baseUrl base URL of this API, for the samples
 */
export async function guidePage(
  guide: Guide,
  { baseUrl, pages }: { readonly baseUrl: string; readonly pages?: PageAddresses | undefined },
): Promise<string> {
  const { Marked } = await import('marked')
  const labels = new Map<string, number>()
  const marked = new Marked({
    // In the repository, guides link to each other by file name. On the page, these links become paths.
    walkTokens(token) {
      if (token.type === 'link') token['href'] = String(token['href']).replace(GUIDE_FILE, '$1')
    },
    renderer: {
      heading({ tokens, depth, text }) {
        const id = text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      code({ text, lang = '' }) {
        const kind = lang === 'text' ? 'Output' : (LANGUAGES[lang] ?? lang)
        const look = lang === 'text' ? 'sample answer' : 'sample'
        return html`<div class="${look}"><pre role="group" aria-label="${kind}" tabindex="0"><code>${highlighted(text, lang)}</code></pre></div>\n`
          .text
      },
      table(token: Tokens.Table) {
        const cells = (row: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
        const isNamed = token.header.some(({ text }) => text !== '')
        const head = isNamed ? `<thead><tr>${cells(token.header, 'th')}</tr></thead>` : ''
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`)
        const named = token.header.map(({ text }) => text).filter((text) => text !== '')
        // Each scrollable table is a region, and the regions on a page need distinct names.
        const name = named.join(', ').replaceAll('`', '') || 'table'
        const times = (labels.get(name) ?? 0) + 1
        labels.set(name, times)
        const label = times === 1 ? name : `${name} (${times})`
        const table = new Markup(`<table>${head}<tbody>${rows.join('\n')}</tbody></table>`)
        return `${wideTable(table, label).text}\n`
      },
    },
  })
  const body = new Markup(await marked.parse(guideText(guide).replaceAll('{base_url}', baseUrl)))
  const others = GUIDES.map((each) => ({ path: guidePath(each), name: titleOf(each) }))
  const foot = footNavigation('Guides', others, guidePath(guide))
  return docsPage({ title: titleOf(guide), here: GUIDES_PATH, kind: 'text', body, foot }, pages)
}

const GUIDE_FILE = /^(?:guides\/|\.\.\/)?([a-z-]+)\.md(?=#|$)/

/** Language of a sample → the sample's label for screen readers. */
const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Sample for curl',
  console: 'Commands',
  toml: 'Settings',
  json: 'Sample in JSON',
  nginx: 'nginx configuration',
  haproxy: 'HAProxy configuration',
  ts: 'Sample in TypeScript',
  python: 'Sample in Python',
}

/** The Markdown of a guide. */
export function guideText({ name }: Guide): string {
  const text = TEXTS[name]
  if (text === undefined) throw new Error(`the guide ${name} has no text`)
  return text
}

function titleOf(guide: Guide): string {
  const text = guideText(guide)
  return text.slice('# '.length, text.indexOf('\n'))
}
