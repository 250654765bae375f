// The page of the board explainer: the form, the calls on the board, and the hidden calls, grouped by the reason why
// they are hidden.
import { HIDDEN_REASONS, type HiddenReason } from '../../indexes/explain/explain-board.ts'
import { html, type Markup, type Piece } from '../pages/markup.ts'
import type { ExplainForm, FieldFault } from './explain-question.ts'
import { CHECK_QUESTIONS, REASON_TITLES } from './explain-words.ts'
import type { ExplainAnswer, ExplainedDeparture, ExplainedUpdate, Explanation } from './explanation.ts'
import { clock, count, mark, moment, page, type Tone, table } from './page-frame.ts'

/** A network that can be chosen in the form. */
export interface Choice {
  readonly id: string
  readonly name: string
}

/** Renders the form and, if the form was submitted, the answer. */
export function explainPage(
  form: ExplainForm,
  networks: readonly Choice[],
  explanation: Explanation | undefined,
): string {
  const fault = explanation !== undefined && 'fault' in explanation ? explanation.fault : undefined
  return page({
    title: 'Why is this departure (not) on the board?',
    room: '/explain',
    json: `/explain.json?${addressOf(form)}`,
    body: html`
${formMarkup(form, networks, fault)}
${explanation !== undefined && 'answer' in explanation && answerMarkup(explanation.answer, form)}`,
  })
}

function addressOf(form: ExplainForm, changes: Partial<ExplainForm> = {}): string {
  const fields = Object.entries({ ...form, ...changes }).filter(([, value]) => value !== '')
  return new URLSearchParams(Object.fromEntries(fields)).toString()
}

function formMarkup(form: ExplainForm, networks: readonly Choice[], fault: FieldFault | undefined): Markup {
  const describes = (field: keyof ExplainForm) =>
    fault?.field === field && html` aria-invalid="true" aria-describedby="fault"`
  const field = (name: keyof ExplainForm, label: string, attributes: Piece) =>
    html`<label>${label}<input name="${name}" value="${form[name]}"${attributes}${describes(name)}></label>`
  return html`<form action="/explain" method="get">
<label>Network<select name="network"${describes('network')}>${networks.map(
    ({ id, name }) => html`<option value="${id}"${id === form.network && html` selected`}>${name}</option>`,
  )}</select></label>
${field('stop', 'Stop or area: id or name', html` autocomplete="off"`)}
${field('line', 'Line: id or code (optional)', html` autocomplete="off"`)}
${field('trip', 'Trip id (optional)', html` autocomplete="off"`)}
${field('at', 'Time (default: now)', html` placeholder="2026-11-21T08:00" autocomplete="off"`)}
${field('horizon', 'Minutes', html` inputmode="numeric" placeholder="60" size="4"`)}
${field('limit', 'Rows', html` inputmode="numeric" placeholder="10" size="4"`)}
<button>Explain</button>
</form>
${fault !== undefined && html`<div class="notice care" id="fault"><p>${fault.sentence}</p>${suggestionList(form, fault)}</div>`}`
}

function suggestionList(form: ExplainForm, { field, suggestions }: FieldFault): Piece {
  if (suggestions.length === 0) return undefined
  return html`<ul class="plain">${suggestions.map(
    ({ id, name }) =>
      html`<li><a href="/explain?${addressOf(form, { [field]: id })}">${name}</a> <code>${id}</code></li>`,
  )}</ul>`
}

function answerMarkup(answer: ExplainAnswer, form: ExplainForm): Markup {
  const { board, trip, notes, unmatched } = answer
  return html`
${trip !== null && tripSection(trip, form)}
${board !== null && boardSection(board, answer, form)}
${notes.length > 0 && html`<section><h2>Notes</h2><ul>${notes.map((note) => html`<li>${note}</li>`)}</ul></section>`}
${unmatched.related > 0 && unmatchedSection(unmatched)}`
}

