// The overview as a page.
import { html, type Markup, type Piece } from './markup.ts'
import type { FeedOverview, NetworkOverview, Overview } from './overview.ts'
import { ageText, count, facts, mark, moment, page, size, type Tone, table } from './page-frame.ts'

/** A match rate below this is worth a look. */
const GOOD_MATCH_RATE = 0.8
/** A thread whose loop has not turned for so long hangs. */
const HANGING_SECONDS = 5

/** The overview, written out. */
export function overviewPage(overview: Overview): string {
  const { networks } = overview
  return page({
    title: 'Overview',
    room: '/',
    json: '/overview.json',
    body: html`
<p class="lead">${readiness(overview)} Version ${overview.version}, up since ${moment(overview.started_at)}; read at ${moment(overview.at)}.</p>
${networks.map(networkSection)}
${networks.length === 0 && html`<p>No network is configured.</p>`}
<section><h2>The process</h2>
${threadTable(overview)}
${ledgerFacts(overview)}
</section>`,
  })
}

function readiness({ is_ready, is_started }: Overview): Markup {
  if (is_ready) return html`${mark('good', 'ready')}`
  return is_started ? html`${mark('bad', 'not ready')}` : html`${mark('care', 'starting')}`
}

function networkSection(network: NetworkOverview): Markup {
  const { id, name, city, snapshot, last_error } = network
  return html`
<section><h2 id="network-${id}">${name}${city !== '' && html` <small>${city}</small>`} ${snapshot === null ? mark('bad', 'not served') : mark('good', 'serving')}</h2>
${last_error !== null && html`<p class="notice bad"><strong>${last_error.reason}</strong> at ${moment(last_error.at)}: ${last_error.message}</p>`}
<p class="actions"><a href="/networks/${encodeURIComponent(id)}/import">Import report</a> <a href="/explain?network=${encodeURIComponent(id)}">Explain a board</a></p>
${snapshot !== null && snapshotFacts(network, snapshot)}
${feedTable(network)}
${keptTable(network)}
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
    ['Made', html`${moment(snapshot.made_at)}, ${ageText(snapshot.age_seconds)} ago`],
    ['Loaded', moment(snapshot.loaded_at)],
    [
      'Valid',
      snapshot.first_date === null
        ? mark('bad', 'no trip runs on any day')
        : `${snapshot.first_date} to ${snapshot.last_date}`,
    ],
    ['Holds', shown.join(', ')],
    ['From', network.sources.join(', ')],
    [
      'Imports since the start',
      `${imports.imported} made one, ${imports.up_to_date} found nothing new, ${imports.failed} failed` +
        `${network.is_import_waiting ? '; one waits' : ''}`,
    ],
  ])
}

const FEED_TONES: Readonly<Record<FeedOverview['state'], Tone>> = {
  fresh: 'good',
  stale: 'care',
  dropped: 'bad',
  'nothing yet': 'care',
}

function feedTable({ feeds, name }: NetworkOverview): Markup {
  if (feeds.length === 0) return html`<p class="quiet">No live feed is configured.</p>`
  return table(
    `Live feeds of ${name}`,
    ['Feed', 'Carries', 'State', 'Age', 'Matched', 'Left or mended, by reason', 'Fetched', 'Budget', 'Last error'],
    feeds.map(
      (feed) => html`<tr><th scope="row">${feed.id}<small>${feed.source}, every ${feed.interval_seconds} s</small></th>
<td>${feed.carries.join(', ') || '–'}</td>
<td>${mark(FEED_TONES[feed.state], feed.state)}${feed.is_failing && html` ${mark('bad', 'failing')}`}</td>
<td class="number">${feed.age_seconds === null ? '–' : ageText(feed.age_seconds)}<small>${feed.fresh_seconds !== null && `stale from ${ageText(feed.fresh_seconds)}, dropped from ${ageText(feed.dropped_after_seconds ?? 0)}`}</small></td>
<td class="number">${matchText(feed)}</td>
<td>${reasonList(feed.reasons)}</td>
<td>${feed.fetched_at === null ? '–' : moment(feed.fetched_at)}${feed.back_off_seconds > 0 && html`<small>next in ${ageText(feed.back_off_seconds)} or more</small>`}</td>
<td class="number">${feed.budget === null ? '–' : html`${feed.budget.used} of ${feed.budget.limit}<small>until ${moment(feed.budget.resets_at)}</small>`}</td>
<td>${feed.last_error === null ? '–' : html`<strong>${feed.last_error.reason}</strong> ${moment(feed.last_error.at)}<small>${feed.last_error.message}</small>`}</td></tr>`,
    ),
  )
}

function matchText({ match_rate, matched, trip_updates }: FeedOverview): Piece {
  if (match_rate === null) return '–'
  const text = `${(match_rate * 100).toFixed(1)} %`
  return html`${match_rate < GOOD_MATCH_RATE ? mark('care', text) : text}<small>${matched ?? 0} of ${trip_updates ?? 0}</small>`
}

/** Reasons, the most frequent first. */
function reasonList(reasons: Readonly<Record<string, number>>): Piece {
  const list = Object.entries(reasons).sort((a, b) => b[1] - a[1])
  if (list.length === 0) return '–'
  return html`<ul class="plain">${list.map(([reason, times]) => html`<li>${times} × <code>${reason}</code></li>`)}</ul>`
}

function keptTable({ kept, name }: NetworkOverview): Markup {
  if (kept.length === 0) return html`<p class="quiet">No snapshot is on disk.</p>`
  return table(
    `Snapshots of ${name} on disk, newest first`,
    ['File', 'Written', 'Size', ''],
    kept.map(
      ({ file, written_at, bytes, is_serving, is_corrupt }) => html`<tr><th scope="row"><code>${file}</code></th>
<td>${written_at === null ? '–' : moment(written_at)}</td><td class="number">${bytes === 0 ? '–' : size(bytes)}</td>
<td>${is_serving && mark('good', 'serving')}${is_corrupt && mark('bad', 'corrupt')}</td></tr>`,
    ),
  )
}

function threadTable({ threads, streams }: Overview): Markup {
  return html`${table(
    'Data threads',
    ['Thread', 'State', 'Worst delay of its loop in 30 s'],
    threads.map(({ thread, last_beat_seconds, worst_lag_seconds }) => {
      const hangs = last_beat_seconds !== null && last_beat_seconds > HANGING_SECONDS
      const state =
        last_beat_seconds === null ? mark('care', 'starting') : hangs ? mark('bad', 'hangs') : mark('good', 'alive')
      const beat = last_beat_seconds !== null && html`<small>heard ${last_beat_seconds} s ago</small>`
      return html`<tr><th scope="row">data ${thread}</th><td>${state}${beat}</td><td class="number">${(worst_lag_seconds * 1000).toFixed(0)} ms</td></tr>`
    }),
  )}
<p class="quiet">No thread is ever started anew: one that dies ends the process. ${streams.open} of ${count(streams.limit)} streams are open.</p>`
}

function ledgerFacts({ ledger }: Overview): Markup {
  const { is_failing, last_fault } = ledger
  return facts([
    ['Ledger', is_failing ? mark('bad', 'cannot be written') : mark('good', 'flushes')],
    ['Last flush', `${ageText(Math.round(ledger.seconds_since_flush))} ago`],
    ['Units not flushed', count(ledger.unflushed_units)],
    ['Accounts in', ledger.account_store],
    [
      'Last fault',
      last_fault === null ? 'none since the start' : html`${moment(last_fault.at)}: ${last_fault.message}`,
    ],
  ])
}
