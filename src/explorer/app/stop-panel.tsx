// A stop: its live departures, the freshness of its feeds, its alerts and its lines.

import { useEffect } from 'preact/hooks'
import { AlertList } from './alerts-panel.tsx'
import { segment, serviceNow } from './api-client.ts'
import { useAnswer, useLive, useTick } from './asking.ts'
import type { Departure, Source, Stop, StopDetail } from './contract.ts'
import { isSoon, toAge, toClock, toDelay } from './formats.ts'
import { isOff, Leaves } from './leaves.tsx'
import { Missing } from './missing.tsx'
import { PanelHead, Trouble, Waiting } from './parts.tsx'
import { hrefOf } from './place.ts'
import { Icon, LineLink, LineSign } from './signs.tsx'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

const BOARD_SECONDS = 10
const BOARD_ROWS = 20
const BOARD_MINUTES = 120

/** The panel for a stop or an area. */
export function StopPanel({ id }: { readonly id: string }) {
  const { network, view } = useStage()
  const { answer, problem } = useAnswer<StopDetail>(`/stops/${segment(id)}`, 'stop')
  const stop = answer?.data
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
        <Board stopId={id} />
        {stop !== undefined && stop.lines.length > 0 && <Missing stop={stop} />}
        {network.capabilities.alerts && <AlertList path={`/stops/${segment(id)}/alerts`} title={texts().alertsHere} />}
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

function Board({ stopId }: { readonly stopId: string }) {
  const { network } = useStage()
  useTick(5)
  const asked = `limit=${BOARD_ROWS}&horizon=${BOARD_MINUTES}`
  const path = `/stops/${segment(stopId)}/departures`
  const { answer, problem } = useLive<readonly Departure[]>(
    {
      stream: `${path}/stream?interval=${BOARD_SECONDS}&${asked}`,
      polled: `${path}?${asked}`,
      hasStreams: network.capabilities.streams,
      seconds: BOARD_SECONDS,
    },
    'departures',
  )
  const now = serviceNow()
  return (
    <section class="board" aria-label={texts().departures}>
      <div class="section-head">
        <h2 class="over">{texts().departures}</h2>
        <Freshness sources={answer?.meta.sources ?? []} />
      </div>
      <Trouble of={problem} isMild={answer !== undefined} />
      {answer === undefined && problem === undefined && <Waiting />}
      {answer?.data.length === 0 && <p class="small">{texts().noDepartures}</p>}
      <ol class="departures">
        {answer?.data.map((departure) => (
          <DepartureRow
            key={`${departure.trip_id} ${departure.stop_id} ${departure.scheduled_at}`}
            departure={departure}
            now={now}
          />
        ))}
      </ol>
    </section>
  )
}

function DepartureRow({ departure, now }: { readonly departure: Departure; readonly now: number }) {
  const { network } = useStage()
  const isCanceled = isOff(departure)
  const at = departure.expected_at ?? departure.scheduled_at
  const delay = toDelay(departure.delay_seconds)
  return (
    <li class={isCanceled ? 'off' : departure.realtime ? 'live' : undefined}>
      <a href={hrefOf(network.id, 'trip', { id: departure.trip_id })}>
        <LineSign line={{ ...departure, code: departure.line_code, name: departure.line_name }} />
        <span class="headsign">
          <span class="cut">{departure.headsign}</span>
          <span class="small">
            {/* Later departures already show the time instead of the minutes, so it is not repeated. */}
            {(isSoon(at, now) || isCanceled || at !== departure.scheduled_at) && `${toClock(departure.scheduled_at)} `}
            {departure.platform !== '' && texts().platform(departure.platform)}
            {delay !== undefined && !isCanceled && (
              <strong class={(departure.delay_seconds ?? 0) > 0 ? 'late' : 'early'}> {delay}</strong>
            )}
          </span>
        </span>
        <Leaves departure={departure} now={now} />
      </a>
    </li>
  )
}

/** The age of each feed's data. */
function Freshness({ sources }: { readonly sources: readonly Source[] }) {
  return (
    <ul class="badges">
      {sources.map((source) => (
        <li key={source.id} class={`badge ${source.freshness}`} title={source.id}>
          {texts().freshness[source.freshness]}
          {source.freshness === 'scheduled' ? '' : `, ${texts().updatedAgo(toAge(source.age_seconds))}`}
        </li>
      ))}
    </ul>
  )
}
