// Journey alternatives: times, duration, changes, walking, and a bar of their legs in proportion.
import type { Journey, Section, SectionPlace } from './contract.ts'
import { toClock, toDistance, toDuration } from './formats.ts'
import { hrefOf } from './place.ts'
import { Icon, LineLink, signColors } from './signs.tsx'
import { useStage } from './stage.ts'

/** Legs shorter than this share of the journey show no line code. */
const SIGNED_SHARE = 0.09

/** One alternative, labeled with what it is best at. */
export function JourneyCard(props: {
  readonly journey: Journey
  readonly all: readonly Journey[]
  readonly isChosen: boolean
  onChoose(): void
}) {
  const { journey } = props
  const merits = meritsOf(journey, props.all)
  return (
    <li>
      <button type="button" class="journey" aria-pressed={props.isChosen} onClick={props.onChoose}>
        <span class="journey-times">
          <strong>
            {toClock(journey.departure_at)} – {toClock(journey.arrival_at)}
          </strong>
          <span class="number">{toDuration(journey.duration_seconds)}</span>
        </span>
        <span class="strip" aria-hidden="true">
          {journey.sections.map((section) => (
            <Leg
              key={section.departure_at + section.kind}
              section={section}
              share={section.duration_seconds / Math.max(1, journey.duration_seconds)}
            />
          ))}
        </span>
        <span class="small">
          {journey.transfers === 0 ? 'direct' : journey.transfers === 1 ? '1 change' : `${journey.transfers} changes`}
          {` · ${toDistance(journey.walking_meters)} walk`}
          {journey.fare !== null && ` · ${journey.fare.text}`}
          {` · ${Math.round(journey.co2_grams)} g CO₂`}
        </span>
        {merits.length > 0 && <span class="merits small">{merits.join(', ')}</span>}
      </button>
    </li>
  )
}

function Leg({ section, share }: { readonly section: Section; readonly share: number }) {
  const style = { flexGrow: Math.max(0.02, share) }
  if (section.kind === 'walk') return <span class="leg walk" style={style} />
  return (
    <span class="leg" style={{ ...style, ...signColors(section.line) }}>
      {share >= SIGNED_SHARE && section.line.code}
    </span>
  )
}

/** The criteria by which no other alternative is better, unless all are equal. */
function meritsOf(journey: Journey, all: readonly Journey[]): string[] {
  const merits: readonly (readonly [string, (each: Journey) => number])[] = [
    ['earliest arrival', (each) => Date.parse(each.arrival_at)],
    ['shortest', (each) => each.duration_seconds],
    ['fewest changes', (each) => each.transfers],
    ['least walking', (each) => each.walking_meters],
  ]
  return merits
    .filter(([, measure]) => {
      const measures = all.map(measure)
      const least = Math.min(...measures)
      return measure(journey) === least && measures.some((other) => other > least)
    })
    .map(([merit]) => merit)
}

/** The chosen journey, leg by leg. */
export function JourneyDetail({ journey }: { readonly journey: Journey }) {
  return (
    <ol class="legs" aria-label="Journey, leg by leg">
      {journey.sections.map((section) => (
        <li key={section.departure_at + section.kind}>
          {section.kind === 'walk' ? <WalkLeg section={section} /> : <RideLeg section={section} />}
        </li>
      ))}
      <li class="small">Arrival {toClock(journey.arrival_at)}</li>
    </ol>
  )
}

function WalkLeg({ section }: { readonly section: Section & { kind: 'walk' } }) {
  return (
    <>
      <span class="number">{toClock(section.departure_at)}</span>
      <Icon name="walk" />
      <span>
        {toDistance(section.distance_meters)} to {nameOf(section.to_place)}
        <span class="small"> {toDuration(section.duration_seconds)}</span>
      </span>
    </>
  )
}

function RideLeg({ section }: { readonly section: Section & { kind: 'transit' } }) {
  const { line } = section
  const { network } = useStage()
  const stopCount = section.stop_ids.length - 1
  return (
    <>
      <span class="number">{toClock(section.departure_at)}</span>
      <LineLink line={line} />
      <span>
        {nameOf(section.from_place)} to {nameOf(section.to_place)}
        <span class="small">
          {' '}
          towards {section.headsign}, {stopCount === 1 ? '1 stop' : `${stopCount} stops`},{' '}
          {toDuration(section.duration_seconds)}
          {section.realtime && ', live'} <a href={hrefOf(network.id, 'trip', { id: section.trip_id })}>All stops</a>
        </span>
      </span>
    </>
  )
}

function nameOf(place: SectionPlace): string {
  return place.kind === 'address' ? place.label : place.name
}
