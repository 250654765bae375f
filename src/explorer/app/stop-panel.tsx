// The panel for a stop: its live departures, the alerts for the stop and for its lines, and a list of the lines.

import { useEffect } from 'preact/hooks'
import { AlertList } from './alerts-panel.tsx'
import { segment } from './api-client.ts'
import { Board } from './board.tsx'
import type { Stop, StopDetail } from './contract.ts'
import { useNetworkAlerts } from './disturbances.ts'
import { Missing } from './missing.tsx'
import { PanelHead, Trouble } from './parts.tsx'
import { hrefOf } from './place.ts'
import { useAnswer } from './read-hooks.ts'
import { Icon, LineLink } from './signs.tsx'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

/** The panel for a stop or an area. */
export function StopPanel({ id }: { readonly id: string }) {
  const { network, view } = useStage()
  const { answer, problem } = useAnswer<StopDetail>(`/stops/${segment(id)}`, 'stop')
  const stop = answer?.data
  const alerts = useNetworkAlerts().filter(({ line_ids }) => stop?.lines.some((line) => line_ids.includes(line.id)))
  useEffect(() => {
    if (stop === undefined || view === undefined) return
    view.fitStop(stop.lon, stop.lat)
    const geometry = { type: 'Point', coordinates: [stop.lon, stop.lat] }
    view.mark('stop', { type: 'Feature', properties: { kind: 'stop' }, geometry })
    return () => view.mark('stop', undefined)
  }, [stop, view])
  return (
    <>
      <PanelHead title={stop?.name ?? texts().stop} back={hrefOf(network.id)}>
        {stop !== undefined && <StopFacts stop={stop} />}
      </PanelHead>
      <div class="panel-body">
        <Trouble of={problem} />
        {problem?.reason !== 'not_found' && <Board stopId={id} lines={stop?.lines ?? []} />}
        {stop !== undefined && stop.lines.length > 0 && <Missing stop={stop} />}
        {network.capabilities.alerts && problem?.reason !== 'not_found' && (
          <AlertList path={`/stops/${segment(id)}/alerts`} title={texts().alertsHere} more={alerts} />
        )}
        {stop !== undefined && stop.lines.length > 0 && (
          <section>
            <h2 class="over">{texts().lines}</h2>
            <ul class="line-signs">
              {stop.lines.map((line) => (
                <li key={line.id}>
                  <LineLink line={line} />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </>
  )
}

function StopFacts({ stop }: { readonly stop: Stop }) {
  const { network } = useStage()
  const facts = [stop.town, stop.platform_code === null ? '' : texts().platform(stop.platform_code)].filter(
    (fact) => fact !== '',
  )
  return (
    <p class="small facts">
      {facts.join(' · ')}
      {stop.accessible && (
        <span class="fact">
          <Icon name="access" />
          {texts().stepFree}
        </span>
      )}
      {network.capabilities.journeys !== 'none' && (
        <>
          <a href={hrefOf(network.id, 'journey', { query: new URLSearchParams({ from: stop.id }).toString() })}>
            {texts().fromHere}
          </a>
          <a href={hrefOf(network.id, 'journey', { query: new URLSearchParams({ to: stop.id }).toString() })}>
            {texts().toHere}
          </a>
        </>
      )}
    </p>
  )
}
