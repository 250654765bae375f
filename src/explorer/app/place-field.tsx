// An input field for a place. It shows suggestions, which the user chooses with the arrow keys or the pointer.
import { useEffect, useId, useState } from 'preact/hooks'
import { type Refusal, request, toRefusal } from './api-client.ts'
import type { Line, Place } from './contract.ts'
import { toCoordinate } from './map/mercator.ts'
import { refusalSentence } from './refusal-words.ts'
import { matchingLines, wholeWordsFirst } from './search-order.ts'
import { Icon, LineSign } from './signs.tsx'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

const TYPING_MILLIS = 180
const SUGGESTIONS = 8
const LONGEST_QUERY = 120
/** The number of suggestions by which a key moves the selection. */
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** A suggestion for the place field. */
type Option =
  | { readonly kind: 'line'; readonly id: string; readonly line: Line }
  | { readonly kind: 'place'; readonly id: string; readonly place: Place }

function lineOption(line: Line): Option {
  return { kind: 'line', id: line.id, line }
}

interface PlaceFieldProps {
  readonly label: string
  readonly isLabelShown: boolean
  readonly placeholder: string
  /** The text in the field until the user types. */
  readonly text: string
  onChoose(place: Place): void
  /** Called when the user chooses a line. If undefined, no lines are suggested. */
  readonly onChooseLine?: (line: Line) => void
}

/** A labeled place field. */
export function PlaceField(props: PlaceFieldProps) {
  const id = useId()
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const [active, setActive] = useState(0)
  const { options, places, problem, isDone } = useOptions(typed, props.onChooseLine !== undefined)
  useEffect(() => setActive(0), [places])
  const isOpen = typed !== undefined && typed.trim() !== ''
  const choose = (option: Option | undefined) => {
    if (option === undefined) return
    setTyped(undefined)
    if (option.kind === 'line') props.onChooseLine?.(option.line)
    else props.onChoose(option.place)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step !== undefined) setActive((active + step + options.length) % Math.max(1, options.length))
    else if (event.key === 'Enter') choose(options[active])
    else if (event.key === 'Escape') setTyped(undefined)
    else return
    event.preventDefault()
  }
  return (
    <div class="place-field">
      <label for={id} class={props.isLabelShown ? undefined : 'unseen'}>
        {props.label}
      </label>
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        maxLength={LONGEST_QUERY}
        placeholder={props.placeholder}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen && options.length > 0 ? `${id}-${active}` : undefined}
        value={typed ?? props.text}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={() => afterPress(() => setTyped(undefined))}
        onKeyDown={onKey}
      />
      <div class="suggestions" hidden={!isOpen}>
        <OptionList {...{ id, label: props.label, options, active }} onChoose={choose} />
        {options.length === 0 && isDone && (
          <p class="small">
            {problem === undefined ? nothingFound(typed, props.onChooseLine !== undefined) : refusalSentence(problem)}
          </p>
        )}
      </div>
    </div>
  )
}

function OptionList(props: {
  readonly id: string
  readonly label: string
  readonly options: readonly Option[]
  readonly active: number
  onChoose(option: Option): void
}) {
  const { id, options, active, onChoose } = props
  return (
    <div role="listbox" id={`${id}-list`} aria-label={texts().placesFor(props.label)}>
      {options.map((option, at) => (
        <Suggested key={option.id} {...{ id: `${id}-${at}`, option, onChoose }} isActive={at === active} />
      ))}
    </div>
  )
}

/** Returns the suggestions for the typed text: first lines found by code, then places, then lines found by name. */
function useOptions(
  typed: string | undefined,
  isWithLines: boolean,
): Suggestions & { readonly options: readonly Option[] } {
  const { atlas } = useStage()
  const found = useSuggestions(typed)
  const { byCode, byName } = matchingLines(isWithLines ? atlas.state.value.lines : [], typed ?? '')
  const options = [
    ...byCode.map(lineOption),
    ...found.places.map((place): Option => ({ kind: 'place', id: place.id, place })),
    ...(found.isDone ? byName.map(lineOption) : []),
  ]
  return { ...found, options }
}

/**
 * Calls `run` when no mouse button is held down. `run` may hide the text under the field, and the page's buttons below
 * that text then move up. This must not happen while the user clicks one of them.
 */
function afterPress(run: () => void): void {
  if (!document.documentElement.matches(':active')) return run()
  window.addEventListener('mouseup', () => setTimeout(run), { once: true }) // runs after the click event
}

function nothingFound(typed = '', isWithLines: boolean): string {
  return isWithLines ? texts().nothingMatches(typed.trim()) : texts().noPlaceMatches(typed.trim())
}

function Suggested(props: {
  readonly id: string
  readonly option: Option
  readonly isActive: boolean
  onChoose(option: Option): void
}) {
  const { option } = props
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps focus and references the active option.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys.
    <div
      role="option"
      id={props.id}
      aria-selected={props.isActive}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => props.onChoose(option)}
    >
      {option.kind === 'line' ? <SuggestedLine line={option.line} /> : <SuggestedPlace place={option.place} />}
    </div>
  )
}

function SuggestedLine({ line }: { readonly line: Line }) {
  return (
    <>
      <LineSign line={line} hasNameBeside />
      <span class="suggested">
        <span class="cut">{line.name}</span>
        <span class="small cut">{texts().modes[line.mode]}</span>
      </span>
    </>
  )
}

function SuggestedPlace({ place }: { readonly place: Place }) {
  const town = [place.postcode ?? '', place.town === place.name ? '' : place.town].filter((word) => word !== '')
  const below = [texts().placeKinds[place.kind], town.join(' ')].filter((word) => word !== '')
  return (
    <>
      <Icon name={place.kind === 'address' ? 'address' : 'stop'} />
      <span class="suggested">
        <span class="cut">{place.name}</span>
        <span class="small cut">{below.join(' · ')}</span>
      </span>
    </>
  )
}

interface Suggestions {
  readonly places: readonly Place[]
  readonly problem: Refusal | undefined
  /** Whether the search for the typed text has finished. */
  readonly isDone: boolean
}

const NONE_YET: Suggestions = { places: [], problem: undefined, isDone: false }

function useSuggestions(typed: string | undefined): Suggestions {
  const { network, view } = useStage()
  const [found, setFound] = useState<Suggestions>(NONE_YET)
  useEffect(() => {
    const sought = typed?.trim() ?? ''
    if (sought === '') return setFound(NONE_YET)
    const aborter = new AbortController()
    const timer = setTimeout(() => {
      const query = new URLSearchParams({ q: sought, networks: network.id, limit: String(SUGGESTIONS) })
      if (view !== undefined) {
        const [lon, lat] = toCoordinate(view.viewport().center)
        query.set('near', `${lat.toFixed(5)},${lon.toFixed(5)}`)
      }
      request<readonly Place[]>(`/places?${query}`, 'suggestions', { signal: aborter.signal }).then(
        ({ data }) => setFound({ places: wholeWordsFirst(data, sought), problem: undefined, isDone: true }),
        (error: unknown) => {
          if (!aborter.signal.aborted) setFound({ places: [], problem: toRefusal(error), isDone: true })
        },
      )
    }, TYPING_MILLIS)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [typed, network, view])
  return found
}
