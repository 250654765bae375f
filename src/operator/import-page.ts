// The reports of a network's imports as a page: what the notices say, and what was done about each.
import type { ExplainedNotice, ExplainedReport, LastImports } from './last-imports.ts'
import { html, type Markup, type Piece } from './markup.ts'
import { count, facts, mark, page, size, type Tone, table } from './page-frame.ts'

const OUTCOME_TONES: Readonly<Record<string, Tone>> = { imported: 'good', up_to_date: 'good', held: 'care' }
const ACTION_WORDS: Readonly<Record<ExplainedNotice['action'], string>> = {
  refused_feed: 'feed refused',
  dropped_row: 'rows left out',
  repaired: 'mended',
  reported: 'reported',
}

/** The import reports, written out. */
export function importPage({ network, serving, later }: LastImports): string {
  return page({
    title: `Imports of ${network}`,
    room: '/',
    json: `/networks/${encodeURIComponent(network)}/import.json`,
    body: html`
${later !== null && reportSection('The last import, which did not make what serves', later)}
${serving !== null && reportSection('The import of what serves', serving)}
${serving === null && later === null && html`<p>No report lies beside the snapshots of this network.</p>`}
<p class="actions"><a href="/">Overview</a> <a href="/explain?network=${encodeURIComponent(network)}">Explain a board</a></p>`,
  })
}

function reportSection(title: string, report: ExplainedReport): Markup {
  const { notices, refusal, warnings } = report
  return html`
<section><h2>${title} ${mark(OUTCOME_TONES[report.outcome] ?? 'bad', report.outcome)}</h2>
${refusal !== undefined && html`<p class="notice bad">${refusal}</p>`}
${warnings.map((warning) => html`<p class="notice care">${warning}</p>`)}
${facts([
  ['Feed', report.feed],
  ['Content', html`<code>${report.feedHash.slice(0, 16)}</code>`],
  ['Service', report.firstDate === '' ? 'none' : `${report.firstDate} to ${report.lastDate}`],
  ['Took', `${report.seconds.toFixed(1)} s`],
  [
    'Snapshot',
    report.snapshotPath === ''
      ? 'none was made'
      : html`<code>${fileOf(report.snapshotPath)}</code>, ${size(report.snapshotBytes)}`,
  ],
])}
${noticeTable(notices)}
${fileTable(report)}
</section>`
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function noticeTable(notices: readonly ExplainedNotice[]): Piece {
  if (notices.length === 0) return html`<p>Nothing was wrong with the feed.</p>`
  return table(
    `${count(notices.length)} notices, errors first`,
    ['Rule', 'Severity', 'Where it first stands', 'Times', 'Example', 'What was done'],
    notices.map(
      ({ rule, means, severity, file, line, field, count: times, example, action, effect }) => html`<tr>
<th scope="row"><code>${rule}</code><small>${means}</small></th>
<td>${mark(severity === 'error' ? 'bad' : 'care', severity)}</td>
<td>${file}${line > 0 && `:${line}`}${field !== '' && html`<small>${field}</small>`}</td>
<td class="number">${count(times)}</td><td class="example">${example === '' ? '–' : example}</td>
<td>${ACTION_WORDS[action]}<small>${effect}</small></td></tr>`,
    ),
  )
}

function fileTable({ files }: ExplainedReport): Piece {
  const list = Object.entries(files)
  if (list.length === 0) return undefined
  return table(
    'Files',
    ['File', 'Rows', 'Left out'],
    list.map(
      ([file, { rows, dropped }]) =>
        html`<tr><th scope="row">${file}</th><td class="number">${count(rows)}</td><td class="number">${dropped === 0 ? '–' : count(dropped)}</td></tr>`,
    ),
  )
}
