// The operator's overview page: the process, the networks and their feeds.

import { describeForwarder } from '../access/untrusted-forwarders.ts'
import { html, type Markup, type Piece } from '../pages/markup.ts'
import { countText } from '../system/count-text.ts'
import { errorPhrase } from './error-words.ts'
import { reasonWords } from './feed-reasons.ts'
import { GOOD_MATCH_RATE, type NetworkBrief, SOON_DAYS } from './network-briefs.ts'
import type { FeedOverview, NetworkOverview, Overview } from './overview.ts'
import { ageText, count, facts, mark, moment, page, size, stackedTable, type Tone, table } from './page-frame.ts'
import { trafficSection } from './traffic.ts'

/** A data thread whose event loop has not run for this long is marked as hanging. */
const HANGING_SECONDS = 5

/**
 * Maximum number of networks that are shown in full. If there are more networks, only networks with problems are shown
 * in full, and a list has one row for each network.
 */
const SHOWN_IN_FULL = 10
const LISTED_PER_PAGE = 100

/** Renders the overview; networks with problems come first. @param pageNumber the page in the network list, from 1 */
export function overviewPage(overview: Overview, pageNumber: number): string {
  const { found, search, read } = overview
  const ranked = found.toSorted((a, b) => Number(b.problems.length > 0) - Number(a.problems.length > 0))
  const isShort = ranked.length <= SHOWN_IN_FULL
  const full = ranked.slice(0, SHOWN_IN_FULL).filter(({ problems }) => isShort || problems.length > 0)
  const query = search === '' ? '' : `?${String(new URLSearchParams({ q: search }))}`
  return page({
    title: 'Overview',
    room: '/',
    json: `/overview.json${query}`,
    body: html`
<p class="lead">${readiness(overview)} Version ${overview.version}, started at ${moment(overview.started_at)}; page generated at ${moment(overview.at)}.</p>
${overview.untrusted_proxies.map((one) => html`<p class="notice bad">${describeForwarder(one)}.</p>`)}
${overview.network_count > 0 && problemSummary(overview)}
${overview.network_count > SHOWN_IN_FULL && searchForm(overview)}
${full.map((brief) => networkSection(read(brief)))}
${!isShort && networkList(ranked, search, pageNumber)}
${overview.network_count === 0 && html`<p>No network is configured.</p>`}
${overview.network_count > 0 && found.length === 0 && html`<p>No network has all these words in its id, name, city or problems.</p>`}
${overview.streets !== null && streetsSection(overview.streets)}
${trafficSection(overview.traffic)}
<section><h2 id="process">The process</h2>
${threadTable(overview)}
${ledgerFacts(overview)}
</section>`,
  })
}

/** The summary at the top: the problems that need attention now. */
function problemSummary({ found, problem_count, search, ledger }: Overview): Markup {
  const troubled = found.filter(({ problems }) => problems.length > 0)
  if (problem_count === 0 && !ledger.is_failing) {
    return html`<p class="notice good">No problems: all networks are served, and all live feeds are fresh.</p>`
  }
  const rows = troubled.slice(0, SHOWN_IN_FULL).map(({ config, problems }) => {
    return html`<li><a href="#network-${config.id}">${config.name}</a> ${problems.map((problem) => html`${mark('bad', errorPhrase(problem))} `)}</li>\n`
  })
  const more = troubled.length - rows.length
  return html`<section class="problems" aria-labelledby="problems"><h2 id="problems">Problems</h2>
<ul>${ledger.is_failing && html`<li><a href="#process">Ledger</a> ${mark('bad', 'units cannot be stored')}</li>\n`}${rows}
${more > 0 && html`<li>and ${count(more)} more, listed below</li>\n`}
${troubled.length === 0 && search !== '' && html`<li>Networks with problems: ${count(problem_count)}. None of them matches your search.</li>`}</ul>
</section>`
}

