// Shows the alerts for a network, a line or a stop. The text of alerts is shown as plain text, never as HTML.

import { toNumber } from '../../pages/app/language.ts'
import { segment } from './api-client.ts'
import type { Alert } from './contract.ts'
import { causeOf } from './disturbances.ts'
import { toDayAndClock, toWords } from './formats.ts'
import { PanelHead, Trouble, Waiting } from './parts.tsx'
import { hrefOf } from './place.ts'
import { useAnswer } from './read-hooks.ts'
import { LineLink } from './signs.tsx'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

const ANEW_SECONDS = 60
/** If an alert affects more lines than this, a note such as "and 3 more" replaces the rest. */
const MOST_SIGNS = 12

/** The panel with a network's alerts. */
export function AlertsPanel() {
  const { network } = useStage()
  return (
    <>
      <PanelHead title={texts().alerts} back={hrefOf(network.id)} />
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

/**
 * Lists the alerts that an API path returns. If there are none, shows a message, or nothing if the list has a title.
 * @param props.more further alerts for the list
 */
export function AlertList(props: {
  readonly path: string
  readonly title: string | undefined
  readonly more?: readonly Alert[]
}) {
  const { answer, problem } = useAnswer<readonly Alert[]>(props.path, 'alerts', ANEW_SECONDS)
  const listed = answer?.data
  const more = props.more?.filter(({ id }) => listed?.every((alert) => alert.id !== id) === true) ?? []
  const alerts = listed === undefined ? undefined : [...listed, ...more]
  if (props.title !== undefined && (alerts === undefined || alerts.length === 0)) return null
  return (
    <section>
      {props.title !== undefined && <h2 class="over">{props.title}</h2>}
      <Trouble of={problem} />
      {alerts === undefined && problem === undefined && <Waiting />}
      {alerts?.length === 0 && <p>{texts().noAlerts}</p>}
      {answer?.meta.next_cursor != null && <p class="small">{texts().firstAlerts(toNumber(listed?.length ?? 0))}</p>}
      <ul class="alerts">
        {alerts?.map((alert) => (
          <AlertCard key={alert.id} alert={alert} isBelowTitle={props.title !== undefined} />
        ))}
      </ul>
    </section>
  )
}

function AlertCard({ alert, isBelowTitle }: { readonly alert: Alert; readonly isBelowTitle: boolean }) {
  const Heading = isBelowTitle ? 'h3' : 'h2'
  const { atlas } = useStage()
  const lines = alert.line_ids.map((id) => atlas.line(id)).filter((line) => line !== undefined)
  return (
    <li class={`alert-card ${alert.severity}`}>
      <Heading>{alert.title}</Heading>
      {alert.message !== alert.title && <p>{alert.message}</p>}
      <p class="small">{factsOf(alert).join(' · ')}</p>
      {lines.length > 0 && (
        <ul class="line-signs">
          {lines.slice(0, MOST_SIGNS).map((line) => (
            <li key={line.id}>
              <LineLink line={line} />
            </li>
          ))}
          {lines.length > MOST_SIGNS && <li class="small">{texts().andMore(toNumber(lines.length - MOST_SIGNS))}</li>}
        </ul>
      )}
      {alert.url !== null && /^https?:\/\//.test(alert.url) && (
        <p class="small">
          <a href={alert.url} target="_blank" rel="noreferrer noopener">
            {texts().moreOnWebsite}
          </a>
        </p>
      )}
    </li>
  )
}

function factsOf({ severity, effect, cause, ends_at }: Alert): readonly string[] {
  const facts = [texts().severities[severity], texts().effects[effect] ?? toWords(effect), causeOf(cause)]
  const end = ends_at === null ? undefined : texts().until(toDayAndClock(ends_at))
  return [...facts, end].filter((fact) => fact !== undefined)
}