function boardSection(board: NonNullable<ExplainAnswer['board']>, answer: ExplainAnswer, form: ExplainForm): Markup {
  const { place, departures, shown, fitting } = board
  const hidden = Object.keys(HIDDEN_REASONS).filter(isReason)
  const groups = [...hidden, undefined].flatMap((reason) => {
    const of = departures.filter((each) =>
      reason === undefined ? each.verdict === 'unexplained' : each.reason === reason,
    )
    return of.length === 0 ? [] : [{ reason, of }]
  })
  const rows = departures.filter(({ verdict }) => verdict === 'shown')
  return html`
<section><h2>${place.name} <small>${place.kind} <code>${place.id}</code></small></h2>
<p>The board from ${moment(answer.from)} to ${clock(answer.to)} has <strong>${count(shown)}</strong> of ${count(fitting)} matching departures${answer.line !== null && html` on line ${answer.line.code || answer.line.id}`}. The same board from the API: <code>${board.request}</code>.</p>
${place.kind === 'area' && html`<p class="quiet">Its stops: ${place.stops.map(({ id, platform }) => (platform === '' ? id : `${id} (${platform})`)).join(', ')}.</p>`}
${board.empty_because !== null && html`<p class="notice care">${board.empty_because}</p>`}
${rows.length > 0 && departureTable('On the board', rows, form)}
${groups.length > 0 && html`<h3>Not on the board</h3><p class="quiet">Every call within ${board.looked_hours} hours of the window, grouped by the first check it failed.</p>`}
${groups.map(({ reason, of }) => reasonGroup(reason, { calls: of, total: board.counts[reason ?? 'unexplained'] ?? 0 }, form))}
</section>`
}

function isReason(word: string): word is HiddenReason {
  return word in HIDDEN_REASONS
}

/**
 * Reasons that normally hide many calls. Groups of calls with these reasons are collapsed, and groups with other
 * reasons are expanded.
 */
const EXPECTED: ReadonlySet<HiddenReason | undefined> = new Set([
  'other_line',
  'other_direction',
  'service_not_running',
  'left_before_window',
  'after_window',
  'trip_ends_here',
] as const)

function reasonGroup(
  reason: HiddenReason | undefined,
  { calls, total }: { readonly calls: readonly ExplainedDeparture[]; readonly total: number },
  form: ExplainForm,
): Markup {
  const title = reason === undefined ? 'No reason found: this is a bug in Quai' : REASON_TITLES[reason]
  const check = reason === undefined ? '' : `fails “${CHECK_QUESTIONS[HIDDEN_REASONS[reason]]}”`
  const isOpen = !EXPECTED.has(reason) || calls.length === 1
  return html`<details${isOpen && html` open`}><summary><strong>${title}</strong> <span class="number">${count(total)}</span> <small>${check}</small></summary>
${departureTable(title, calls, form)}
${total > calls.length && html`<p class="quiet">${count(total - calls.length)} more, farther from the window, are not listed. Filter by line or trip to see them.</p>`}
</details>`
}

function departureTable(caption: string, calls: readonly ExplainedDeparture[], form: ExplainForm): Markup {
  return table(
    caption,
    ['Leaves', 'Departure', 'Why'],
    calls.map(
      (call) => html`<tr><td class="number">${clock(call.scheduled_at)}${expectedText(call)}</td>
<td class="departure"><strong>${call.line_code}</strong> ${call.headsign}
<small>trip <a href="/explain?${addressOf(form, { stop: call.place_id, trip: call.trip_id })}"><code>${call.run}</code></a></small>
<small>day ${call.service_date}${call.service_id !== null && `, service ${call.service_id}`}</small>
<small>at ${call.stop.platform === '' ? call.stop.id : `${call.stop.platform} (${call.stop.id})`}</small></td>
<td class="why">${call.because}${call.unmatched_updates.map(unmatchedHint)}</td></tr>`,
    ),
  )
}

