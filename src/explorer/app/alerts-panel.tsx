// Alerts of a network, a line or a stop. Their content is always shown as text.

import { segment } from './api-client.ts'
import { useAnswer } from './asking.ts'
import type { Alert } from './contract.ts'
import { toWords } from './formats.ts'
import { PanelHead, Trouble, Waiting } from './parts.tsx'
import { hrefOf } from './place.ts'
import { LineLink } from './signs.tsx'
import { useStage } from './stage.ts'

const ANEW_SECONDS = 60
/** How many lines an alert shows before "and more". */
const MOST_SIGNS = 12

/** The panel with a network's alerts. */
export function AlertsPanel() {
  const { network } = useStage()
  return (
    <>
      <PanelHead title="Alerts" back={hrefOf(network.id)} />
      <div class="panel-body">
        <AlertList path={networkAlertsPath(network.id)} title={undefined} />
      </div>
    </>
  )
}

/** The API path of a network's alerts. */
export function networkAlertsPath(network: string): string {
  return `/networks/${segment(network)}/alerts?limit=100`
}

/** The alerts of a path. If there are none, it says so, or shows nothing if it has a title. */
export function AlertList(props: { readonly path: string; readonly title: string | undefined }) {
  const { answer, problem } = useAnswer<readonly Alert[]>(
    props.path,
    props.title ?? 'Alerts of the network',
    ANEW_SECONDS,
  )
  const alerts = answer?.data
  if (props.title !== undefined && (alerts === undefined || alerts.length === 0)) return null
  return (
    <section>
      {props.title !== undefined && <h2 class="over">{props.title}</h2>}
      <Trouble of={problem} />
      {alerts === undefined && problem === undefined && <Waiting what="alerts" />}
      {alerts?.length === 0 && <p>No alerts.</p>}
      {answer?.meta.next_cursor != null && <p class="small">Showing the first {alerts?.length} alerts.</p>}
      <ul class="alerts">
        {alerts?.map((alert) => (
          <AlertCard key={alert.id} alert={alert} />
        ))}
      </ul>
    </section>
  )
}

function AlertCard({ alert }: { readonly alert: Alert }) {
  const { atlas } = useStage()
  const lines = alert.line_ids.map((id) => atlas.line(id)).filter((line) => line !== undefined)
  return (
    <li class={`alert-card ${alert.severity}`}>
      <h3>{alert.title}</h3>
      {alert.message !== alert.title && <p>{alert.message}</p>}
      <p class="small">
        {toWords(alert.severity)} · {toWords(alert.effect)}
        {alert.ends_at !== null && ` · until ${alert.ends_at.slice(0, 10)} ${alert.ends_at.slice(11, 16)}`}
      </p>
      {lines.length > 0 && (
        <ul class="line-signs">
          {lines.slice(0, MOST_SIGNS).map((line) => (
            <li key={line.id}>
              <LineLink line={line} />
            </li>
          ))}
          {lines.length > MOST_SIGNS && <li class="small">and {lines.length - MOST_SIGNS} more</li>}
        </ul>
      )}
      {alert.url !== null && /^https?:\/\//.test(alert.url) && (
        <p class="small">
          <a href={alert.url} target="_blank" rel="noreferrer noopener">
            More on the operator’s website
          </a>
        </p>
      )}
    </li>
  )
}
