// The guides: pages for developers and operators, written in Markdown and served next to the reference. They are
// rendered on the first request.
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
import { highlighted } from './highlight.ts'
import security from './security.md' with { type: 'text' }

/** A guide. `name` is the last segment of its path. The first line of its Markdown is its title. */
export interface Guide {
  readonly name: string
  readonly readers: 'developers' | 'operators'
  readonly about: string
  readonly text: string
}

/** The guides, in the order in which they should be read. */
export const GUIDES: readonly Guide[] = [
  {
    name: 'quick-start',
    readers: 'developers',
    about: 'From a key to a board, in curl, TypeScript and Python.',
    text: quickStart,
  },
  {
    name: 'typescript',
    readers: 'developers',
    about: 'The client in five minutes: calls, pages, streams, errors, waiting and canceling.',
    text: typescript,
  },
  {
    name: 'keys-and-units',
    readers: 'developers',
    about: 'What keys can do, what calls cost, and how to check your limits.',
    text: keysAndUnits,
  },
  {
    name: 'your-account',
    readers: 'developers',
    about: 'How your account is protected, and what you can do with it.',
    text: yourAccount,
  },
  {
    name: 'journeys',
    readers: 'developers',
    about: 'How to plan journeys, display them, and follow them live.',
    text: journeys,
  },
  {
    name: 'trips',
    readers: 'developers',
    about: 'All stops on a trip, and why a departure is late or missing.',
    text: trips,
  },
  {
    name: 'event-streams',
    readers: 'developers',
    about: 'Live departures, vehicles and trips over one connection.',
    text: eventStreams,
  },
  { name: 'errors', readers: 'developers', about: 'How to read errors, and when to retry.', text: errors },
  {
    name: 'freshness',
    readers: 'developers',
    about: 'Scheduled and live data, and how old they are.',
    text: freshness,
  },
  { name: 'caching', readers: 'developers', about: 'What you can cache, and how to save units.', text: caching },
  {
    name: 'changelog',
    readers: 'developers',
    about: 'What has changed, and what counts as a breaking change.',
    text: changelog,
  },
  {
    name: 'install',
    readers: 'operators',
    about: 'From an empty Debian server to a first board.',
    text: install,
  },
  {
    name: 'configure',
    readers: 'operators',
    about: 'Networks, live feeds, plans, email and storage.',
    text: configure,
  },
  {
    name: 'france',
    readers: 'operators',
    about: 'A French city from open data: timetable, live feeds, addresses, streets.',
    text: france,
  },
  {
    name: 'operate',
    readers: 'operators',
    about: 'Ports, proxies, health, metrics, logs, backups, upgrades and sizing.',
    text: operate,
  },
  {
    name: 'replicas',
    readers: 'operators',
    about: 'Replicas: what they share, how to set them up, and what happens when one fails.',
    text: replicas,
  },
  { name: 'benchmark', readers: 'operators', about: 'Load-test your own server with autocannon.', text: benchmark },
  {
    name: 'security',
    readers: 'operators',
    about: 'The threat model, and how Quai meets OWASP ASVS 5.0, requirement by requirement.',
    text: security,
  },
]

/** Returns the path of a guide. */
export function guidePath({ name }: Guide): string {
  return `${GUIDES_PATH}/${name}`
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
  const body = new Markup(await marked.parse(guide.text.replaceAll('{base_url}', baseUrl)))
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

function titleOf({ text }: Guide): string {
  return text.slice('# '.length, text.indexOf('\n'))
}
