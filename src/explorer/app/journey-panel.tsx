// The journey planner. The user chooses the origin and destination by search or on the map. The panel then lists
// the alternatives, with the details of the chosen alternative.

import { useEffect } from 'preact/hooks'
import { segment } from './api-client.ts'
import type { Place, Stop } from './contract.ts'
import { Journeys } from './journey-list.tsx'
import { offsetAt, When } from './journey-time.tsx'
import type { MapFeature } from './map/map-feature.ts'
import { PanelHead } from './parts.tsx'
import { hrefOf, open } from './place.ts'
import { PlaceField } from './place-field.tsx'
import { useAnswer } from './read-hooks.ts'
import { pointOf } from './search.tsx'
import { Icon } from './signs.tsx'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

const ALTERNATIVES = 5
const POINT = /^-?\d+(\.\d+)?,-?\d+(\.\d+)?$/

/** The journey panel. Its whole state is in the page's URL. */
export function JourneyPanel({ query }: { readonly query: URLSearchParams }) {
  const { network, view } = useStage()
  const wish = ['from', 'to', 'at', 'by', 'access', 'changes'].map((name) => query.get(name) ?? '')
  const [from, to, at, by, access, changes] = wish
  const change = (change: Readonly<Record<string, string>>) => {
    const next = new URLSearchParams(
      Object.entries({ from, to, at, by, access, changes, ...change }).filter(([, text]) => text !== ''),
    )
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
  const hasBothEnds = from !== '' && to !== ''
  const path = journeysPath(network, { from, to, at, by, access, changes })
  return (
    <>
      <PanelHead title={texts().journey} back={hrefOf(network.id)} />
      <div class="panel-body">
        <div class="ends">
          <PointField name="from" label={texts().from} point={from} onChange={change} />
          <PointField name="to" label={texts().toField} point={to} onChange={change} />
          <button type="button" class="quiet swap" onClick={() => change({ from: to, to: from })}>
            <Icon name="swap" />
            <span class="unseen">{texts().swapEnds}</span>
          </button>
        </div>
        <div class="wishes">
          <When at={at} by={by} timeZone={network.timezone} onChange={change} />
          <MostChanges most={changes} onChange={change} />
          <label class="check">
            <input
              type="checkbox"
              checked={access !== ''}
              onChange={(event) => change({ access: event.currentTarget.checked ? '1' : '' })}
            />
            {texts().stepFreeOnly}
          </label>
        </div>
        {hasBothEnds ? (
          <Journeys key={path} path={path} isArriveBy={by === 'arrive' && at !== ''} isStepFree={access !== ''} />
        ) : (
          <p class="small">{texts().chooseEnds}</p>
        )}
      </div>
    </>
  )
}

interface Wish {
  readonly from: string
  readonly to: string
  /** Date and time from the input field; empty if the journey departs now. */
  readonly at: string
  readonly by: string
  /** `1` if the journey must be step-free; otherwise empty. */
  readonly access: string
  /** Maximum number of transfers, as a string; empty if there is no maximum. */
  readonly changes: string
}

/** The field for the maximum number of transfers. */
function MostChanges(props: { readonly most: string; onChange(changes: Readonly<Record<string, string>>): void }) {
  return (
    <select
      class="changes"
      aria-label={texts().changes}
      value={props.most}
      onChange={(event) => props.onChange({ changes: event.currentTarget.value })}
    >
      <option value="">{texts().anyChanges}</option>
      {Object.entries(texts().mostChanges).map(([most, words]) => (
        <option key={most} value={most}>
          {words}
        </option>
      ))}
    </select>
  )
}

function journeysPath(
  network: { readonly id: string; readonly timezone: string },
  { from, to, at, by, access, changes }: Wish,
): string {
  const options = { limit: String(ALTERNATIVES), include: 'geometry,calls' }
  const query = new URLSearchParams({ network: network.id, from, to, ...options })
  if (at !== '') query.set('when', `${at.slice(0, 16)}:00${offsetAt(at, network.timezone)}`)
  if (by === 'arrive' && at !== '') query.set('arrive_by', 'true')
  if (access !== '') query.set('wheelchair', 'true')
  if (changes !== '') query.set('max_transfers', changes)
  return `/journeys?${query}`
}

function PointField(props: {
  readonly name: 'from' | 'to'
  readonly label: string
  readonly point: string
  onChange(changes: Readonly<Record<string, string>>): void
}) {
  const { name, point } = props
  const isPlace = POINT.test(point)
  const reverse = useAnswer<{ address: Place | null }>(isPlace ? `/places/reverse?near=${point}` : undefined, 'address')
  const stop = useAnswer<Stop>(!isPlace && point !== '' ? `/stops/${segment(point)}` : undefined, 'stop')
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
      placeholder={texts().pointHint}
      text={text}
      onChoose={(place) => props.onChange({ [name]: pointOf(place) })}
    />
  )
}

function markFeature(kind: string, at: string): MapFeature {
  return { type: 'Feature', properties: { kind }, geometry: { type: 'Point', coordinates: at.split(',').map(Number) } }
}
