// A trip: where its vehicle is, the stops ahead with their times, and the stops that the vehicle has passed. The map
// can follow the vehicle.

import { useEffect } from 'preact/hooks'
import { Stored } from '../../pages/app/stored.ts'
import { useStored } from '../../pages/app/use-stored.ts'
import { AlertList } from './alerts-panel.tsx'
import { segment, serviceNow } from './api-client.ts'
import type { Alert, Coordinate, Trip, TripCall } from './contract.ts'
import { isDisturbance, reasonOf, useNetworkAlerts } from './disturbances.ts'
import { toAge, toClock, toDelay, toWords } from './formats.ts'
import { boundsOfLegs } from './journey-legs.ts'
import { legibleColor, safeColor, stringColors } from './map/colors.ts'
import type { MapFeature } from './map/map-feature.ts'
import { toPlane } from './map/mercator.ts'
import { PanelHead, Trouble, Waiting } from './parts.tsx'
import { hrefOf } from './place.ts'
import { useAnswer, useLive, useTick } from './read-hooks.ts'
import { Icon, LineLink } from './signs.tsx'
import { type Stage, useStage } from './stage.ts'
import { texts } from './texts/texts.ts'
import { delayAhead, isDisturbed, isOff, nextCallOf, timeOf } from './trip-calls.ts'

const TRIP_SECONDS = 10
const LABEL_ZOOM = 12.8
const FOLLOWS_NONE = new Stored<string | undefined>(undefined)

/** The panel for a trip. */
export function TripPanel({ id }: { readonly id: string }) {
  const stage = useStage()
  const { network } = stage
  const path = `/trips/${segment(id)}`
  const { answer, problem } = useLive<Trip>(
    {
      stream: `${path}/stream?interval=${TRIP_SECONDS}&include=alerts`,
      polled: `${path}?include=alerts`,
      hasStreams: network.capabilities.streams,
      seconds: TRIP_SECONDS,
    },
    'trip',
  )
  const trip = answer?.data
  useTick(5)
  useTripOnMap(stage, id, trip)
  const alerts = useNetworkAlerts().filter((alert) => trip?.alert_ids?.includes(alert.id) === true)
  return (
    <>
      <PanelHead title={trip === undefined ? texts().trip : texts().to(trip.headsign)} back={hrefOf(network.id)}>
        {trip !== undefined && <TripFacts trip={trip} />}
      </PanelHead>
      <div class="panel-body">
        <Trouble of={problem} isMild={trip !== undefined} />
        {trip === undefined && problem === undefined && <Waiting />}
        {trip !== undefined && network.capabilities.alerts && <Why trip={trip} alerts={alerts} />}
        {trip !== undefined && <TripVehicle trip={trip} />}
        {trip !== undefined && <Calls trip={trip} now={serviceNow()} />}
        {trip !== undefined && network.capabilities.alerts && (
          <AlertList path={`/lines/${segment(trip.line.id)}/alerts`} title={texts().alerts} more={alerts} />
        )}
      </div>
    </>
  )
}

function TripFacts({ trip }: { readonly trip: Trip }) {
  return (
    <p class="small facts">
      <LineLink line={trip.line} />
      <span>{punctualityOf(trip)}</span>
    </p>
  )
}

/** Shows why the trip is late, is canceled or skips stops, or says that the operator has given no reason. */
function Why({ trip, alerts }: { readonly trip: Trip; readonly alerts: readonly Alert[] }) {
  const causes = alerts.filter(isDisturbance)
  if (causes.length === 0) return isDisturbed(trip, serviceNow()) ? <p class="small">{texts().noReasonGiven}</p> : null
  return (
    <ul class="why">
      {causes.map((alert) => (
        <li key={alert.id}>
          <Icon name="alert" />
          <span>
            <strong>{reasonOf(alert)}</strong> · {alert.title}
          </span>
        </li>
      ))}
    </ul>
  )
}

/**
 * The trip's punctuality in a few words, from the first delay at the stops ahead or, if there is none, from the trip's
 * delay.
 */
function punctualityOf(trip: Trip): string {
  const { status, realtime } = trip
  const seconds = delayAhead(trip, serviceNow()) ?? trip.delay_seconds
  if (status === 'canceled') return texts().canceled
  if (!realtime) return texts().timetableOnly
  const special =
    status === 'added' ? `${texts().extraTrip} · ` : status === 'replaced' ? `${texts().otherRoute} · ` : ''
  if (seconds === null) return `${special}${texts().live}`
  const delay = toDelay(seconds)
  if (delay === undefined) return `${special}${texts().punctual}`
  return `${special}${seconds > 0 ? texts().late(delay.slice(1)) : texts().early(delay.slice(1))}`
}

