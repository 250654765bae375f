// The operator's page about the replicas in a cluster.
import type { FleetReport, ReplicaReport, RoleReport } from '../accounts/fleet.ts'
import { html, type Markup } from '../pages/markup.ts'
import { ageText, count, facts, mark, page, stackedTable } from './page-frame.ts'

const HEADS = ['Replica', 'State', 'Last heard', 'Changes behind', 'Live lag', 'Units held', 'Notes'] as const
/** Name of a replica's role → what the replica with this role does. */
const ROLE_NAMES: Readonly<Record<string, string>> = { live: 'Polls the live feeds', import: 'Imports the timetables' }

/** Renders the page with the state of all replicas. */
export function clusterPage({ replicas, units, late_units, roles }: FleetReport): string {
  return frame(html`
${facts([
  ['Units held', count(units.held)],
  ['Units held by silent replicas', count(units.stranded)],
  ['Late units', count(late_units)],
  ...roles.map((role): readonly [string, string] => [
    ROLE_NAMES[role.name.split('/')[0] ?? ''] ?? role.name,
    holderOf(role, replicas),
  ]),
])}
${stackedTable(`Replicas: ${replicas.length}`, HEADS, replicas.map(replicaRow))}`)
}

/** Renders the page that is shown while the database is unavailable. */
export function clusterAwayPage(why: string): string {
  return frame(html`<p class="notice bad">The database is not responding: ${why}</p>`)
}

function frame(body: Markup): string {
  return page({ title: 'Replicas', room: '/', json: '/cluster.json', body })
}

function holderOf({ holder, is_held }: RoleReport, replicas: readonly ReplicaReport[]): string {
  if (!is_held) return 'no replica'
  return replicas.find(({ id }) => id === holder)?.name ?? holder
}

function replicaRow(replica: ReplicaReport): Markup {
  const { name, id, admin, age_seconds, version_lag, units_held, live_lag_seconds } = replica
  const cells = [
    stateMark(replica),
    age_seconds === null ? 'never' : html`${ageText(Math.round(age_seconds))} ago`,
    count(version_lag),
    live_lag_seconds === null ? 'none' : `${Math.round(live_lag_seconds * 1_000)} ms`,
    count(units_held),
    notesOf(replica),
  ]
  return html`<tr><th scope="row"><a href="${admin}">${name}</a><small>${id}</small></th>
${cells.map((cell, at) => html`<td data-head="${HEADS[at + 1]}"><div>${cell}</div></td>`)}</tr>`
}

function stateMark({ state, ended_why, is_ready }: ReplicaReport): Markup {
  if (state === 'ended') return mark('bad', `ended: ${ended_why}`)
  if (state === 'serving') return is_ready ? mark('good', 'ready') : mark('bad', 'not ready')
  return mark('care', state)
}

function notesOf({ config_differs, skew_seconds, program }: ReplicaReport): string {
  const notes = [`version ${program}`]
  if (config_differs) notes.push('most replicas have a different configuration')
  if (Math.abs(skew_seconds) >= 1)
    notes.push(`its clock is ${Math.abs(skew_seconds)} s ${skew_seconds > 0 ? 'slow' : 'fast'}`)
  return notes.join('; ')
}