function searchForm({ search, network_count, served_count, problem_count }: Overview): Markup {
  const problems = problem_count === 0 ? mark('good', 'no problems') : mark('bad', `${problem_count} with problems`)
  return html`<form action="/" method="get" role="search">
<label>Search networks<input name="q" type="search" value="${search}" placeholder="id, name, city or problem"></label>
<button>Search</button>
<p>${count(network_count)} networks, ${count(served_count)} served, ${problems}</p>
</form>`
}

function networkList(ranked: readonly NetworkBrief[], search: string, pageNumber: number): Markup {
  const pages = Math.max(1, Math.ceil(ranked.length / LISTED_PER_PAGE))
  const at = Math.min(Math.max(1, pageNumber), pages)
  const rows = ranked.slice((at - 1) * LISTED_PER_PAGE, at * LISTED_PER_PAGE)
  const link = (to: number, word: string) =>
    html`<a href="/?${String(new URLSearchParams({ q: search, page: String(to) }))}">${word}</a>`
  return html`<section><h2>Networks</h2>
${stackedTable('Networks, those with problems first', ['Network', 'State', 'Days left', 'Live feeds', 'Problems'], rows.map(listRow))}
${pages > 1 && html`<p class="actions">Page ${at} of ${pages}. ${at > 1 && link(at - 1, 'Previous')} ${at < pages && link(at + 1, 'Next')}</p>`}
</section>`
}

function listRow({ config, isServed, daysLeft, problems }: NetworkBrief): Markup {
  const { id, name, city, feeds } = config
  return html`<tr><th scope="row"><a href="/?${String(new URLSearchParams({ q: id }))}">${name}</a><small>${id}${city !== '' && `, ${city}`}</small></th>
<td data-head="State"><div>${isServed ? mark('good', 'serving') : mark('bad', 'not served')}</div></td>
<td data-head="Days left" class="number"><div>${daysLeft === null ? '–' : count(daysLeft)}</div></td>
<td data-head="Live feeds" class="number"><div>${feeds.length}</div></td>
<td data-head="Problems"><div>${problems.length === 0 ? '–' : problems.map((problem) => html`${mark('care', errorPhrase(problem))} `)}</div></td></tr>`
}

function readiness({ is_ready, is_started }: Overview): Markup {
  if (is_ready) return html`${mark('good', 'ready')}`
  return is_started ? html`${mark('bad', 'not ready')}` : html`${mark('care', 'starting')}`
}

function networkSection(network: NetworkOverview): Markup {
  const { id, name, city, snapshot, last_error } = network
  return html`
<section><h2 id="network-${id}">${name}${city !== '' && html` <small>${city}</small>`} ${snapshot === null ? mark('bad', 'not served') : mark('good', 'serving')}</h2>
${last_error !== null && html`<p class="notice bad"><strong>${errorPhrase(last_error.reason)}</strong> at ${moment(last_error.at)}: ${last_error.message}</p>`}
<p class="actions"><a href="/networks/${encodeURIComponent(id)}/import">Import report</a> <a href="/explain?network=${encodeURIComponent(id)}">Explain a board</a></p>
${snapshot !== null && snapshotFacts(network, snapshot)}
${feedTable(network)}
${keptTable(network)}
</section>`
}

