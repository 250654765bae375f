// Journeys as JSON: sections with their places, fares and emissions.
import type { Fares } from '../../indexes/fares/fares.ts'
import { decimalsOf } from '../../indexes/fares/money.ts'
import { metersAlong } from '../../indexes/live/trip-paths.ts'
import type { Walks } from '../../indexes/streets/walks.ts'
import { MODES } from '../../indexes/timetable/modes.ts'
import type { StopIndex } from '../../indexes/timetable/timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import { gramsOfRide, roundGrams } from './emissions.ts'
import type { JourneyEnd } from './journey.ts'
import { changesOf, endAt, type Journey, type RideSection, ridesOf, slackOf, type WalkSection } from './journey.ts'
import { type JourneyExtras, rideExtras, walkExtras } from './journey-extras.ts'
import { journeyRef } from './journey-id.ts'
import { degrees } from './line-geometry.ts'
import { directionId, rideLine } from './line-text.ts'
import { areaId, stopId } from './public-ids.ts'
import { boardingOf, scheduledArrivalOf } from './ride-calls.ts'
import type { SnapshotRows } from './snapshot-view.ts'

/** The network's data and settings with which its journeys are rendered. */
export interface JourneyContext {
  readonly view: SnapshotRows
  readonly fares: Fares
  /** The network's own emission figures by mode, in grams of CO2 equivalent per passenger-kilometer. */
  readonly gramsPerKm: Readonly<Partial<Record<string, number>>>
  /** A transfer with less spare time than this is marked as tight. */
  readonly tightSeconds: number
  /** The walks, which determine `walk_source`; undefined if the network has no streets. */
  readonly walks?: Walks | undefined
}

/** A journey as JSON. */
export function journeyText(context: JourneyContext, journey: Journey, extras: JourneyExtras): string {
  const { view } = context
  const { sections, departs, arrives, transfers } = journey
  const walks = sections.filter((section) => section.kind === 'walk')
  const sum = (of: (walk: WalkSection) => number) => walks.reduce((total, walk) => total + of(walk), 0)
  return JSON.stringify({
    id: `${view.slug}:journey:${extras.ref ?? journeyRef(view.timetable, journey)}`,
    departure_at: view.localTime.text(departs),
    arrival_at: view.localTime.text(arrives),
    duration_seconds: arrives - departs,
    transfers,
    ...slackText(context, journey),
    walking_seconds: sum((walk) => walk.arrives - walk.departs),
    walking_meters: sum(({ meters }) => meters),
    fare: fareOf(context, journey),
    co2_grams: gramsOf(context, journey),
    source: view.slug,
    realtime: ridesOf(sections).some(({ isRealtime }) => isRealtime),
    sections: sections.map((section) =>
      section.kind === 'walk' ? walkOf(context, section, extras) : rideOf(view, section, extras),
    ),
  })
}

/** The least spare time of a journey's transfers, and whether any transfer with live times is tight. */
function slackText({ tightSeconds }: JourneyContext, journey: Journey) {
  const slack = slackOf(journey)
  const isAtRisk = changesOf(journey.sections).some(({ slackSeconds, isLive }) => isLive && slackSeconds < tightSeconds)
  return { slack_seconds: slack === Infinity ? null : slack, at_risk: isAtRisk }
}

function walkOf({ view, walks }: JourneyContext, walk: WalkSection, extras: JourneyExtras) {
  const { from, to, departs, arrives, meters } = walk
  return {
    kind: 'walk',
    ...timesOf(view, departs, arrives),
    realtime: false,
    distance_meters: meters,
    from_place: placeOf(view, from),
    to_place: placeOf(view, to),
    ...walkExtras(extras, walk, walks),
  }
}