const STATUS_TONES: Readonly<Record<string, Tone>> = { canceled: 'bad', skipped: 'bad', delayed: 'care', early: 'care' }

/** The live time and status of a call; undefined if it has no live status. */
function expectedText({ status, expected_at, scheduled_at }: ExplainedDeparture): Piece {
  if (status === null || status === 'unknown') return undefined
  const isOther = expected_at !== null && expected_at !== scheduled_at
  return html`<small>${isOther && html`${clock(expected_at)} `}${mark(STATUS_TONES[status] ?? 'plain', status.replace('_', ' '))}</small>`
}

function unmatchedHint({ feed, reason, means, start_date }: ExplainedUpdate): Markup {
  const date = start_date === null ? 'no start_date' : `start_date ${start_date}`
  return html` <em>An update from feed ${feed} with this trip id and ${date} was ignored (<code>${reason}</code>): ${means}.</em>`
}

function tripSection(trip: NonNullable<ExplainAnswer['trip']>, form: ExplainForm): Markup {
  return html`
<section><h2>Trip <code>${trip.id}</code> ${trip.line_code !== null && html`<small>line ${trip.line_code}</small>`} ${trip.is_known ? mark('good', 'known') : mark('bad', 'unknown')}</h2>
${trip.because.map((sentence) => html`<p>${sentence}</p>`)}
${trip.nearest.length > 0 && html`<p>Similar ids:</p><ul class="plain">${trip.nearest.map((id) => html`<li><a href="/explain?${addressOf(form, { trip: id })}"><code>${id}</code></a></li>`)}</ul>`}
${trip.import_notices.length > 0 && html`<p>What the import dropped:</p><ul>${trip.import_notices.map(({ rule, file, line, count: times, example, effect }) => html`<li>${count(times)} × <code>${rule}</code> in ${file}${line > 0 && `:${line}`}, such as ${example}: ${effect}</li>`)}</ul>`}
${trip.calls.length > 0 && html`<details${!trip.calls.some(({ is_here }) => is_here) && html` open`}><summary><strong>Calls</strong> <span class="number">${trip.calls.length}</span></summary>${tripTable(trip.calls)}</details>`}
</section>`
}

function tripTable(calls: NonNullable<ExplainAnswer['trip']>['calls']): Markup {
  return table(
    'Calls',
    ['Stop', 'Arrival', 'Departure', 'Expected', 'Boarding'],
    calls.map(
      ({
        stop,
        is_here,
        arrival,
        departure,
        expected_at,
        status,
        is_boardable,
      }) => html`<tr${is_here && html` class="here"`}>
<th scope="row">${stop.name} ${stop.platform}<small>${stop.id}</small>${is_here && mark('plain', 'selected stop')}</th>
<td class="number">${clock(arrival)}</td><td class="number">${clock(departure)}</td>
<td class="number">${expected_at === null ? '–' : clock(expected_at)}${status !== null && status !== 'unknown' && html`<small>${status.replace('_', ' ')}</small>`}</td>
<td>${is_boardable ? 'yes' : 'no'}</td></tr>`,
    ),
  )
}

function unmatchedSection({ related, total, updates }: ExplainAnswer['unmatched']): Markup {
  const more = related - updates.length
  return html`
<section><h2>Unmatched live updates</h2>
<p>${count(total)} in total; ${count(related)} may be related to this query.</p>
${table(
  'Unmatched updates',
  ['Feed', 'Reason', 'Trip id', 'Route id', 'Start', 'Relationship'],
  updates.map(
    (
      update,
    ) => html`<tr><th scope="row">${update.feed}</th><td><code>${update.reason}</code><small>${update.means}</small></td>
<td>${update.trip_id ?? '–'}</td><td>${update.route_id ?? '–'}</td><td>${update.start_date ?? '–'} ${update.start_time ?? ''}</td><td>${update.relationship}</td></tr>`,
  ),
)}
${more > 0 && html`<p class="quiet">${count(more)} more are not listed.</p>`}
</section>`
}
