// The operator's page with a network's import reports: the notices, and what each of them affects.

import { html, type Markup, type Piece } from '../pages/markup.ts'
import type { ExplainedNotice, ExplainedReport, LastImports } from './last-imports.ts'
import { count, facts, mark, page, size, stackedTable, type Tone, table } from './page-frame.ts'

const OUTCOME_TONES: Readonly<Record<string, Tone>> = { imported: 'good', up_to_date: 'good', held: 'care' }
const ACTION_WORDS: Readonly<Record<ExplainedNotice['action'], string>> = {
  refused_feed: 'feed refused',
  dropped_row: 'rows dropped',
  repaired: 'repaired',
  reported: 'reported',
}

/** Renders the page. */
export function importPage({ network, name, serving, later }: LastImports): string {
  return page({
    title: `Imports for ${name}`,
    room: '/',
    json: `/networks/${encodeURIComponent(network)}/import.json`,
    body: html`
${later !== null && reportSection('Last import (not the one being served)', later)}
${serving !== null && reportSection('Import of the served snapshot', serving)}
${serving === null && later === null && html`<p>This network has no import reports.</p>`}
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
  ['Content', report.feedHash === '' ? 'none' : html`<code>${report.feedHash.slice(0, 16)}</code>`],
  ['Service', report.firstDate === '' ? 'none' : `${report.firstDate} to ${report.lastDate}`],
  ['Took', `${report.seconds.toFixed(1)} s`],
  [
    'Snapshot',
    report.snapshotPath === ''
      ? 'none'
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
  if (notices.length === 0) return html`<p>No problems found in the feed.</p>`
  const heads = ['Rule', 'Severity', 'First occurrence', 'Count', 'Example', 'Action'] as const
  const rows = notices.map((notice) => {
    const { rule, means, severity, file, line, field, count: times, example, action, effect } = notice
    const cells = [
      mark(severity === 'error' ? 'bad' : 'care', severity),
      html`${file}${line > 0 && `:${line}`}${field !== '' && html`<small>${field}</small>`}`,
      count(times),
      example === '' ? '–' : example,
      html`${ACTION_WORDS[action]}<small>${effect}</small>`,
    ]
    return html`<tr><th scope="row"><code>${rule}</code><small>${means}</small></th>
${cells.map((cell, at) => html`<td data-head="${heads[at + 1]}"><div>${cell}</div></td>`)}</tr>`
  })
  return stackedTable(
    `${count(notices.length)} ${notices.length === 1 ? 'notice' : 'notices, errors first'}`,
    heads,
    rows,
  )
}

function fileTable({ files }: ExplainedReport): Piece {
  const list = Object.entries(files)
  if (list.length === 0) return undefined
  return table(
    'Files',
    ['File', 'Rows', 'Dropped rows'],
    list.map(
      ([file, { rows, dropped }]) =>
        html`<tr><th scope="row">${file}</th><td class="number">${count(rows)}</td><td class="number">${dropped === 0 ? '–' : count(dropped)}</td></tr>`,
    ),
  )
}
