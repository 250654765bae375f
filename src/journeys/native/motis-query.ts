// A question of ours as MOTIS 2 is asked it.
//
// Source: openapi.yaml of motis-project/motis, parameters of `/api/v1/plan`. Versions that do not know a parameter pass
// over it.
import { walkSeconds } from '../../../indexes/spatial/walking.ts'
import type { NativePlannerSettings } from '../../networks/network.ts'
import type { EndMessage, JourneyQuestion } from '../planner-messages.ts'

/** Journeys asked for, for one that is shown: some are thinned out, some are not of the network. */
const SPARE = 2
/** The first version of the path; an address that ends in `/plan` names its own. */
const PLAN_PATH = '/api/v1/plan'
/** Some ten centimeters. */
const COORDINATE_DECIMALS = 6

/** Our modes in the words that every version of MOTIS has for all of them; there are none for the others. */
const MODE_WORDS: Readonly<Record<string, readonly string[]>> = {
  tram: ['TRAM'],
  metro: ['SUBWAY'],
  /** To MOTIS, METRO is rail of a city and its surroundings. */
  rail: ['RAIL', 'METRO'],
  bus: ['BUS'],
  ferry: ['FERRY'],
  coach: ['COACH'],
  air: ['AIRPLANE'],
}

/** The address to get. */
export function motisAddress({ url, tag }: NativePlannerSettings, question: JourneyQuestion): string {
  const address = new URL(url)
  const { pathname } = address
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  address.pathname = path.endsWith('/plan') ? path : path + PLAN_PATH
  const { from, to, seconds, isArriveBy, modes, maxWalkMeters, limit } = question
  const walk = String(walkSeconds(maxWalkMeters))
  const parameters: Record<string, string> = {
    fromPlace: placeText(from, tag),
    toPlace: placeText(to, tag),
    time: `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`,
    arriveBy: String(isArriveBy),
    numItineraries: String(limit * SPARE),
    directModes: 'WALK',
    preTransitModes: 'WALK',
    postTransitModes: 'WALK',
    maxPreTransitTime: walk,
    maxPostTransitTime: walk,
    maxDirectTime: walk,
    // Each trip is a section of its own.
    joinInterlinedLegs: 'false',
  }
  const words = modes === undefined ? undefined : modeWords(modes)
  if (words !== undefined) parameters.transitModes = words
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return address.href
}

/** A stop by its id where its tag is known; all else by its coordinates, since areas may be of our own making. */
function placeText({ lat, lon, place }: EndMessage, tag: string | undefined): string {
  if (place?.kind === 'stop' && tag !== undefined) return `${tag}_${place.id}`
  return `${lat.toFixed(COORDINATE_DECIMALS)},${lon.toFixed(COORDINATE_DECIMALS)}`
}

/** Undefined where some mode has no word: all are asked for then, and sorted out afterwards. */
function modeWords(modes: readonly string[]): string | undefined {
  const words = modes.map((mode) => MODE_WORDS[mode])
  return words.some((word) => word === undefined) ? undefined : words.flat().join(',')
}
