// The first panel for a network: its lines by mode, and links to the journey planner and the alerts.

import { useState } from 'preact/hooks'
import { toNumber } from '../../pages/app/language.ts'
import { useStored } from '../../pages/app/use-stored.ts'
import type { Line, Mode } from './contract.ts'
import { locate, locating } from './near-me.ts'
import { PanelTitle, Trouble, Waiting } from './parts.tsx'
import { hrefOf } from './place.ts'
import { Icon, LineSign } from './signs.tsx'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

/** The order of modes in the list. */
const MODE_ORDER = [
  'rail',
  'metro',
  'tram',
  'monorail',
  'funicular',
  'cable_tram',
  'aerial_lift',
  'ferry',
  'trolleybus',
  'bus',
  'coach',
]
const SHAPES_MORE = 200

/** The panel with a network's lines. */
export function LinesPanel({ alertCount }: { readonly alertCount: number | undefined }) {
  const { atlas, network } = useStage()
  const { lines, isWhole, wanted, problem } = useStored(atlas.state)
  const [sought, setSought] = useState('')
  const isSought = (line: Line) => `${line.code} ${line.name}`.toLowerCase().includes(sought.trim().toLowerCase())
  const modes = [...new Set(lines.map((line) => line.mode))].sort((one, other) => orderOf(one) - orderOf(other))
  return (
    <div class="panel-body">
      <PanelTitle title={network.name} />
      <Doorways alertCount={alertCount} />
      <Trouble of={problem} />
      {lines.length === 0 && problem === undefined && <Waiting />}
      {lines.length > 24 && (
        <input
          type="search"
          class="narrow"
          placeholder={texts().filterLines}
          aria-label={texts().filterLines}
          value={sought}
          onInput={(event) => setSought(event.currentTarget.value)}
        />
      )}
      {modes.map((mode) => (
        <LineList key={mode} mode={mode} lines={lines.filter((line) => line.mode === mode && isSought(line))} />
      ))}
      {wanted < lines.length && (
        <p class="small">
          {texts().linesDrawn(toNumber(wanted), toNumber(lines.length))}{' '}
          <button type="button" class="link" onClick={() => void atlas.drawMore(SHAPES_MORE)}>
            {texts().drawMore(toNumber(Math.min(SHAPES_MORE, lines.length - wanted)))}
          </button>
        </p>
      )}
      {!isWhole && lines.length > 0 && <p class="small">{texts().linesIncomplete}</p>}
    </div>
  )
}

function Doorways({ alertCount }: { readonly alertCount: number | undefined }) {
  const stage = useStage()
  const { network } = stage
  const isLocating = useStored(locating) === 'busy'
  const nearMe = (event: Event) => {
    event.preventDefault()
    locate(stage)
  }
  return (
    <ul class="doorways">
      <li>
        <a href={hrefOf(network.id, 'nearby')} onClick={nearMe} aria-busy={isLocating}>
          <Icon name="locate" />
          {texts().nearMe}
        </a>
      </li>
      {network.capabilities.journeys !== 'none' && (
        <li>
          <a href={hrefOf(network.id, 'journey')}>
            <Icon name="journey" />
            {texts().planJourney}
          </a>
        </li>
      )}
      {network.capabilities.alerts && (
        <li>
          <a href={hrefOf(network.id, 'alerts')}>
            <Icon name="alert" />
            {texts().alerts}
            {alertCount !== undefined && alertCount > 0 && <span class="count">{alertCount}</span>}
          </a>
        </li>
      )}
    </ul>
  )
}

function LineList(props: { readonly mode: Mode; readonly lines: readonly Line[] }) {
  const { network } = useStage()
  if (props.lines.length === 0) return null
  return (
    <section aria-label={texts().modes[props.mode]}>
      <h2 class="over">{texts().modes[props.mode]}</h2>
      <ul class="lines">
        {props.lines.map((line) => (
          <li key={line.id}>
            <a href={hrefOf(network.id, 'line', { id: line.id })}>
              <LineSign line={line} hasNameBeside />
              <span class="cut">{line.name}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function orderOf(mode: string): number {
  const index = MODE_ORDER.indexOf(mode)
  return index < 0 ? MODE_ORDER.length : index
}
