// A place field with suggestions, chosen by arrow keys or pointer.
import { useEffect, useId, useState } from 'preact/hooks'
import { ask, type Refusal, toRefusal } from './api-client.ts'
import type { Place } from './contract.ts'
import { toWords } from './formats.ts'
import { toCoordinate } from './map/mercator.ts'
import { useStage } from './stage.ts'

const TYPING_MILLIS = 180
const SUGGESTIONS = 8
const LONGEST_QUERY = 120
/** How many suggestions a key moves by. */
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** A labeled place field. `text` is shown until the user types. */
export function PlaceField(props: {
  readonly label: string
  readonly isLabelShown: boolean
  readonly placeholder: string
  readonly text: string
  onChoose(place: Place): void
}) {
  const id = useId()
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const [active, setActive] = useState(0)
  const { places, problem, isDone } = useSuggestions(typed)
  useEffect(() => setActive(0), [places])
  const isOpen = typed !== undefined && typed.trim() !== ''
  const choose = (place: Place | undefined) => {
    if (place === undefined) return
    setTyped(undefined)
    props.onChoose(place)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step !== undefined) setActive((active + step + places.length) % Math.max(1, places.length))
    else if (event.key === 'Enter') choose(places[active])
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
        aria-activedescendant={isOpen && places.length > 0 ? `${id}-${active}` : undefined}
        value={typed ?? props.text}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={() => setTyped(undefined)}
        onKeyDown={onKey}
      />
      <div class="suggestions" hidden={!isOpen}>
        <div role="listbox" id={`${id}-list`} aria-label={`Places for ${props.label}`}>
          {places.map((place, at) => (
            <PlaceOption key={place.id} {...{ id: `${id}-${at}`, place }} isActive={at === active} onChoose={choose} />
          ))}
        </div>
        {places.length === 0 && isDone && <p class="small">{problem?.message ?? nothingFound(typed)}</p>}
      </div>
    </div>
  )
}

function nothingFound(typed = ''): string {
  return `No stop or address matches “${typed.trim()}”.`
}

function PlaceOption(props: {
  readonly id: string
  readonly place: Place
  readonly isActive: boolean
  onChoose(place: Place): void
}) {
  const { place } = props
  const beside = [place.kind === 'area' ? 'Stop' : toWords(place.kind), place.kind === 'address' ? '' : place.town]
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps focus and references the active option.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys.
    <div
      role="option"
      id={props.id}
      aria-selected={props.isActive}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => props.onChoose(place)}
    >
      <span class="cut">{place.kind === 'address' ? place.label : place.name}</span>
      <span class="small">{beside.filter((word) => word !== '').join(' · ')}</span>
    </div>
  )
}

interface Suggestions {
  readonly places: readonly Place[]
  readonly problem: Refusal | undefined
  /** Whether the search is done. */
  readonly isDone: boolean
}

const NONE_YET: Suggestions = { places: [], problem: undefined, isDone: false }

function useSuggestions(typed: string | undefined): Suggestions {
  const { network, view } = useStage()
  const [found, setFound] = useState<Suggestions>(NONE_YET)
  useEffect(() => {
    const sought = typed?.trim() ?? ''
    if (sought === '') return setFound(NONE_YET)
    const asking = new AbortController()
    const timer = setTimeout(() => {
      const query = new URLSearchParams({ q: sought, networks: network.id, limit: String(SUGGESTIONS) })
      if (view !== undefined) {
        const [lon, lat] = toCoordinate(view.viewport().center)
        query.set('near', `${lat.toFixed(5)},${lon.toFixed(5)}`)
      }
      ask<readonly Place[]>(`/places?${query}`, 'Search suggestions', { signal: asking.signal }).then(
        ({ data }) => setFound({ places: data, problem: undefined, isDone: true }),
        (error: unknown) => {
          if (!asking.signal.aborted) setFound({ places: [], problem: toRefusal(error), isDone: true })
        },
      )
    }, TYPING_MILLIS)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [typed, network, view])
  return found
}
