// The journey planner: origin and destination by search or on the map, the alternatives, and the chosen one in detail.

import { useEffect, useState } from 'preact/hooks'
import { segment } from './api-client.ts'
import { useAnswer } from './asking.ts'
import type { Journey, Place, Stop } from './contract.ts'
import { JourneyCard, JourneyDetail } from './journey-cards.tsx'
import { boundsOfLegs, legsOf } from './journey-legs.ts'
import type { MapFeature } from './map/map-view.ts'
import { PanelHead, Trouble, Waiting } from './parts.tsx'
import { hrefOf, open } from './place.ts'
import { PlaceField } from './place-field.tsx'
import { pointOf } from './search.tsx'
import { Icon } from './signs.tsx'
import { useStage } from './stage.ts'

const ALTERNATIVES = 5
const POINT = /^-?\d+(\.\d+)?,-?\d+(\.\d+)?$/

/** The journey panel. Its whole state is in the address. */
export function JourneyPanel({ query }: { readonly query: URLSearchParams }) {
  const { network, view } = useStage()
  const [from, to, at, by] = ['from', 'to', 'at', 'by'].map((name) => query.get(name) ?? '')
  const change = (changes: Readonly<Record<string, string>>) => {
    const next = new URLSearchParams(Object.entries({ from, to, at, by, ...changes }).filter(([, text]) => text !== ''))
    open(hrefOf(network.id, 'journey', { query: next.toString() }))
  }
  useEffect(() => {
    if (view === undefined) return
    return view.onPress((pressed, { lon, lat }) => {
      const point = pressed.kind === 'stop' ? pressed.id : `${lat.toFixed(5)},${lon.toFixed(5)}`
      change(from === '' ? { from: point } : { to: point })
      return true
    })
  })
  const isAsked = from !== '' && to !== ''
  return (
    <>
      <PanelHead title="Journey" back={hrefOf(network.id)} />
      <div class="panel-body">
        <div class="ends">
          <PointField name="from" label="From" point={from} onChange={change} />
          <PointField name="to" label="To" point={to} onChange={change} />
          <button type="button" class="quiet swap" onClick={() => change({ from: to, to: from })}>
            <Icon name="swap" />
            <span class="unseen">Swap origin and destination</span>
          </button>
        </div>
        <When at={at} by={by} onChange={change} />
        {isAsked ? (
          <Journeys path={journeysPath(network, { from, to, at, by })} />
        ) : (
          <p class="small">Search for a place, or click one on the map.</p>
        )}
      </div>
    </>
  )
}

interface Wish {
  readonly from: string
  readonly to: string
  /** Date and time from the field; empty for now. */
  readonly at: string
  readonly by: string
}

function journeysPath(network: { readonly id: string; readonly timezone: string }, { from, to, at, by }: Wish): string {
  const options = { limit: String(ALTERNATIVES), include: 'geometry' }
  const query = new URLSearchParams({ network: network.id, from, to, ...options })
  if (at !== '') query.set('when', `${at.slice(0, 16)}:00${offsetAt(at, network.timezone)}`)
  if (by === 'arrive' && at !== '') query.set('arrive_by', 'true')
  return `/journeys?${query}`
}

/** A zone's UTC offset at a local time, as "+01:00". Near a daylight-saving change, it can be the offset before or after. */
function offsetAt(wallTime: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const name = format
    .formatToParts(new Date(`${wallTime.slice(0, 16)}:00Z`))
    .find(({ type }) => type === 'timeZoneName')?.value
  const offset = name?.replace('GMT', '') ?? ''
  return offset === '' ? '+00:00' : offset
}

function PointField(props: {
  readonly name: 'from' | 'to'
  readonly label: string
  readonly point: string
  onChange(changes: Readonly<Record<string, string>>): void
}) {
  const { name, point } = props
  const isPlace = POINT.test(point)
  const reverse = useAnswer<{ address: Place | null }>(
    isPlace ? `/places/reverse?near=${point}` : undefined,
    'Address of the place',
  )
  const stop = useAnswer<Stop>(!isPlace && point !== '' ? `/stops/${segment(point)}` : undefined, 'Stop')
  const { view } = useStage()
  const at = isPlace
    ? point.split(',').map(Number).reverse()
    : stop.answer && [stop.answer.data.lon, stop.answer.data.lat]
  const mark = at === undefined ? undefined : at.join(',')
  useEffect(() => {
    view?.mark(name, mark === undefined ? undefined : markFeature(name, mark))
    return () => view?.mark(name, undefined)
  }, [view, name, mark])
  const text = isPlace ? (reverse.answer?.data.address?.label ?? point) : (stop.answer?.data.name ?? point)
  return (
    <PlaceField
      label={props.label}
      isLabelShown
      placeholder="Stop, address, or click the map"
      text={text}
      onChoose={(place) => props.onChange({ [name]: pointOf(place) })}
    />
  )
}

function markFeature(kind: string, at: string): MapFeature {
  return { type: 'Feature', properties: { kind }, geometry: { type: 'Point', coordinates: at.split(',').map(Number) } }
}

function When(props: {
  readonly at: string
  readonly by: string
  onChange(changes: Readonly<Record<string, string>>): void
}) {
  const kind = props.at === '' ? 'now' : props.by === 'arrive' ? 'arrive' : 'depart'
  const choose = (next: string) => {
    if (next === 'now') props.onChange({ at: '', by: '' })
    else props.onChange({ at: props.at === '' ? localNow() : props.at, by: next })
  }
  return (
    <div class="when">
      <select aria-label="When" value={kind} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="now">Leave now</option>
        <option value="depart">Leave at</option>
        <option value="arrive">Arrive by</option>
      </select>
      {kind !== 'now' && (
        <input
          type="datetime-local"
          aria-label="Date and time"
          value={props.at}
          onChange={(event) => {
            if (event.currentTarget.value !== '') props.onChange({ at: event.currentTarget.value })
          }}
        />
      )}
    </div>
  )
}

function localNow(): string {
  const now = new Date()
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function Journeys({ path }: { readonly path: string }) {
  const { view, atlas } = useStage()
  const { answer, problem } = useAnswer<readonly Journey[]>(path, 'Journeys')
  const [chosenId, setChosenId] = useState<string | undefined>(undefined)
  const journeys = answer?.data ?? []
  const chosen = journeys.find((each) => each.id === chosenId) ?? journeys[0]
  useEffect(() => {
    if (view === undefined || chosen === undefined) return
    let isGone = false
    void legsOf(chosen, atlas, view.isDark).then((legs) => {
      if (isGone) return
      const lineIds = chosen.sections.flatMap((section) => (section.kind === 'transit' ? [section.line.id] : []))
      view.giveLegs(legs, ({ line_id }) => lineIds.includes(line_id))
      const bounds = boundsOfLegs(legs)
      if (bounds !== undefined) view.fit(bounds, 16)
    })
    return () => {
      isGone = true
      view.giveLegs([])
    }
  }, [view, atlas, chosen])
  if (problem !== undefined) return <Trouble of={problem} />
  if (answer === undefined) return <Waiting what="journeys" />
  if (chosen === undefined) return <p>No journeys found between these places at this time.</p>
  return (
    <>
      <ul class="journeys" aria-label="Alternatives">
        {journeys.map((journey) => (
          <JourneyCard
            key={journey.id}
            journey={journey}
            all={journeys}
            isChosen={journey === chosen}
            onChoose={() => setChosenId(journey.id)}
          />
        ))}
      </ul>
      <JourneyDetail journey={chosen} />
    </>
  )
}
