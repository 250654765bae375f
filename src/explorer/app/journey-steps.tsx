// The legs of a journey in order. They show where to board, the intermediate stops, where to transfer, and the time for
// each transfer.
import type { Journey, Ride, Walk } from './contract.ts'
import { toClock, toDistance, toDuration } from './formats.ts'
import { type Change, changesOf, nameOf } from './journey-merits.ts'
import { stringColors } from './map/colors.ts'
import { hrefOf } from './place.ts'
import { Icon, LineLink } from './signs.tsx'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'
import { timeOf } from './trip-calls.ts'

/** The legs of a journey. */
export function JourneyLegs({ journey }: { readonly journey: Journey }) {
  const changes = changesOf(journey)
  const last = journey.sections[journey.sections.length - 1]
  return (
    <ol class="legs" aria-label={texts().legByLeg}>
      {journey.sections.map((section, at) => (
        <li key={section.departure_at + section.kind}>
          {section.kind === 'walk' ? <WalkLeg walk={section} /> : <RideLeg ride={section} change={changes.get(at)} />}
        </li>
      ))}
      {last !== undefined && (
        <li class="leg-row">
          <span class="number">{toClock(journey.arrival_at)}</span>
          <strong>{texts().arrive(nameOf(last.to_place))}</strong>
        </li>
      )}
    </ol>
  )
}

function WalkLeg({ walk }: { readonly walk: Walk }) {
  return (
    <div class="leg-row">
      <span class="number">{toClock(walk.departure_at)}</span>
      <span class="leg-walk">
        <Icon name="walk" />
        <span>
          {texts().walkTo(toDistance(walk.distance_meters), nameOf(walk.to_place))}
          <span class="small"> {toDuration(walk.duration_seconds)}</span>
        </span>
      </span>
    </div>
  )
}

function RideLeg({ ride, change }: { readonly ride: Ride; readonly change: Change | undefined }) {
  const { line, stop_ids, platform } = ride
  const { network } = useStage()
  const stopCount = stop_ids.length - 1
  const facts = [texts().stopCount(stopCount), toDuration(ride.duration_seconds), ride.realtime ? texts().live : '']
  return (
    <>
      {change !== undefined && <ChangeNote change={change} />}
      {ride.stay_seated === true && <p class="leg-change small">{texts().staySeated}</p>}
      <div class="leg-row">
        <span class="number">{toClock(ride.departure_at)}</span>
        <span>
          <strong>{nameOf(ride.from_place)}</strong>
          {platform !== '' && <span class="small"> {texts().platform(platform)}</span>}
        </span>
      </div>
      <div class="leg-ride" style={stringColors(line.color)}>
        <p class="leg-line">
          <LineLink line={line} />
          <span>{texts().towards(ride.headsign)}</span>
        </p>
        <details class="more">
          <summary class="small">{facts.filter((fact) => fact !== '').join(' · ')}</summary>
          <RideCalls ride={ride} />
        </details>
        <a class="small" href={hrefOf(network.id, 'trip', { id: ride.trip_id })}>
          {texts().wholeTrip}
        </a>
      </div>
      <div class="leg-row">
        <span class="number">{toClock(ride.arrival_at)}</span>
        <span>{nameOf(ride.to_place)}</span>
      </div>
    </>
  )
}

function ChangeNote({ change }: { readonly change: Change }) {
  const time = texts().changeTime(toDuration(change.seconds))
  return <p class={change.isTight ? 'leg-change tight' : 'leg-change small'}>{time}</p>
}

/** The stops between the first and last stops of a ride, with their times. */
function RideCalls({ ride }: { readonly ride: Ride }) {
  const { network } = useStage()
  const between = ride.calls?.slice(1, -1) ?? []
  return (
    <ol class="leg-calls small">
      {between.map((call, at) => {
        const time = call.departure ?? call.arrival
        return (
          <li key={`${call.stop_id} ${at}`}>
            <span class="number">{time === null ? '' : toClock(timeOf(time))}</span>
            <a href={hrefOf(network.id, 'stop', { id: call.stop_id })}>{call.name}</a>
          </li>
        )
      })}
    </ol>
  )
}
