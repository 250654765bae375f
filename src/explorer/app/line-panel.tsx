// The panel for a line: its alerts, its live vehicles, and its stops in order.

import { useEffect, useState } from 'preact/hooks'
import { Stored } from '../../pages/app/stored.ts'
import { useStored } from '../../pages/app/use-stored.ts'
import { AlertList } from './alerts-panel.tsx'
import { segment, serviceNow } from './api-client.ts'
import type { DirectionStops, Vehicle } from './contract.ts'
import { toAge, toDelay, toWords } from './formats.ts'
import { stringColors } from './map/colors.ts'
import { PanelHead, Trouble, Waiting } from './parts.tsx'
import { hrefOf } from './place.ts'
import { isReachable } from './reach.ts'
import { useLoaded, useTick } from './read-hooks.ts'
import { LineSign } from './signs.tsx'
import { type Stage, useStage } from './stage.ts'
import { mergeByArea, stopFeature, stopLabel } from './stop-cells.ts'
import { texts } from './texts/texts.ts'
import type { VehicleNews } from './vehicle-feed.ts'

const LABEL_ZOOM = 12.8
const NO_NEWS = new Stored<VehicleNews>({ answers: 0, problem: undefined })

/** The panel for a line. */
export function LinePanel({ id }: { readonly id: string }) {
  const stage = useStage()
  const { network, atlas } = stage
  const { lines } = useStored(atlas.state)
  const { value: stops, problem } = useLoaded(() => atlas.stopsOf(id), [atlas, id])
  const [side, setSide] = useState(0)
  useLineOnMap(stage, id)
  useStopsOnMap(stage, stops)
  const line = lines.find((each) => each.id === id)
  const shown = stops?.[side] ?? stops?.[0]
  return (
    <>
      <PanelHead title={line === undefined ? texts().line : line.name || line.code} back={hrefOf(network.id)}>
        {line !== undefined && (
          <p class="small facts">
            <LineSign line={line} hasNameBeside />
            {texts().modes[line.mode]}
            {line.operator !== undefined && ` · ${line.operator}`}
          </p>
        )}
      </PanelHead>
      <div class="panel-body">
        <Trouble of={problem} />
        {network.capabilities.alerts && <AlertList path={`/lines/${segment(id)}/alerts`} title={texts().alerts} />}
        <VehicleList lineId={id} stops={stops} />
        {stops === undefined && problem === undefined && <Waiting />}
        {stops !== undefined && stops.length > 1 && (
          <fieldset class="sides" aria-label={texts().direction}>
            {stops.map((each, index) => (
              <button
                key={each.direction_id}
                type="button"
                aria-pressed={each === shown}
                onClick={() => setSide(index)}
              >
                {atlas.line(id)?.directions.find((one) => one.id === each.direction_id)?.headsign ??
                  each.stops.at(-1)?.name}
              </button>
            ))}
          </fieldset>
        )}
        {shown !== undefined && <StopString line={id} shown={shown} color={line?.color} />}
      </div>
    </>
  )
}

function StopString(props: {
  readonly line: string
  readonly shown: DirectionStops
  readonly color: string | undefined
}) {
  const { network } = useStage()
  return (
    <ol class="string" style={stringColors(props.color)} aria-label={texts().stops}>
      {props.shown.stops.map((stop, index) => (
        <li key={`${stop.id} ${index}`}>
          <a href={hrefOf(network.id, 'stop', { id: stop.id })}>{stop.name}</a>
        </li>
      ))}
    </ol>
  )
}

function VehicleList(props: { readonly lineId: string; readonly stops: readonly DirectionStops[] | undefined }) {
  const { view, feed, network } = useStage()
  const { problem, answers } = useStored(feed?.news ?? NO_NEWS)
  const isKnown = useStored(isReachable)
  useTick(2)
  if (view === undefined || network.capabilities.vehicles === 'none') return null
  const vehicles = view.vehicles.ofLine(props.lineId).sort((one, other) => one.id.localeCompare(other.id))
  if (vehicles.length === 0) {
    // Before the first response, and while the API can't be reached, the page cannot know whether the line has
    // vehicles.
    if (problem !== undefined) return <Trouble of={problem} isMild />
    return isKnown && answers > 0 ? <p class="small">{texts().noVehicleOfLine}</p> : null
  }
  const names = new Map(props.stops?.flatMap(({ stops }) => stops.map((stop) => [stop.id, stop.name] as const)))
  return (
    <details class="more" open={vehicles.length <= 6}>
      <summary>{texts().vehiclesOnTheWay(vehicles.length)}</summary>
      <Trouble of={problem} isMild />
      <ul class="vehicles">
        {vehicles.map((vehicle) => (
          <VehicleRow key={vehicle.id} vehicle={vehicle} next={names.get(vehicle.next_stop_id ?? '')} />
        ))}
      </ul>
    </details>
  )
}

function VehicleRow({ vehicle, next }: { readonly vehicle: Vehicle; readonly next: string | undefined }) {
  const { view, network } = useStage()
  const delay = toDelay(vehicle.delay_seconds)
  const age = (serviceNow() - Date.parse(vehicle.recorded_at)) / 1_000
  const facts = [
    next === undefined ? texts().vehicleStatuses[vehicle.status] : texts().next(next),
    delay ?? (vehicle.delay_seconds === null ? undefined : texts().onTime),
    vehicle.occupancy === null
      ? undefined
      : (texts().occupancies[vehicle.occupancy] ?? toWords(vehicle.occupancy).toLowerCase()),
  ]
  const row = (
    <>
      <span class="cut">{texts().to(vehicle.headsign)}</span>
      <span class={`badge ${vehicle.position_source === 'gps' ? 'realtime' : 'scheduled'}`}>
        {texts().sources[vehicle.position_source]} {toAge(age)}
      </span>
      <span class="small">{facts.filter((fact) => fact !== undefined).join(' · ')}</span>
    </>
  )
  return (
    <li>
      {vehicle.trip_id === null ? (
        <button type="button" class="vehicle-row" onClick={() => view?.goTo(vehicle.lon, vehicle.lat)}>
          {row}
        </button>
      ) : (
        <a class="vehicle-row" href={hrefOf(network.id, 'trip', { id: vehicle.trip_id })}>
          {row}
        </a>
      )}
    </li>
  )
}

/** Highlights a line on the map, and follows its vehicles, while its panel is open. */
function useLineOnMap({ atlas, view, feed }: Stage, id: string): void {
  useEffect(() => {
    view?.choose(id)
    feed?.choose(id)
    return () => {
      view?.choose(undefined)
      feed?.choose(undefined)
    }
  }, [view, feed, id])
  const { value: shape } = useLoaded(() => atlas.shapeOf(id), [atlas, id])
  useEffect(() => {
    if (shape !== undefined) view?.fit(shape.bounds)
  }, [view, shape])
}

/** Draws a line's stops, one for each area. */
function useStopsOnMap({ view }: Stage, stops: readonly DirectionStops[] | undefined): void {
  useEffect(() => {
    if (view === undefined || stops === undefined) return
    const merged = mergeByArea(stops.flatMap((each) => each.stops))
    view.give('line-stops', merged.map(stopFeature))
    view.hideAreas(merged.map(({ id }) => id))
    view.lineLabels = merged.map((stop) => stopLabel(stop, LABEL_ZOOM))
    view.repaint()
    return () => {
      view.give('line-stops', [])
      view.hideAreas([])
      view.lineLabels = []
    }
  }, [view, stops])
}
