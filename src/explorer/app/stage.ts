// What is on stage: the map, and of the chosen network its lines, its vehicles and its stops.
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { ask, messageOf } from './api-client.ts'
import { Atlas } from './atlas.ts'
import type { Network } from './contract.ts'
import { apiKey } from './key.ts'
import type { MapView } from './map/map-view.ts'
import { StopCells } from './stop-cells.ts'
import { useStored } from './stored.ts'
import { VehicleFeed } from './vehicle-feed.ts'

/** The chosen network on the stage. Without WebGL there is no map, and nothing moves. */
export interface Stage {
  readonly network: Network
  readonly atlas: Atlas
  readonly view: MapView | undefined
  readonly feed: VehicleFeed | undefined
  readonly cells: StopCells | undefined
}

/** So many lines are drawn before the map turns to the network. */
const LINES_TO_FIT = 12

const StageContext = createContext<Stage | undefined>(undefined)

/** Gives the stage to what is on it. */
export const StageProvider = StageContext.Provider

/** The stage; only where a network is chosen. */
export function useStage(): Stage {
  const stage = useContext(StageContext)
  if (stage === undefined) throw new Error('there is a stage where a network is chosen')
  return stage
}

/** Reads the networks, anew with another key. */
export function useNetworks(): {
  readonly networks: readonly Network[] | undefined
  readonly problem: string | undefined
} {
  const key = useStored(apiKey)
  const [networks, setNetworks] = useState<readonly Network[] | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  useEffect(() => {
    if (key === undefined) return setNetworks(undefined)
    const asking = new AbortController()
    setProblem(undefined)
    ask<readonly Network[]>('/networks', 'The networks', { signal: asking.signal }).then(
      ({ data }) => setNetworks(data),
      (error: unknown) => {
        if (!asking.signal.aborted) setProblem(messageOf(error))
      },
    )
    return () => asking.abort()
  }, [key])
  return { networks, problem }
}

/** Sets the stage for a network, and clears it for the next. */
export function useStageOf(network: Network | undefined, view: MapView | undefined): Stage | undefined {
  const [stage, setStage] = useState<Stage | undefined>(undefined)
  useEffect(() => {
    if (network === undefined) return setStage(undefined)
    const atlas = new Atlas(network)
    const feed = view === undefined ? undefined : new VehicleFeed(atlas, view)
    const cells = view === undefined ? undefined : new StopCells(network, view)
    if (view !== undefined) drawShapes(atlas, view)
    if (cells !== undefined && view !== undefined) {
      cells.onLabels = (labels) => {
        view.stopLabels = labels
        view.repaint()
      }
    }
    void atlas.load()
    setStage({ network, atlas, view, feed, cells })
    return () => {
      atlas.close()
      feed?.close()
      cells?.close()
      if (view !== undefined) clearMap(view)
    }
  }, [network, view])
  return stage?.network === network ? stage : undefined
}

/** Draws shapes as they come in, a few times a second at most, and turns to them once there are some. */
function drawShapes(atlas: Atlas, view: MapView): void {
  let isDue = false
  let turns = 0
  const draw = () => {
    isDue = false
    view.give('lines', atlas.features(view.isDark))
    const { drawn, wanted } = atlas.state.value
    const bounds = atlas.bounds()
    const isWhole = drawn >= wanted
    // Once when there is something to see, and once more when all of it is there.
    if (bounds === undefined || turns >= 2 || !(isWhole || (turns === 0 && drawn >= LINES_TO_FIT))) return
    turns = isWhole ? 2 : 1
    if (view.mayTurn) view.fit(bounds)
  }
  const drawSoon = () => {
    if (isDue) return
    isDue = true
    setTimeout(draw, 200)
  }
  atlas.onShapes = drawSoon
  view.onGround = drawSoon
}

function clearMap(view: MapView): void {
  for (const source of ['lines', 'stops', 'line-stops', 'legs', 'marks'] as const) view.give(source, [])
  view.stopLabels = []
  view.lineLabels = []
  view.onGround = () => undefined
  view.repaint()
}
