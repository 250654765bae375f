// The root component: the map, the panel and the request drawer.

import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { language } from '../../pages/app/language.ts'
import { LanguageSwitch } from '../../pages/app/language-switch.tsx'
import { Notice } from '../../pages/app/notice.tsx'
import { Mark } from '../../pages/app/signs.tsx'
import { Stored } from '../../pages/app/stored.ts'
import { useStored } from '../../pages/app/use-stored.ts'
import { AlertsPanel, networkAlertsPath } from './alerts-panel.tsx'
import { keyRefusal, request, segment } from './api-client.ts'
import { Badges, LiveTrouble, useHealth } from './badges.tsx'
import type { Alert, Network, Vehicle } from './contract.ts'
import { AlertsProvider } from './disturbances.ts'
import { JourneyPanel } from './journey-panel.tsx'
import { apiKey, forgetKey, offeredKey } from './key.ts'
import { KeyDoor, OfferedKey } from './key-door.tsx'
import { Legend } from './legend.tsx'
import { LinePanel } from './line-panel.tsx'
import { LinesPanel } from './lines-panel.tsx'
import type { MapView, Pressed } from './map/map-view.ts'
import { MapControls, ScaleBar } from './map-controls.tsx'
import { NearbyPanel } from './nearby-panel.tsx'
import { OUTLINE_URL, WORKER_URL } from './page-addresses.ts'
import { Trouble, Waiting } from './parts.tsx'
import { hrefOf, keptCamera, open, type Place, replace, usePlace } from './place.ts'
import { isReachable } from './reach.ts'
import { useAnswer } from './read-hooks.ts'
import { RequestDrawer } from './request-drawer.tsx'
import { Search } from './search.tsx'
import { lowerSheet, SheetHandle, sheetHeight } from './sheet.tsx'
import { Icon } from './signs.tsx'
import { type Stage, StageProvider, useNetworks, useStageOf } from './stage.ts'
import { StopPanel } from './stop-panel.tsx'
import { texts } from './texts/texts.ts'
import { TripPanel } from './trip-panel.tsx'

/** The map is loaded after this time even if the lines have not arrived. */
const LONGEST_WAIT_MILLIS = 3_000
const NO_ALERTS: readonly Alert[] = []

/** The explorer. */
export function App() {
  const key = useStored(apiKey)
  const refusal = useStored(keyRefusal)
  const place = usePlace()
  const [view, setView] = useState<MapView | undefined>(undefined)
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const { networks, problem } = useNetworks()
  const network = networks?.find((each) => each.id === place.network)
  const stage = useStageOf(network, view)
  const height = useStored(sheetHeight)
  const offered = useStored(offeredKey)
  useStored(language)
  useEffect(() => {
    const first = networks?.[0]
    if (first !== undefined && network === undefined) replace(hrefOf(first.id))
  }, [networks, network])
  useEffect(() => view?.setDrawer(isDrawerOpen), [view, isDrawerOpen])
  const isShut = key === undefined || refusal !== undefined
  return (
    <div class={isDrawerOpen ? 'explorer with-drawer' : 'explorer'} data-sheet={isShut ? 'half' : height}>
      <MapStage onView={setView} place={place} stage={stage} isShut={isShut} />
      <main class="panel">
        <SheetHandle />
        <PanelTop network={network} networks={networks ?? []}>
          {!isShut && <HeadButtons isDrawerOpen={isDrawerOpen} onDrawer={() => setDrawerOpen(!isDrawerOpen)} />}
        </PanelTop>
        <Unreachable />
        {offered !== undefined ? (
          <OfferedKey offered={offered} />
        ) : isShut ? (
          <KeyDoor />
        ) : problem !== undefined ? (
          <Trouble of={problem} />
        ) : stage === undefined ? (
          networks?.length === 0 ? (
            <p role="status">{texts().noNetworks}</p>
          ) : (
            <Waiting />
          )
        ) : (
          <StageProvider value={stage}>
            <Panel place={place} stage={stage} />
          </StageProvider>
        )}
      </main>
      {isDrawerOpen && <RequestDrawer onClose={() => setDrawerOpen(false)} />}
    </div>
  )
}

