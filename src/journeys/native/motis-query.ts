// Converts Quai's queries to queries for MOTIS 2.
//
// Source: openapi.yaml of motis-project/motis, parameters of `/api/v1/plan`. Versions of MOTIS that do not have a
// parameter ignore it.
import { walkSeconds } from '../../../indexes/spatial/walking.ts'
import type { NativePlannerSettings } from '../../networks/network.ts'
import type { EndMessage, JourneyQuestion } from '../planner-messages.ts'

/** Number of journeys to request for each journey to show, since some are dropped or are not in the network. */
const SPARE = 2
/** The path in version 1 of the MOTIS API. A configured address that ends in `/plan` is used as it is. */
const PLAN_PATH = '/api/v1/plan'
/** Number of decimals in coordinates. The sixth decimal is about ten centimeters. */
const COORDINATE_DECIMALS = 6

/**
 * Mode in Quai → the words for this mode that every version of MOTIS supports. Quai's other modes have no such words.
 */
const MODE_WORDS: Readonly<Record<string, readonly string[]>> = {
  tram: ['TRAM'],
  metro: ['SUBWAY'],
  /** MOTIS uses METRO for the rail network of a city and its surroundings. */
  rail: ['RAIL', 'METRO'],
  bus: ['BUS'],
  ferry: ['FERRY'],
  coach: ['COACH'],
  air: ['AIRPLANE'],
}

/** The URL to request from MOTIS for a query. */
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
    // Requests a separate leg for each trip, even if riders stay seated between the trips.
    joinInterlinedLegs: 'false',
  }
  const words = modes === undefined ? undefined : modeWords(modes)
  if (words !== undefined) parameters.transitModes = words
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return address.href
}

/**
 * Writes an end in the form that MOTIS reads. A stop is given by its id if the feed's tag is known. Anything else, such
 * as an area, is given by coordinates.
 */
function placeText({ lat, lon, place }: EndMessage, tag: string | undefined): string {
  if (place?.kind === 'stop' && tag !== undefined) return `${tag}_${place.id}`
  return `${lat.toFixed(COORDINATE_DECIMALS)},${lon.toFixed(COORDINATE_DECIMALS)}`
}

/**
 * The MOTIS words for the given modes. Undefined if a mode has none: all modes are then requested, and the journeys are
 * filtered later.
 */
function modeWords(modes: readonly string[]): string | undefined {
  const words = modes.map((mode) => MODE_WORDS[mode])
  return words.some((word) => word === undefined) ? undefined : words.flat().join(',')
}
