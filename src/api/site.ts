// GET / and /status: the service's front page, and a page that shows people the public status of its networks and
// feeds.
import { Elysia } from 'elysia'
import { docsPage } from '../docs/docs-page.ts'
import { pageEndpoint, textResponse } from '../docs/page-endpoint.ts'
import type { FeedStatus } from '../networks/network.ts'
import { html, type Markup, type Piece } from '../pages/markup.ts'
import { stateMark, type Tone, wideTable } from '../pages/site-page.ts'
import { utcText } from '../rendering/timestamps.ts'
import type { Service } from '../requests/service.ts'
import { listStatus, type NetworkStatus } from './status.ts'

/** These pages may be cached for as long as responses from /v1/status. */
const STATUS_HEADERS = { 'Cache-Control': 'public, max-age=30' }

/** The public pages outside /docs. */
export const siteApi = (service: Service) => {
  const page = pageEndpoint(service)
  return new Elysia({ name: 'api.site' })
    .get(
      '/',
      page(() => textResponse(frontPage(service), STATUS_HEADERS)),
    )
    .get(
      '/status',
      page(() => textResponse(statusPage(service), STATUS_HEADERS)),
    )
}

function frontPage(service: Service): string {
  const { pages, baseUrl } = service
  const networks = listStatus(service, service.clock.nowMillis())
  const names = new Intl.ListFormat('en').format(networks.map(({ name }) => name))
  const door = (path: string | undefined, name: string, about: string) =>
    path !== undefined && html`<li><a href="${path}"><strong>${name}</strong><span>${about}</span></a></li>\n`
  const body = html`<h1>Public-transport data</h1>
<p class="lead">${names === '' ? 'Timetables' : `${names}: timetables`}, live departures, vehicles, alerts and journeys, on a map and as an API.</p>
<ul class="doors">
${door(pages?.explorerUrl, 'Map', 'See where vehicles are and when the next one leaves.')}
${door('/docs', 'API reference', 'Every route, with examples to try.')}
${door(pages?.consoleUrl, 'Console', 'Create keys and see their usage.')}
${door('/status', 'Status', 'Which networks and live feeds are working right now.')}
</ul>
<h2>Networks</h2>
${networkTable(networks)}
<h2>First call</h2>
<div class="sample"><pre role="group" aria-label="Sample for curl" tabindex="0"><code>curl -H "Authorization: Bearer $KEY" "${baseUrl}/v1/networks"</code></pre></div>
<p>The <a href="/docs/guides/quick-start">quick start</a> shows how to get from a key to a departure board.</p>`
  return docsPage({ title: 'Public-transport data', here: '/', kind: 'wide', body }, pages)
}

function statusPage(service: Service): string {
  const nowMillis = service.clock.nowMillis()
  const networks = listStatus(service, nowMillis)
  const troubled = networks.filter(({ health }) => health !== 'ok')
  const body = html`<h1>Status</h1>
${
  networks.length > 0 &&
  (troubled.length === 0
    ? html`<p class="notice good">All networks and live feeds are working.</p>`
    : html`<p class="notice bad">${troubled.length === 1 ? 'One network has' : `${troubled.length} networks have`} problems: ${troubled.map((network) => nameTrouble(network, nowMillis)).join('; ')}.</p>`)
}
<p class="lead">Status at ${time(utcText(nowMillis))}. For programs: <a href="/v1/status">/v1/status</a>.</p>
${networkTable(networks)}
${networks.map((network) => feedSection(network, nowMillis))}`
  return docsPage({ title: 'Status', here: '/status', kind: 'wide', body }, service.pages)
}

/**
 * The name of a network, followed by its problem in parentheses: either the timetable is not loaded yet, or some feeds
 * are not current. These feeds are listed, each with its state.
 */
