// The departures at a stop, for all modes or one mode, with the age of the data and with the alerts that affect the
// departures.

import { useState } from 'preact/hooks'
import { segment, serviceNow } from './api-client.ts'
import type { Alert, Answer, CompactLine, Departure, Mode, Source } from './contract.ts'
import { disturbs, isDisturbance, reasonOf, useNetworkAlerts } from './disturbances.ts'
import { isSoon, toAge, toClock, toDelay, untilDeparture } from './formats.ts'
import { isOff, Leaves } from './leaves.tsx'
import { Trouble, Waiting } from './parts.tsx'
import { hrefOf } from './place.ts'
import { useLive, useTick } from './read-hooks.ts'
import { Icon, LineSign } from './signs.tsx'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

const BOARD_SECONDS = 10
const BOARD_ROWS = 20
/**
 * Number of departures to request. It is larger than the number of rows, because some departures have another mode than
 * the chosen one, and because a row also shows later departures with the same line and headsign.
 */
const REQUESTED_ROWS = 50
const BOARD_MINUTES = 120
/** Maximum number of later departures with the same line and headsign that one row of the board shows. */
const LATER_SHOWN = 2

/** The departure board of a stop. @param lines the lines that serve the stop; empty until they are loaded */
export function Board({ stopId, lines }: { readonly stopId: string; readonly lines: readonly CompactLine[] }) {
  const { network } = useStage()
  const [mode, setMode] = useState<Mode | undefined>(undefined)
  const modes = [...new Set(lines.map((line) => line.mode))]
  useTick(5)
  const query = `limit=${REQUESTED_ROWS}&horizon=${BOARD_MINUTES}`
  const path = `/stops/${segment(stopId)}/departures`
  const { answer, problem } = useLive<readonly Departure[]>(
    {
      stream: `${path}/stream?interval=${BOARD_SECONDS}&${query}`,
      polled: `${path}?${query}`,
      hasStreams: network.capabilities.streams,
      seconds: BOARD_SECONDS,
    },
    'departures',
  )
  const now = serviceNow()
  const alerts = useNetworkAlerts().filter(isDisturbance)
  const shown = (answer?.data ?? []).filter((each) => mode === undefined || each.mode === mode)
  return (
    <section class="board" aria-label={texts().departures}>
      <div class="section-head">
        <h2 class="over">{texts().departures}</h2>
        <Freshness sources={answer?.meta.sources ?? []} />
      </div>
      {modes.length > 1 && <ModeChoice modes={modes} chosen={mode} onChoose={setMode} />}
      <Trouble of={problem} isMild={answer !== undefined} />
      {answer === undefined && problem === undefined && <Waiting />}
      {answer !== undefined && shown.length === 0 && <p class="small">{emptyText(answer, mode)}</p>}
      <ol class="departures">
        {shown.slice(0, BOARD_ROWS).map((departure, at) => (
          <DepartureRow
            key={`${departure.trip_id} ${departure.stop_id} ${departure.scheduled_at}`}
            departure={departure}
            later={laterOf(shown, at)}
            disturbance={alerts.find((alert) =>
              disturbs(alert, { lineId: departure.line_id, isOff: isOff(departure) }),
            )}
            now={now}
          />
        ))}
      </ol>
    </section>
  )
}

/** Buttons that choose which departures are shown: one button for all modes, and one for each mode. */
function ModeChoice(props: {
  readonly modes: readonly Mode[]
  readonly chosen: Mode | undefined
  onChoose(mode: Mode | undefined): void
}) {
  return (
    <fieldset class="sides" aria-label={texts().modesShown}>
      {[undefined, ...props.modes].map((mode) => (
        <button
          key={mode ?? ''}
          type="button"
          aria-pressed={mode === props.chosen}
          onClick={() => props.onChoose(mode)}
        >
          {mode === undefined ? texts().allModes : texts().modes[mode]}
        </button>
      ))}
    </fieldset>
  )
}

/** The message that explains why the board is empty. */
function emptyText({ data, meta }: Answer<readonly Departure[]>, mode: Mode | undefined): string {
  if (data.length > 0 && mode !== undefined) return texts().noDeparturesOf(mode)
  const reasons: Readonly<Record<string, string>> = texts().noDeparturesFor
  return reasons[meta.reason ?? ''] ?? texts().noDepartures
}

/**
 * The later departures with the same line and headsign as the departure at index `at`; empty if an earlier departure
 * also has this line and headsign.
 */
function laterOf(departures: readonly Departure[], at: number): readonly Departure[] {
  const first = departures[at]
  if (first === undefined) return []
  const isSame = (each: Departure) => each.line_id === first.line_id && each.headsign === first.headsign
  if (departures.slice(0, at).some(isSame)) return []
  return departures
    .slice(at + 1)
    .filter((each) => isSame(each) && !isOff(each))
    .slice(0, LATER_SHOWN)
}

function DepartureRow(props: {
  readonly departure: Departure
  readonly later: readonly Departure[]
  readonly disturbance: Alert | undefined
  readonly now: number
}) {
  const { departure, disturbance, now } = props
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
            {/* The scheduled time. If the departure is on time but not soon, the end of the row shows it instead. */}
            {(isSoon(at, now) || isCanceled || at !== departure.scheduled_at) && `${toClock(departure.scheduled_at)} `}
            {departure.platform !== '' && texts().platform(departure.platform)}
            {delay !== undefined && !isCanceled && (
              <>
                {' '}
                <strong class={(departure.delay_seconds ?? 0) > 0 ? 'late' : 'early'}>{delay}</strong>
              </>
            )}
            {disturbance !== undefined && (
              <span class="disturbance" title={disturbance.title}>
                {' '}
                <Icon name="alert" />
                {reasonOf(disturbance)}
              </span>
            )}
          </span>
        </span>
        <span class="leaving">
          <Leaves departure={departure} now={now} />
          {props.later.length > 0 && (
            <span class="small">
              {texts().thenAt(props.later.map((each) => untilDeparture(each.expected_at ?? each.scheduled_at, now)))}
            </span>
          )}
        </span>
      </a>
    </li>
  )
}

/** The age of the live data, or a note that the board has no live data. */
function Freshness({ sources }: { readonly sources: readonly Source[] }) {
  const live = sources.filter(({ freshness }) => freshness !== 'scheduled')
  return (
    <ul class="badges">
      {(live.length > 0 ? live : sources).map((source) => (
        <li key={source.id} class={`badge ${source.freshness}`} title={source.id}>
          {texts().freshness[source.freshness]}
          {source.freshness === 'scheduled' ? '' : `, ${texts().updatedAgo(toAge(source.age_seconds))}`}
        </li>
      ))}
    </ul>
  )
}