function TripVehicle({ trip }: { readonly trip: Trip }) {
  const { view } = useStage()
  const followed = useStored(view?.followed ?? FOLLOWS_NONE)
  const { vehicle, calls } = trip
  if (vehicle === null) return null
  const isFollowed = followed === vehicle.id
  const place = calls.find(({ stop_id }) => stop_id === (vehicle.current_stop_id ?? vehicle.next_stop_id))
  const whereIs = vehicle.current_stop_id === null ? texts().nextStop : texts().atStop
  const age = (serviceNow() - Date.parse(vehicle.recorded_at)) / 1_000
  return (
    <div class="trip-vehicle">
      <p>
        {place === undefined ? texts().vehicleStatuses[vehicle.status] : whereIs(place.name)}
        <span class="small">
          {' '}
          {texts().sources[vehicle.position_source]} {texts().ago(toAge(age))}
          {vehicle.occupancy !== null &&
            ` · ${texts().occupancies[vehicle.occupancy] ?? toWords(vehicle.occupancy).toLowerCase()}`}
        </span>
      </p>
      {view !== undefined && (
        <button
          type="button"
          class="plain"
          aria-pressed={isFollowed}
          onClick={() => view.follow(isFollowed ? undefined : vehicle.id)}
        >
          <Icon name={isFollowed ? 'close' : 'locate'} />
          {isFollowed ? texts().stopFollowing : texts().follow}
        </button>
      )}
    </div>
  )
}

function Calls({ trip, now }: { readonly trip: Trip; readonly now: number }) {
  const next = nextCallOf(trip, now)
  const behind = trip.calls.slice(0, next)
  const ahead = trip.calls.slice(next)
  return (
    <section aria-label={texts().stopsOfTrip}>
      {behind.length > 0 && (
        <details class="more">
          <summary>{texts().earlierStopCount(behind.length)}</summary>
          <CallList calls={behind} color={trip.line.color} label={texts().earlierStops} />
        </details>
      )}
      {ahead.length === 0 ? (
        <p>{texts().tripEnded}</p>
      ) : (
        <CallList calls={ahead} color={trip.line.color} label={texts().stopsAhead} />
      )}
    </section>
  )
}

function CallList(props: { readonly calls: readonly TripCall[]; readonly color: string; readonly label: string }) {
  const { network } = useStage()
  return (
    <ol class="string calls" style={stringColors(props.color)} aria-label={props.label}>
      {props.calls.map((call, at) => (
        <li key={`${call.stop_id} ${at}`} class={isOff(call) ? 'off' : undefined}>
          <a href={hrefOf(network.id, 'stop', { id: call.stop_id })}>
            <span class="headsign">
              <span class="cut">{call.name}</span>
              {call.platform !== '' && <span class="small">{texts().platform(call.platform)}</span>}
            </span>
            <CallTime call={call} />
          </a>
        </li>
      ))}
    </ol>
  )
}

function CallTime({ call }: { readonly call: TripCall }) {
  const time = call.departure ?? call.arrival
  if (isOff(call)) return <span class="status">{texts().callStatuses[call.status]}</span>
  if (time === null) return null
  const delay = toDelay(time.delay_seconds)
  return (
    <span class="leaves">
      {delay !== undefined && (
        <strong class={(time.delay_seconds ?? 0) > 0 ? 'small late' : 'small early'}>{delay}</strong>
      )}
      <span class="number">{toClock(timeOf(time))}</span>
    </span>
  )
}

/** Draws the trip and its stops on the map, and moves the trip's vehicle when it has a new position. */
function useTripOnMap({ view, atlas, network }: Stage, id: string, trip: Trip | undefined): void {
  const path = `/trips/${segment(id)}?include=geometry`
  const { answer } = useAnswer<Trip>(view === undefined ? undefined : path, 'tripShape')
  const drawn = answer?.data
  useEffect(() => {
    if (view === undefined || drawn === undefined) return
    const color = legibleColor(safeColor(drawn.line.color), view.isDark)
    const points = drawn.calls.map(({ lon, lat }): Coordinate => [lon, lat])
    const coordinates = drawn.geometry?.coordinates ?? points
    const way = feature({ kind: 'transit', color, order: 0 }, 'LineString', coordinates)
    const rings = points.map((at) => feature({ kind: 'ring' }, 'Point', at))
    view.giveLegs([way, ...rings], (vehicle) => 'trip_id' in vehicle && vehicle.trip_id === id)
    view.give(
      'line-stops',
      drawn.calls.map(({ stop_id: stop }, at) => feature({ stop, kind: 'single', area: stop }, 'Point', points[at])),
    )
    view.lineLabels = drawn.calls.map(({ name }, at) => ({
      ...toPlane(points[at]),
      text: name,
      leastZoom: LABEL_ZOOM,
      weight: at === 0 || at === points.length - 1 ? 2 : 1,
    }))
    const bounds = boundsOfLegs([way])
    if (bounds !== undefined) view.fit(bounds, 16)
    return () => {
      view.giveLegs([])
      view.give('line-stops', [])
      view.lineLabels = []
      view.follow(undefined)
    }
  }, [view, drawn, id])
  useEffect(() => {
    if (view === undefined || trip === undefined || network.capabilities.vehicles === 'none') return
    const vehicles = trip.vehicle === null ? [] : [trip.vehicle]
    const isGone = (vehicle: object) => 'trip_id' in vehicle && vehicle.trip_id === id
    view.vehicles.replaceWhere(vehicles, { looksOf: (lineId) => atlas.looksOf(lineId, view.isDark), isGone })
    view.repaint()
  }, [view, atlas, network, trip, id])
}

function feature(properties: MapFeature['properties'], type: string, coordinates: unknown): MapFeature {
  return { type: 'Feature', properties, geometry: { type, coordinates } }
}