function rideOf(view: SnapshotRows, section: RideSection, extras: JourneyExtras) {
  const { timetable, localTime } = view
  const boarding = boardingOf(timetable, section)
  const { line, direction, headsign, stops, departs, arrives, isRealtime, staysSeated, tripRef } = section
  const stopPlace = (stop: StopIndex) => placeOf(view, endAt(view.timetable, { kind: 'stop', stop }))
  return {
    kind: 'transit',
    ...timesOf(view, departs, arrives),
    realtime: isRealtime,
    line: rideLine(view, line),
    headsign,
    direction_id: directionId(view, direction),
    stop_ids: stops.map((stop) => stopId(view, stop)),
    trip_id: `${view.slug}:trip:${tripRef}`,
    from_place: stopPlace(stops[0]),
    to_place: stopPlace(stops[stops.length - 1]),
    scheduled_departure_at: localTime.text(boarding.scheduledSeconds),
    scheduled_arrival_at: localTime.text(scheduledArrivalOf(timetable, section)),
    delay_seconds: boarding.delaySeconds ?? null,
    status: boarding.status,
    platform: textOf(timetable.strings, timetable.stops.platformCode[stops[0]]),
    vehicle_id: vehicleId(view, section),
    ...(staysSeated ? { stay_seated: true } : {}),
    ...rideExtras(view, extras, section),
  }
}

/** The public id of a ride's vehicle; null if no feed identifies the vehicle. */
function vehicleId({ slug }: SnapshotRows, { calls }: RideSection): string | null {
  if (calls.kind === 'scheduled') return null
  const { instances, strings, calls: all } = calls.overlay
  const vehicle = textOf(strings, instances.vehicle[all.instance[calls.calls[0]]])
  return vehicle === '' ? null : `${slug}:vehicle:${vehicle}`
}

function timesOf({ localTime }: SnapshotRows, departs: number, arrives: number) {
  return {
    departure_at: localTime.text(departs),
    arrival_at: localTime.text(arrives),
    duration_seconds: arrives - departs,
  }
}

function placeOf(view: SnapshotRows, { lat, lon, place, label }: JourneyEnd) {
  const point = { lat: degrees(lat), lon: degrees(lon) }
  const { stops, areas, strings } = view.timetable
  if (place === undefined) return { kind: 'address', ...point, label: label ?? `${point.lat},${point.lon}` }
  return place.kind === 'stop'
    ? { kind: 'stop', ...point, stop_id: stopId(view, place.stop), name: textOf(strings, stops.name[place.stop]) }
    : { kind: 'area', ...point, stop_id: areaId(view, place.area), name: textOf(strings, areas.name[place.area]) }
}

/** The fare for a journey; null if the feed has no fare for it, or if it is only a walk. */
function fareOf({ view, fares }: JourneyContext, { sections }: Journey) {
  const fare = fares.cheapest(ridesOf(sections))
  if (fare === undefined) return null
  const { amount, currency } = fare
  return { amount, currency, text: moneyText(amount, currency, view.timetable.meta.language) }
}

const formats = new Map<string, Intl.NumberFormat>()

/**
 * An amount of money in the format of a language, with ordinary spaces: `2,10 €`.
 * @param amount in the currency's smallest unit
 */
export function moneyText(amount: number, currency: string, language: string): string {
  const decimals = decimalsOf(currency)
  const format = formats.getOrInsertComputed(`${language} ${currency}`, () => {
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
    return new Intl.NumberFormat(knownLanguage(language), { style: 'currency', currency, ...digits })
  })
  return format.format(amount / 10 ** decimals).replace(/[\u00a0\u202f]/g, ' ')
}

/**
 * A feed's language as a BCP 47 tag, such as `fr-FR` for `fr_FR`, which some feeds contain; `en` if the language is
 * invalid.
 */
function knownLanguage(language: string): string {
  try {
    return Intl.getCanonicalLocales(language.replace('_', '-'))[0] ?? 'en'
  } catch (error) {
    if (error instanceof RangeError) return 'en'
    throw error
  }
}

function gramsOf({ view, gramsPerKm }: JourneyContext, { sections }: Journey): number {
  const grams = ridesOf(sections).map(({ line, way }) => {
    const mode = MODES[view.timetable.lines.mode[line]] ?? 'other'
    const { path, from, to } = way()
    return gramsOfRide(mode, metersAlong(path, from, to), gramsPerKm)
  })
  return roundGrams(grams.reduce((sum, each) => sum + each, 0))
}