/** The language switch, and the button that opens the request drawer. */
function HeadButtons(props: { readonly isDrawerOpen: boolean; onDrawer(): void }) {
  return (
    <>
      <LanguageSwitch isShort />
      <button type="button" class="quiet" onClick={props.onDrawer} aria-expanded={props.isDrawerOpen}>
        <Icon name="requests" />
        {texts().requests}
      </button>
    </>
  )
}

/** A notice that the API can't be reached. It appears on every screen. */
function Unreachable() {
  if (useStored(isReachable)) return null
  return (
    <Notice kind="warning">
      {navigator.onLine ? texts().serviceUnreachable : texts().offline} {texts().reconnecting}
    </Notice>
  )
}

function PanelTop(props: {
  readonly network: Network | undefined
  readonly networks: readonly Network[]
  readonly children: ComponentChildren
}) {
  const hasChoice = props.networks.length > 1
  return (
    <header class="panel-top">
      <span class="brand">
        <Mark />
        {/* The name is hidden if the menu of networks needs its space. */}
        <span class={hasChoice ? 'unseen' : undefined}>Quai</span>
      </span>
      {hasChoice && (
        <select
          aria-label={texts().network}
          value={props.network?.id ?? ''}
          onChange={(event) => open(hrefOf(event.currentTarget.value))}
        >
          {props.networks.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </select>
      )}
      {props.children}
    </header>
  )
}

function Panel({ place, stage }: { readonly place: Place; readonly stage: Stage }) {
  const { network } = stage
  const alerts = useAnswer<readonly Alert[]>(
    network.capabilities.alerts ? networkAlertsPath(network.id) : undefined,
    'alerts',
    120,
  )
  const health = useHealth()
  const onMap = useStored(stage.view?.credit ?? NO_CREDIT)
  return (
    <AlertsProvider value={alerts.answer?.data ?? NO_ALERTS}>
      <Search />
      <LiveTrouble health={health} />
      {place.room === 'lines' && <LinesPanel alertCount={alerts.answer?.data.length} />}
      {place.room === 'line' && <LinePanel key={place.id} id={place.id} />}
      {place.room === 'stop' && <StopPanel key={place.id} id={place.id} />}
      {place.room === 'trip' && <TripPanel key={place.id} id={place.id} />}
      {place.room === 'alerts' && <AlertsPanel />}
      {place.room === 'nearby' && <NearbyPanel query={place.query} />}
      {place.room === 'journey' && <JourneyPanel query={place.query} />}
      <footer class="panel-foot">
        <Badges health={health} />
        <p class="small">{alerts.answer?.meta.attribution?.filter((line) => !onMap.includes(line)).join(' · ')}</p>
        <div class="foot-row">
          <button type="button" class="link small" onClick={forgetKey}>
            {texts().removeKey}
          </button>
        </div>
      </footer>
    </AlertsProvider>
  )
}

function MapStage(props: {
  readonly place: Place
  readonly stage: Stage | undefined
  /** Whether the form for an API key is shown instead of the panels. */
  readonly isShut: boolean
  onView(view: MapView): void
}) {
  const frame = useRef<HTMLDivElement>(null)
  const container = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [hasFailed, setFailed] = useState(false)
  const [view, setView] = useState<MapView | undefined>(undefined)
  const isDue = useIsMapDue(props.stage, props.isShut)
  useEffect(() => {
    if (!isDue) return
    const [around, ground, above] = [frame.current, container.current, canvas.current]
    if (around === null || ground === null || above === null) return
    loadMap(around, ground, above).then(
      (made) => {
        setView(made)
        props.onView(made)
      },
      (error: unknown) => {
        console.warn(error)
        setFailed(true)
      },
    )
  }, [isDue])
  const { place, stage } = props
  // This is a layout effect so that it runs before the effects of the panels, which may move the map.
  useLayoutEffect(() => {
    view?.begin(keptCamera())
    const bounds = place.room === 'lines' ? stage?.atlas.bounds() : undefined
    if (bounds !== undefined) view?.fit(bounds)
  }, [view, place])
  useEffect(() => {
    if (view === undefined || stage === undefined) return
    return view.onPress((pressed) => openPressed(stage, pressed))
  }, [view, stage])
  return (
    <section class="map" aria-label={texts().map} ref={frame} onFocusIn={lowerSheet}>
      <div class="map-ground" ref={container} />
      <canvas class="map-above" ref={canvas} />
      {stage?.feed !== undefined && <Legend stage={stage} />}
      <Credit view={view} />
      {view !== undefined && <MapControls view={view} stage={stage} />}
      {view !== undefined && <ScaleBar view={view} />}
      {hasFailed && (
        <div class="map-problem">
          <Notice kind="warning">{texts().noWebGl}</Notice>
        </div>
      )}
    </section>
  )
}

/**
 * Whether to load the map now. The map's code is larger than all other code together, so the lines in the panel are
 * loaded first.
 */
function useIsMapDue(stage: Stage | undefined, isShut: boolean): boolean {
  const [isDue, setDue] = useState(false)
  useEffect(() => {
    if (isDue) return
    if (isShut) return setDue(true)
    const timer = setTimeout(() => setDue(true), LONGEST_WAIT_MILLIS)
    const look = () => {
      const state = stage?.atlas.state.value
      if (state !== undefined && (state.lines.length > 0 || state.problem !== undefined)) setDue(true)
    }
    look()
    const unfollow = stage?.atlas.state.follow(look)
    return () => {
      clearTimeout(timer)
      unfollow?.()
    }
  }, [isDue, stage, isShut])
  return isDue
}

/** Loads the map's code, and then shows the map. */
async function loadMap(frame: HTMLElement, ground: HTMLElement, canvas: HTMLCanvasElement): Promise<MapView> {
  // These files are requested at the same time as the map's code. If a request fails, the code that needs the file
  // requests it again and reports the failure.
  for (const url of [WORKER_URL, OUTLINE_URL]) void fetch(url).catch(() => undefined)
  const { MapView } = await import('./map/map-view.ts')
  return new MapView(frame, ground, canvas)
}

const NO_CREDIT = new Stored('')

function Credit({ view }: { readonly view: MapView | undefined }) {
  const credit = useStored(view?.credit ?? NO_CREDIT)
  return credit === '' ? null : <p class="credit">{credit}</p>
}

function openPressed(stage: Stage, pressed: Pressed): boolean {
  const network = stage.network.id
  if (pressed.kind === 'ground') return false
  if (pressed.kind === 'vehicle') void openVehicle(stage, pressed)
  else open(hrefOf(network, pressed.kind, { id: pressed.id }))
  return true
}

/**
 * Opens a vehicle's trip, or its line if the vehicle has no trip. For vehicles near a point, the API returns no trips.
 * To find the trip of such a vehicle, the page requests the vehicles on its line.
 */
async function openVehicle({ network, view }: Stage, { id, lineId }: Pressed & { kind: 'vehicle' }): Promise<void> {
  const known = view?.vehicles.find(id)
  const before = location.hash
  let tripId = known !== undefined && 'trip_id' in known ? known.trip_id : undefined
  if (tripId === undefined) {
    const path = `/lines/${segment(lineId)}/vehicles`
    const answer = await request<readonly Vehicle[]>(path, 'vehicleTrip').catch(() => undefined)
    tripId = answer?.data.find((vehicle) => vehicle.id === id)?.trip_id
  }
  // The user may have opened something else while the vehicles were being requested.
  if (location.hash !== before) return
  open(tripId == null ? hrefOf(network.id, 'line', { id: lineId }) : hrefOf(network.id, 'trip', { id: tripId }))
}
