// State that the panels share: the map, and the chosen network's lines, vehicles and stops.
import { createContext } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { useStored } from '../../pages/app/use-stored.ts'
import type { Refusal } from './api-client.ts'
import { Atlas } from './atlas.ts'
import type { Network } from './contract.ts'
import { apiKey } from './key.ts'
import type { MapView } from './map/map-view.ts'
import { readPlace } from './place.ts'
import { reconnections } from './reach.ts'
import { useAnswer } from './read-hooks.ts'
import { StopCells } from './stop-cells.ts'
import { VehicleFeed } from './vehicle-feed.ts'

/** The chosen network and its map. There is no map if the browser does not support WebGL. */
export interface Stage {
  readonly network: Network
  readonly atlas: Atlas
  readonly view: MapView | undefined
  readonly feed: VehicleFeed | undefined
  readonly cells: StopCells | undefined
}

/**
 * Interval at which the list of networks is requested while it is empty. It is empty while the service imports its
 * first timetable.
 */
const IMPORT_SECONDS = 5
/** Number of lines that are drawn before the map moves to the network. */
const LINES_TO_FIT = 12

const StageContext = createContext<Stage | undefined>(undefined)

/** Provides the stage (the chosen network and its map) to the panels. */
export const StageProvider = StageContext.Provider

/** Returns the stage. Throws if no network is chosen. */
export function useStage(): Stage {
  const stage = useContext(StageContext)
  if (stage === undefined) throw new Error('no network has been chosen')
  return stage
}

/** Loads the list of networks. Loads it again when the API key changes, and repeatedly while it is empty. */
export function useNetworks(): {
  readonly networks: readonly Network[] | undefined
  readonly problem: Refusal | undefined
} {
  const key = useStored(apiKey)
  const [everySeconds, setSeconds] = useState<number | undefined>(undefined)
  const path = key === undefined ? undefined : '/networks'
  const { answer, problem } = useAnswer<readonly Network[]>(path, 'networks', everySeconds)
  useEffect(() => setSeconds(answer?.data.length === 0 ? IMPORT_SECONDS : undefined), [answer])
  return { networks: answer?.data, problem }
}

/** The members of a stage that exist only if there is a map. */
interface Drawn {
  readonly atlas: Atlas
  readonly view: MapView
  readonly feed: VehicleFeed
  readonly cells: StopCells
}

/**
 * Creates the stage for a network, and disposes of it when another network is chosen. The lines are loaded without
 * waiting for the map.
 */
export function useStageOf(network: Network | undefined, view: MapView | undefined): Stage | undefined {
  const atlas = useAtlas(network)
  const [drawn, setDrawn] = useState<Drawn | undefined>(undefined)
  useEffect(() => {
    if (atlas === undefined || view === undefined) return setDrawn(undefined)
    const feed = new VehicleFeed(atlas, view)
    const cells = new StopCells(atlas.network, view)
    cells.onLabels = (labels) => {
      view.stopLabels = labels
      view.repaint()
    }
    drawShapes(atlas, view)
    setDrawn({ atlas, view, feed, cells })
    return () => {
      atlas.onShapes = () => undefined
      feed.close()
      cells.close()
      clearMap(view)
    }
  }, [atlas, view])
  return useMemo(() => {
    if (atlas === undefined || atlas.network !== network) return undefined
    const { view, feed, cells } = drawn?.atlas === atlas ? drawn : NO_MAP
    return { network, atlas, view, feed, cells }
  }, [network, atlas, drawn])
}

const NO_MAP = { view: undefined, feed: undefined, cells: undefined }

function useAtlas(network: Network | undefined): Atlas | undefined {
  const [atlas, setAtlas] = useState<Atlas | undefined>(undefined)
  useEffect(() => {
    if (network === undefined) return setAtlas(undefined)
    const made = new Atlas(network)
    setAtlas(made)
    void made.load()
    const unfollow = reconnections.follow(() => {
      if (made.state.value.problem !== undefined) void made.load()
    })
    return () => {
      unfollow()
      made.close()
    }
  }, [network])
  return atlas
}

/** Draws the lines' shapes while they load, at most a few times a second, and fits the map to them. */
function drawShapes(atlas: Atlas, view: MapView): void {
  let isDue = false
  let turns = 0
  const draw = () => {
    isDue = false
    const { drawn, wanted } = atlas.state.value
    const isWhole = drawn >= wanted
    view.giveLines(atlas.features(view.isDark), isWhole)
    const bounds = atlas.bounds()
    // The map is fitted to the lines twice: when the first lines are drawn, and when all lines are drawn.
    if (bounds === undefined || turns >= 2 || !(isWhole || (turns === 0 && drawn >= LINES_TO_FIT))) return
    turns = isWhole ? 2 : 1
    if (readPlace().room === 'lines') view.fit(bounds)
  }
  const drawSoon = () => {
    if (isDue) return
    isDue = true
    setTimeout(draw, 200)
  }
  atlas.onShapes = drawSoon
  view.onGround = drawSoon
  // Draws the shapes that were loaded before the map was ready.
  if (atlas.bounds() !== undefined) draw()
}

function clearMap(view: MapView): void {
  for (const source of ['lines', 'stops', 'line-stops', 'legs', 'marks'] as const) view.give(source, [])
  view.stopLabels = []
  view.lineLabels = []
  view.onGround = () => undefined
  view.repaint()
}
