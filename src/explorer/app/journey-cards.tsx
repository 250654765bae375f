// The cards of the alternative journeys. Each card shows times, duration, transfers, walking, and a bar with the legs
// in proportion to their durations. The card of the chosen alternative also lists its legs.
import type { Journey, Section } from './contract.ts'
import { toClock, toDistance, toDuration, toEmissions, toMoney } from './formats.ts'
import type { Merit } from './journey-merits.ts'
import { JourneyLegs } from './journey-steps.tsx'
import { stringColors } from './map/colors.ts'
import { Icon, signColors } from './signs.tsx'
import { texts } from './texts/texts.ts'

/** A leg that takes less than this fraction of the journey's duration has no room in the bar for its line code. */
const SIGNED_SHARE = 0.09

/**
 * The card of one alternative. If the alternative is best at something, such as the fewest transfers, the card has a
 * label that says so.
 */
export function JourneyCard(props: {
  readonly journey: Journey
  readonly merit: Merit | undefined
  readonly isChosen: boolean
  readonly isStepFree: boolean
  onChoose(): void
}) {
  const { journey, merit, isChosen } = props
  return (
    <li class="journey">
      <button type="button" aria-expanded={isChosen} onClick={props.onChoose}>
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
          {factsOf(journey).join(' · ')}
          {props.isStepFree && (
            <>
              {' · '}
              <span class="fact">
                <Icon name="access" />
                {texts().stepFree}
              </span>
            </>
          )}
        </span>
        {merit !== undefined && <span class="merits small">{texts().merits[merit]}</span>}
        {journey.at_risk && <span class="tight small">{texts().tightChange}</span>}
      </button>
      {isChosen && <JourneyLegs journey={journey} />}
    </li>
  )
}

function factsOf({ transfers, walking_meters, fare, co2_grams }: Journey): readonly string[] {
  return [
    transfers === 0 ? texts().direct : texts().changeCount(transfers),
    texts().walk(toDistance(walking_meters)),
    ...(fare === null ? [] : [toMoney(fare.amount, fare.currency)]),
    toEmissions(co2_grams),
  ]
}

function Leg({ section, share }: { readonly section: Section; readonly share: number }) {
  const style = { flexGrow: Math.max(0.02, share) }
  if (section.kind === 'walk') return <span class="leg walk" style={style} />
  const { line } = section
  if (share < SIGNED_SHARE) return <span class="leg bare" style={{ ...style, ...stringColors(line.color) }} />
  return (
    <span class="leg" style={{ ...style, ...signColors(line) }}>
      {line.code}
    </span>
  )
}
