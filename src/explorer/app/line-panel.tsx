// A line: its live vehicles, its stops in order with the vehicles between them, and its alerts.
import { useEffect, useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { AlertList } from './alerts-panel.tsx'
import { messageOf, segment, serviceNow } from './api-client.ts'
import { useTick } from './asking.ts'
import type { DirectionStops, Vehicle } from './contract.ts'
import { toAge, toDelay, toWords } from './formats.ts'
import { PanelHead, Waiting } from './parts.tsx'
import { hrefOf } from './place.ts'
import { LineSign } from './signs.tsx'
import { type Stage, useStage } from './stage.ts'
import { stopFeature, stopLabel } from './stop-cells.ts'
import { Stored, useStored } from './stored.ts'
import type { VehicleNews } from './vehicle-feed.ts'

const LABEL_ZOOM = 12.8
const NO_NEWS = new Stored<VehicleNews>({ answers: 0, problem: undefined })

/** The panel for a line. */
export function LinePanel({ id }: { readonly id: string }) {
  const stage = useStage()
  const { network, atlas } = stage
  const { lines } = useStored(atlas.state)
  const [stops, setStops] = useState<readonly DirectionStops[] | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [side, setSide] = useState(0)
  useEffect(() => showLine(stage, id, { setStops, setProblem }), [stage, id])
  const line = lines.find((each) => each.id === id)
  const shown = stops?.[side] ?? stops?.[0]
  return (
    <>
      <PanelHead
        title={line === undefined ? 'Line' : line.name || line.code}
        back={hrefOf(network.id)}
        backName="lines"
      >
        {line !== undefined && (
          <p class="small facts">
            <LineSign code={line.code} name={line.name} color={line.color} hasNameBeside />
            {toWords(line.mode)}
            {line.operator !== undefined && ` · ${line.operator}`}
          </p>
        )}
      </PanelHead>
      <div class="panel-body">
        {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
        {network.capabilities.alerts && <AlertList path={`/lines/${segment(id)}/alerts`} title="Alerts" />}
        <VehicleList lineId={id} stops={stops} />
        {stops === undefined && problem === undefined && <Waiting what="stops" />}
        {stops !== undefined && stops.length > 1 && (
          <fieldset class="sides" aria-label="Direction">
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
    <ol class="string" style={{ '--line-color': props.color ?? 'var(--line-firm)' }} aria-label="Stops">
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
  const { problem } = useStored(feed?.news ?? NO_NEWS)
  useTick(2)
  if (view === undefined || network.capabilities.vehicles === 'none') return null
  const vehicles = view.vehicles.ofLine(props.lineId).sort((one, other) => one.id.localeCompare(other.id))
  const names = new Map(props.stops?.flatMap(({ stops }) => stops.map((stop) => [stop.id, stop.name] as const)))
  return (
    <details class="more" open={vehicles.length <= 6}>
      <summary>{vehicles.length === 1 ? '1 vehicle' : `${vehicles.length} vehicles`} on the way</summary>
      {problem !== undefined && <Notice kind="warning">{problem}</Notice>}
      <ul class="vehicles">
        {vehicles.map((vehicle) => (
          <VehicleRow key={vehicle.id} vehicle={vehicle} next={names.get(vehicle.next_stop_id ?? '')} />
        ))}
      </ul>
    </details>
  )
}

function VehicleRow({ vehicle, next }: { readonly vehicle: Vehicle; readonly next: string | undefined }) {
  const { view } = useStage()
  const delay = toDelay(vehicle.delay_seconds)
  const age = (serviceNow() - Date.parse(vehicle.recorded_at)) / 1_000
  const facts = [
    next === undefined ? toWords(vehicle.status) : `next ${next}`,
    delay ?? (vehicle.delay_seconds === null ? undefined : 'on time'),
    vehicle.occupancy === null ? undefined : toWords(vehicle.occupancy).toLowerCase(),
  ]
  return (
    <li>
      <button type="button" class="vehicle-row" onClick={() => view?.show(vehicle.lon, vehicle.lat)}>
        <span class="cut">To {vehicle.headsign}</span>
        <span class={`badge ${vehicle.position_source === 'gps' ? 'realtime' : 'scheduled'}`}>
          {vehicle.position_source === 'gps' ? 'reported' : 'estimated'} {toAge(age)}
        </span>
        <span class="small">{facts.filter((fact) => fact !== undefined).join(' · ')}</span>
      </button>
    </li>
  )
}

/** Highlights a line on the map while its panel is open. */
function showLine(
  { atlas, view, feed }: Stage,
  id: string,
  shown: {
    setStops(stops: readonly DirectionStops[] | undefined): void
    setProblem(problem: string | undefined): void
  },
): () => void {
  let isGone = false
  shown.setStops(undefined)
  shown.setProblem(undefined)
  view?.choose(id)
  feed?.choose(id)
  void atlas.shapeOf(id).then((shape) => {
    if (!isGone && shape !== undefined) view?.fit(shape.bounds)
  })
  atlas.stopsOf(id).then(
    (stops) => {
      if (isGone) return
      shown.setStops(stops)
      const all = [...new Map(stops.flatMap((each) => each.stops).map((stop) => [stop.id, stop])).values()]
      view?.give('line-stops', all.map(stopFeature))
      if (view === undefined) return
      view.lineLabels = all.map((stop) => stopLabel(stop, LABEL_ZOOM))
      view.repaint()
    },
    (error: unknown) => {
      if (!isGone) shown.setProblem(messageOf(error))
    },
  )
  return () => {
    isGone = true
    view?.choose(undefined)
    feed?.choose(undefined)
    view?.give('line-stops', [])
    if (view !== undefined) view.lineLabels = []
  }
}
