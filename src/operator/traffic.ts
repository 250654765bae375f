// The numbers of data API responses since the service started, by route. /metrics uses the same counters.
import { SharedCounts, type STATUS_CLASSES } from '../metrics/thread-counts.ts'
import { html, type Markup } from '../pages/markup.ts'
import { count, countOf, stackedTable } from './page-frame.ts'

interface RouteTraffic {
  readonly route: string
  readonly requests: number
  /** Number of responses by status class. */
  readonly answers: Readonly<Record<(typeof STATUS_CLASSES)[number], number>>
  /** Mean response time; null before the first response. */
  readonly mean_milliseconds: number | null
}

/** The responses by route over all threads, with the busiest routes first. Routes without responses are left out. */
export function readTraffic(memory: SharedArrayBuffer): { readonly units: number; readonly routes: RouteTraffic[] } {
  const counts = new SharedCounts(memory)
  const routes = counts.listRoutes().map(({ route, answers, seconds }) => {
    const [ok = 0, unchanged = 0, refused = 0, failed = 0] = answers
    const requests = ok + unchanged + refused + failed
    return {
      route,
      requests,
      answers: { '2xx': ok, '3xx': unchanged, '4xx': refused, '5xx': failed },
      mean_milliseconds: requests === 0 ? null : Math.round((seconds / requests) * 100_000) / 100,
    }
  })
  const used = routes.filter(({ requests }) => requests > 0).sort((one, other) => other.requests - one.requests)
  return { units: counts.units, routes: used }
}

/** Renders the traffic section of the overview. */
export function trafficSection({ units, routes }: ReturnType<typeof readTraffic>): Markup {
  if (routes.length === 0)
    return html`<section><h2>Traffic</h2><p class="quiet">No requests since startup.</p></section>`
  const heads = ['Route', 'Requests', 'Answered', 'Refused', 'Failed', 'Mean time'] as const
  const total = routes.reduce((sum, { requests }) => sum + requests, 0)
  const rows = routes.map(({ route, requests, answers, mean_milliseconds }) => {
    const cells = [
      count(requests),
      count(answers['2xx'] + answers['3xx']),
      count(answers['4xx']),
      count(answers['5xx']),
      mean_milliseconds === null ? '–' : `${mean_milliseconds} ms`,
    ]
    return html`<tr><th scope="row"><code>${route}</code></th>
${cells.map((cell, at) => html`<td data-head="${heads[at + 1]}" class="number"><div>${cell}</div></td>`)}</tr>`
  })
  return html`<section><h2>Traffic</h2>
<p class="quiet">${countOf(total, 'request')} and ${countOf(units, 'unit')} since startup, across all data threads.</p>
${stackedTable('Requests by route', heads, rows)}
</section>`
}
