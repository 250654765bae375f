// The panel with the stops near the user and their next departures, or the reason why the user's position is unknown.
import { useEffect, useMemo } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { useStored } from '../../pages/app/use-stored.ts'
import { serviceNow } from './api-client.ts'
import type { NearbyDeparture, NearbyDepartures } from './contract.ts'
import { toDistance } from './formats.ts'
import { isOff, Leaves } from './leaves.tsx'
import { locate, locating, type Position, readPosition } from './near-me.ts'
import { PanelHead, Trouble, Waiting } from './parts.tsx'
import { hrefOf } from './place.ts'
import { useAnswer, useTick } from './read-hooks.ts'
import { Icon, LineSign } from './signs.tsx'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

const SECONDS = 20
/** Stops within this distance, about ten minutes on foot, are listed. */
const RADIUS_METERS = 800
const STOPS = 10
/** Maximum number of departures shown per stop. */
const ROWS = 3

/** The panel for nearby stops. @param query the query parameters in the page's URL; `near` is the position */
export function NearbyPanel({ query }: { readonly query: URLSearchParams }) {
  const { network } = useStage()
  const near = query.get('near')
  const position = useMemo(() => readPosition(query), [near])
  return (
    <>
      <PanelHead title={texts().nearMe} back={hrefOf(network.id)} />
      <div class="panel-body">{position === undefined ? <NoPosition /> : <NearbyStops position={position} />}</div>
    </>
  )
}

/** Shows why the user's position is unknown, and how to try again. */
function NoPosition() {
  const stage = useStage()
  const state = useStored(locating)
  const sentences = {
    denied: texts().locationDenied,
    unknown: texts().locationUnknown,
    insecure: texts().locationInsecure,
    far: texts().farAway(stage.network.name),
  }
  return (
    <>
      {state !== 'idle' && state !== 'busy' && <Notice kind="problem">{sentences[state]}</Notice>}
      {state === 'busy' && <p role="status">{texts().locating}</p>}
      {state !== 'insecure' && (
        <div class="row">
          <button type="button" class="plain" aria-busy={state === 'busy'} onClick={() => locate(stage)}>
            <Icon name="locate" />
            {state === 'idle' ? texts().useMyPosition : texts().tryAgain}
          </button>
        </div>
      )}
      <p class="small">{texts().searchInstead}</p>
    </>
  )
}

function NearbyStops({ position }: { readonly position: Position }) {
  const { network, view } = useStage()
  const { lat, lon } = position
  useTick(5)
  useEffect(() => {
    if (view === undefined) return
    const geometry = { type: 'Point', coordinates: [lon, lat] }
    view.mark('me', { type: 'Feature', properties: { kind: 'me' }, geometry })
    view.fitStop(lon, lat)
  }, [view, lat, lon])
  const query = new URLSearchParams({
    near: `${lat},${lon}`,
    radius: String(RADIUS_METERS),
    networks: network.id,
    limit: String(STOPS),
  })
  const { answer, problem } = useAnswer<readonly NearbyDepartures[]>(
    `/departures/nearby?${query}`,
    'nearbyDepartures',
    SECONDS,
  )
  const now = serviceNow()
  return (
    <>
      <Trouble of={problem} isMild={answer !== undefined} />
      {answer === undefined && problem === undefined && <Waiting />}
      {answer?.data.length === 0 && <p>{texts().nothingNearby(toDistance(RADIUS_METERS))}</p>}
      <ul class="nearby">
        {answer?.data.map((each) => (
          <NearbyStop key={each.stop.id} of={each} now={now} />
        ))}
      </ul>
    </>
  )
}

function NearbyStop({ of: { stop, distance_meters, departures }, now }: { of: NearbyDepartures; now: number }) {
  const { network } = useStage()
  return (
    <li>
      <h2>
        <a href={hrefOf(network.id, 'stop', { id: stop.id })}>{stop.name}</a>{' '}
        <span class="small">{toDistance(distance_meters)}</span>
      </h2>
      <ol class="departures">
        {departures.slice(0, ROWS).map((departure) => (
          <NearbyRow
            key={`${departure.line_id} ${departure.headsign} ${departure.scheduled_at}`}
            departure={departure}
            now={now}
          />
        ))}
      </ol>
    </li>
  )
}

function NearbyRow({ departure, now }: { readonly departure: NearbyDeparture; readonly now: number }) {
  const { atlas } = useStage()
  const line = { color: '', name: departure.line_code, ...atlas.line(departure.line_id), code: departure.line_code }
  return (
    <li class={isOff(departure) ? 'off' : departure.realtime ? 'live' : undefined}>
      <div class="departure">
        <LineSign line={line} />
        <span class="headsign">
          <span class="cut">{departure.headsign}</span>
        </span>
        <Leaves departure={departure} now={now} />
      </div>
    </li>
  )
}