function streetsSection(streets: NonNullable<Overview['streets']>): Markup {
  const { sources, kilometers, built_at, extract_at, extract_age_seconds, networks, last_error, map } = streets
  const age = extract_age_seconds === null ? '' : `, ${ageText(extract_age_seconds)} ago`
  const list = facts([
    ['Sources', sources.join(', ')],
    ['Streets near stops', kilometers === null ? 'none yet' : `${count(kilometers)} km`],
    ['Built', built_at === null ? 'never' : moment(built_at)],
    ['Map data up to', extract_at === null ? 'unknown' : html`${moment(extract_at)}${age}`],
    ["The explorer's base map", map === null ? 'off' : map.is_served ? 'shown' : 'none yet'],
  ])
  const rows = networks.map(
    ({ id, stops_linked, stops_unlinked, unlinked }) => html`<tr><th scope="row">${id}</th>
<td class="number">${count(stops_linked)}</td><td class="number">${count(stops_unlinked)}</td>
<td>${unlinked.length === 0 ? '–' : unlinked.join(', ')}</td></tr>`,
  )
  return html`
<section><h2 id="streets">Streets ${kilometers === null ? mark('care', 'straight-line walks') : mark('good', 'in use')}</h2>
${last_error !== null && html`<p class="notice bad"><strong>${errorPhrase(last_error.reason)}</strong> at ${moment(last_error.at)}: ${last_error.message}</p>`}
${networks.flatMap(({ id, warnings }) => warnings.map((warning) => html`<p class="notice bad">${id}: ${warning}.</p>`))}
${map !== null && map.problem !== null && html`<p class="notice bad">The explorer's base map was not built: ${map.problem}</p>`}
${map?.warnings.map((warning) => html`<p class="notice bad">Map: ${warning}.</p>`)}
${list}
${rows.length > 0 && table('Stops on streets', ['Network', 'On streets', 'Not on streets', 'Examples'], rows)}
</section>`
}

function snapshotFacts(network: NetworkOverview, snapshot: NonNullable<NetworkOverview['snapshot']>): Markup {
  const { counts } = snapshot
  const { imports } = network
  const shown = ['lines', 'stops', 'trips', 'stopTimes'].map((key) => {
    return `${count(counts[key] ?? 0)} ${key === 'stopTimes' ? 'stop times' : key}`
  })
  return facts([
    ['Snapshot', html`<code>${snapshot.id}</code>`],
    ['Built', html`${moment(snapshot.made_at)}, ${ageText(snapshot.age_seconds)} ago`],
    ['Loaded', moment(snapshot.loaded_at)],
    ['Valid', validity(snapshot)],
    ['Contents', shown.join(', ')],
    ['Sources', network.sources.join(', ')],
    [
      'Imports since startup',
      `${imports.imported} new, ${imports.up_to_date} unchanged, ${imports.failed} failed` +
        `${network.is_import_waiting ? '; one waiting' : ''}`,
    ],
  ])
}

function validity({ first_date, last_date, days_left, is_begun }: NonNullable<NetworkOverview['snapshot']>): Markup {
  if (days_left === null) return mark('bad', 'no service on any day')
  const note = !is_begun
    ? mark('bad', 'not started')
    : days_left <= 0
      ? mark('bad', 'expired')
      : days_left <= SOON_DAYS && mark('care', `${countText(days_left, 'day')} left`)
  return html`${first_date ?? ''} to ${last_date ?? ''} ${note}`
}

const FEED_TONES: Readonly<Record<FeedOverview['state'], Tone>> = {
  fresh: 'good',
  stale: 'care',
  dropped: 'bad',
  'nothing yet': 'care',
}

function feedTable({ feeds, name }: NetworkOverview): Markup {
  if (feeds.length === 0) return html`<p class="quiet">No live feed is configured.</p>`
  const heads = ['Feed', 'State', 'Matched', 'Fetched', 'Last error'] as const
  const rows = feeds.map((feed) => {
    const cells = [stateCell(feed), matchCell(feed), fetchCell(feed), errorCell(feed)]
    return html`<tr><th scope="row">${feed.id}<small>${feed.source}, every ${feed.interval_seconds} s</small></th>
${cells.map((cell, at) => html`<td data-head="${heads[at + 1]}"><div>${cell}</div></td>`)}</tr>`
  })
  return stackedTable(`Live feeds for ${name}`, heads, rows)
}

function stateCell({
  state,
  is_failing,
  age_seconds,
  fresh_seconds,
  dropped_after_seconds,
  carries,
}: FeedOverview): Markup {
  const limits = `stale after ${ageText(fresh_seconds ?? 0)}, dropped after ${ageText(dropped_after_seconds ?? 0)}`
  return html`${mark(FEED_TONES[state], state)} ${is_failing && mark('bad', 'failing')} ${age_seconds !== null && `${ageText(age_seconds)} old`}
<small>${carries.length === 0 ? 'no content yet' : `contains ${carries.join(', ')}`}; ${limits}</small>`
}

function matchCell(feed: FeedOverview): Markup {
  const { match_rate, matched, trip_updates } = feed
  if (match_rate === null) return html`–`
  const text = `${(match_rate * 100).toFixed(1)}%`
  const isGood = match_rate >= GOOD_MATCH_RATE
  return html`${isGood ? text : mark('care', text)} <small>${count(matched ?? 0)} of ${count(trip_updates ?? 0)} trip updates</small>${reasonList(feed.reasons)}${feed.mismatch.map(
    ({ reason, example, setting }) =>
      html`<small><code>${reason}</code>: ${reasonWords(reason)}. For example: ${example}${setting !== null && html`; see the setting <code>${setting}</code>`}</small>`,
  )}`
}

function fetchCell({ fetched_at, back_off_seconds, budget }: FeedOverview): Markup {
  return html`${fetched_at === null ? 'never' : moment(fetched_at)}
${back_off_seconds > 0 && html`<small>next in at least ${ageText(back_off_seconds)}</small>`}
${budget !== null && html`<small>budget: ${count(budget.used)} of ${count(budget.limit)} used until ${moment(budget.resets_at)}</small>`}`
}

function errorCell({ last_error }: FeedOverview): Markup {
  if (last_error === null) return html`–`
  return html`<strong>${errorPhrase(last_error.reason)}</strong> ${moment(last_error.at)}<small>${last_error.message}</small>`
}

/** A list of reasons with their counts, most frequent first. */
function reasonList(reasons: Readonly<Record<string, number>>): Piece {
  const list = Object.entries(reasons).sort((a, b) => b[1] - a[1])
  if (list.length === 0) return undefined
  return html`<ul class="plain">${list.map(([reason, times]) => html`<li title="${reasonWords(reason)}">${count(times)} × <code>${reason}</code></li>`)}</ul>`
}

function keptTable({ kept, name }: NetworkOverview): Markup {
  if (kept.length === 0) return html`<p class="quiet">No snapshots on disk.</p>`
  return table(
    `Snapshots on disk for ${name}, newest first`,
    ['File', 'Written', 'Size', 'State'],
    kept.map(
      ({ file, written_at, bytes, is_serving, is_corrupt }) => html`<tr><th scope="row"><code>${file}</code></th>
<td>${written_at === null ? '–' : moment(written_at)}</td><td class="number">${bytes === 0 ? '–' : size(bytes)}</td>
<td>${is_serving && mark('good', 'serving')}${is_corrupt && mark('bad', 'corrupt')}${!is_serving && !is_corrupt && 'kept'}</td></tr>`,
    ),
  )
}

function threadTable({ threads, replaced_threads, streams }: Overview): Markup {
  return html`${table(
    'Data threads',
    ['Thread', 'State', 'Max event loop delay (last 30 s)'],
    threads.map(({ thread, last_beat_seconds, worst_lag_seconds }) => {
      const hangs = last_beat_seconds !== null && last_beat_seconds > HANGING_SECONDS
      const state =
        last_beat_seconds === null ? mark('care', 'starting') : hangs ? mark('bad', 'hanging') : mark('good', 'alive')
      const beat = last_beat_seconds !== null && html`<small>last seen ${last_beat_seconds} s ago</small>`
      return html`<tr><th scope="row">data ${thread}</th><td>${state}${beat}</td><td class="number">${(worst_lag_seconds * 1000).toFixed(0)} ms</td></tr>`
    }),
  )}
<p class="quiet">Threads restarted after a crash: ${count(replaced_threads)}. ${streams.open} of ${count(streams.limit)} streams are open.</p>`
}

function ledgerFacts({ ledger }: Overview): Markup {
  const { is_failing, last_fault } = ledger
  return facts([
    ['Ledger', is_failing ? mark('bad', 'writes failing') : mark('good', 'ok')],
    ['Last flush', `${ageText(Math.round(ledger.seconds_since_flush))} ago`],
    ['Unflushed units', count(ledger.unflushed_units)],
    [
      'Account store',
      html`${ledger.account_store}${ledger.is_shared && html`, shared by <a href="/cluster">these replicas</a>`}`,
    ],
    ['Last error', last_fault === null ? 'none since startup' : html`${moment(last_fault.at)}: ${last_fault.message}`],
  ])
}