function nameTrouble({ name, feeds, refreshedAt }: NetworkStatus, nowMillis: number): string {
  if (refreshedAt === undefined) return `${name} (timetable not loaded yet)`
  const notLive = feeds.flatMap((feed) => {
    const { tone, word } = stateOf(feed, nowMillis)
    return tone === 'good' ? [] : [`${feed.id} ${word}`]
  })
  return notLive.length === 0 ? name : `${name} (${notLive.join(', ')})`
}

function networkTable(networks: readonly NetworkStatus[]): Piece {
  if (networks.length === 0) return html`<p>No networks are configured yet.</p>`
  const rows = networks.map(
    ({ id, name, city, health, feeds, refreshedAt }) =>
      html`<tr><th scope="row">${name}</th><td data-head="City">${city}</td><td data-head="Id"><code>${id}</code></td><td data-head="Timetable from">${refreshedAt === undefined ? 'not loaded yet' : time(refreshedAt)}</td><td data-head="Live data">${feeds.length === 0 && refreshedAt !== undefined ? 'none' : HEALTH[health]}</td></tr>\n`,
  )
  return wideTable(
    html`<table class="stacked"><thead><tr><th scope="col">Network</th><th scope="col">City</th><th scope="col">Id</th><th scope="col">Timetable from</th><th scope="col">Live data</th></tr></thead><tbody>
${rows}</tbody></table>`,
    'Networks',
  )
}

const HEALTH: Readonly<Record<NetworkStatus['health'], Markup>> = {
  ok: stateMark('good', 'ok'),
  degraded: stateMark('care', 'degraded'),
  down: stateMark('bad', 'down'),
}

function feedSection({ name, feeds, error }: NetworkStatus, nowMillis: number): Piece {
  if (feeds.length === 0 && error === undefined) return undefined
  const rows = feeds.map((feed) => {
    const { tone, word } = stateOf(feed, nowMillis)
    const carries = (['trips', 'vehicles', 'alerts'] as const).filter((kind) => feed.carries[kind])
    return html`<tr><th scope="row">${feed.id}</th><td data-head="State">${stateMark(tone, word)}</td><td data-head="Updated">${feed.timestampMillis === undefined ? 'never' : `${ageText(nowMillis - feed.timestampMillis)} ago`}</td><td data-head="Carries">${carries.join(', ') || '–'}</td><td class="number" data-head="Trips matched">${feed.matchRate === undefined ? '–' : `${(feed.matchRate * 100).toFixed(1)}%`}</td></tr>\n`
  })
  const table = html`<table class="stacked"><thead><tr><th scope="col">Feed</th><th scope="col">State</th><th scope="col">Updated</th><th scope="col">Carries</th><th scope="col">Trips matched</th></tr></thead><tbody>
${rows}</tbody></table>`
  return html`<section><h2>${feeds.length > 0 && 'Live feeds for '}${name}</h2>
${error !== undefined && html`<p class="notice bad">Last error at ${time(error.at)}: ${error.message}.</p>`}
${feeds.length > 0 && wideTable(table, `Live feeds for ${name}`)}
</section>`
}

function stateOf(feed: FeedStatus, nowMillis: number): { readonly tone: Tone; readonly word: string } {
  const isFailing = (feed.backOffMillis ?? 0) > 0
  if (feed.timestampMillis === undefined) {
    return isFailing ? { tone: 'bad', word: 'down' } : { tone: 'care', word: 'no data yet' }
  }
  const ageMillis = nowMillis - feed.timestampMillis
  if (ageMillis > feed.maxAgeMillis) return { tone: 'bad', word: 'down' }
  return ageMillis > feed.freshMillis ? { tone: 'care', word: 'late' } : { tone: 'good', word: 'live' }
}

function time(timestamp: string): Markup {
  return html`<time datetime="${timestamp}">${timestamp.slice(0, 16).replace('T', ' ')}${timestamp.endsWith('Z') ? ' UTC' : ` ${timestamp.slice(-6)}`}</time>`
}

function ageText(millis: number): string {
  const seconds = Math.max(0, Math.round(millis / 1000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
