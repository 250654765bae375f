// "Why isn't my tram here?": lists the calls of a line at a stop around the current time, and says for each call why it
// is or is not on the board.

import { useState } from 'preact/hooks'
import { segment } from './api-client.ts'
import type { Explanation, StopDetail } from './contract.ts'
import { sentenceOf } from './explanation-words.ts'
import { toClock } from './formats.ts'
import { Trouble, Waiting } from './parts.tsx'
import { hrefOf } from './place.ts'
import { useAnswer } from './read-hooks.ts'
import { LineSign } from './signs.tsx'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

/** Lets the user choose one of the stop's lines, and shows why each call of that line is or is not on the board. */
export function Missing({ stop }: { readonly stop: StopDetail }) {
  const { atlas } = useStage()
  const { lines } = stop
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<string | undefined>(lines.length === 1 ? lines[0]?.id : undefined)
  const modes = [...new Set(lines.map(({ mode }) => mode))]
  return (
    <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts().whyMissing(modes.length === 1 ? modes[0] : undefined)}</summary>
      {lines.length > 1 && (
        <fieldset class="choices">
          <legend class="small">{texts().chooseItsLine}</legend>
          {lines.map((line) => (
            <button
              key={line.id}
              type="button"
              class="quiet"
              aria-pressed={line.id === chosen}
              aria-label={texts().lineNamed(`${line.code} ${line.name}`)}
              onClick={() => setChosen(line.id)}
            >
              <LineSign line={{ ...atlas.line(line.id), ...line }} />
            </button>
          ))}
        </fieldset>
      )}
      {isOpen && chosen !== undefined && <Reasons stopId={stop.id} lineId={chosen} />}
    </details>
  )
}

function Reasons({ stopId, lineId }: { readonly stopId: string; readonly lineId: string }) {
  const { network } = useStage()
  const path = `/stops/${segment(stopId)}/explanations?line=${encodeURIComponent(lineId)}`
  const { answer, problem } = useAnswer<readonly Explanation[]>(path, 'explanations')
  if (problem !== undefined) return <Trouble of={problem} />
  if (answer === undefined) return <Waiting />
  if (answer.data.length === 0) return <p>{texts().noCallsAround}</p>
  return (
    <ul class="reasons" aria-label={texts().callsOfLine}>
      {answer.data.map((each) => (
        <li key={`${each.trip_id} ${each.stop_id} ${each.scheduled_at}`} class={each.shown ? undefined : 'unshown'}>
          <a class="number" href={hrefOf(network.id, 'trip', { id: each.trip_id })}>
            {toClock(each.scheduled_at)}
          </a>{' '}
          {sentenceOf(each)}
        </li>
      ))}
    </ul>
  )
}
