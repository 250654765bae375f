// Parses a question to the board explainer: a network, a stop by id or name, and optionally a line, a trip and a time.
// If a value is not found, the returned fault lists suggestions.
import { findArea, stopsOfArea } from '../../indexes/timetable/areas.ts'
import type { BoardQuery } from '../../indexes/timetable/boards.ts'
import { findLine, lineCode } from '../../indexes/timetable/lines.ts'
import { searchStops } from '../../indexes/timetable/stop-search.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import type { LineIndex, StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import { PARAMETERS } from '../contract/parameters.ts'
import { ROUTES } from '../contract/routes.ts'
import type { Snapshot } from '../networks/network.ts'
import { parsePublicId } from '../rendering/public-ids.ts'
import { placeAt } from '../rendering/snapshot-view.ts'
import { LocalTime } from '../rendering/timestamps.ts'
import type { OperatorSources } from './operator-sources.ts'

/** The form fields as submitted; a field left blank is empty. */
export interface ExplainForm {
  readonly network: string
  readonly stop: string
  readonly line: string
  readonly trip: string
  readonly at: string
  readonly horizon: string
  readonly limit: string
}
export const FORM_FIELDS = ['network', 'stop', 'line', 'trip', 'at', 'horizon', 'limit'] as const

/** A suggested replacement for a value that was not found. */
export interface Suggestion {
  readonly id: string
  readonly name: string
}

/** A field with an invalid value. */
export interface FieldFault {
  readonly field: keyof ExplainForm
  readonly sentence: string
  readonly suggestions: readonly Suggestion[]
}

/** The stop or area whose board is explained. */
export interface RequestedPlace {
  readonly kind: 'stop' | 'area'
  /** The id in the API. */
  readonly id: string
  readonly name: string
  readonly stops: readonly StopIndex[]
}

/** A parsed question. */
export interface ExplainQuestion {
  readonly network: string
  readonly snapshot: Snapshot
  readonly localTime: LocalTime
  /** The stop or area whose board is explained; undefined if the question is only about a trip. */
  readonly place: RequestedPlace | undefined
  readonly line: { readonly index: LineIndex; readonly id: string; readonly code: string } | undefined
  /** The trip id as typed; empty if the question is not about one trip. */
  readonly trip: string
  /** Unix time in whole seconds, as in the API. */
  readonly atSeconds: number
  readonly horizonMinutes: number
  readonly limit: number
}

const SUGGESTIONS = 12
const SHORTEST_HORIZON_MINUTES = PARAMETERS.horizon.min
const LONGEST_HORIZON_MINUTES = PARAMETERS.horizon.max
const { limit: LIMIT_RULE } = ROUTES.stopDepartures.parameters

/** Parses a form, or returns its first fault. */
export function readQuestion(sources: OperatorSources, form: ExplainForm): ExplainQuestion | FieldFault {
  const snapshot = sources.networks.find(form.network)?.served?.loaded.snapshot
  if (snapshot === undefined) return networkFault(sources, form.network)
  const { timetable } = snapshot
  const localTime = new LocalTime(timetable.meta.timezone)
  const atSeconds = readMoment(form.at, timetable.meta.timezone, sources.clock.nowMillis())
  if (atSeconds === undefined) {
    return fault(
      'at',
      'The time must look like 2026-11-21T08:00, optionally followed by Z or an offset such as +01:00.',
    )
  }
  const horizonMinutes = readInteger(form.horizon, PARAMETERS.horizon)
  if (horizonMinutes === undefined) {
    return fault(
      'horizon',
      `The window must be between ${SHORTEST_HORIZON_MINUTES} and ${LONGEST_HORIZON_MINUTES} minutes.`,
    )
  }
  const limit = readInteger(form.limit, LIMIT_RULE)
  if (limit === undefined)
    return fault('limit', `The number of rows must be between ${LIMIT_RULE.min} and ${LIMIT_RULE.max}.`)
  const named = { network: form.network, timetable }
  const line = form.line === '' ? undefined : readLine(named, form.line)
  if (line !== undefined && 'field' in line) return line
  if (form.stop === '' && form.trip === '') return fault('stop', 'Enter a stop or a trip.')
  const place = form.stop === '' ? undefined : readPlace(named, form.stop)
  if (place !== undefined && 'field' in place) return place
  const { network, trip } = form
  return { network, snapshot, localTime, place, line, trip: trip.trim(), atSeconds, horizonMinutes, limit }
}

function fault(field: keyof ExplainForm, sentence: string, suggestions: readonly Suggestion[] = []): FieldFault {
  return { field, sentence, suggestions }
}

function networkFault(sources: OperatorSources, network: string): FieldFault {
  const isConfigured = sources.configured().some(({ id }) => id === network)
  const sentence = isConfigured
    ? 'This network has no snapshot, so it has no boards.'
    : 'No network with this id is configured.'
  return fault(
    'network',
    sentence,
    sources.configured().map(({ id, name }) => ({ id, name })),
  )
}

const LOCAL_MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{1,2}:\d{2}(?::\d{2})?))?$/
/**
 * Accepted times are from EARLIEST_SECONDS until just before LATEST_SECONDS. The calculations with days are exact in
 * this range.
 */
const EARLIEST_SECONDS = Date.UTC(1970, 0, 2) / 1000
const LATEST_SECONDS = Date.UTC(2200, 0, 1) / 1000

/**
 * Parses a typed time to Unix seconds; undefined if invalid. A fraction of a second is rounded up, as in the API. An
 * empty string means the current second.
 */
function readMoment(typed: string, zone: string, nowMillis: number): number | undefined {
  const text = typed.trim()
  if (text === '' || text === 'now') return Math.floor(nowMillis / 1000)
  const seconds = secondsOf(text, zone)
  return seconds !== undefined && seconds >= EARLIEST_SECONDS && seconds < LATEST_SECONDS ? seconds : undefined
}

function secondsOf(text: string, zone: string): number | undefined {
  try {
    const [, date, time = '00:00'] = LOCAL_MOMENT.exec(text) ?? []
    if (date === undefined) return Math.ceil(Temporal.Instant.from(text).epochMilliseconds / 1000)
    const plain = Temporal.PlainDateTime.from(`${date}T${time.padStart(5, '0')}`)
    return Math.ceil(plain.toZonedDateTime(zone).epochMilliseconds / 1000)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readInteger(
  typed: string,
  rule: { readonly min: number; readonly max: number; readonly default: number },
): number | undefined {
  const text = typed.trim()
  if (text === '') return rule.default
  const value = Number(text)
  return Number.isInteger(value) && value >= rule.min && value <= rule.max ? value : undefined
}

interface NamedTimetable {
  readonly network: string
  readonly timetable: Timetable
}

/** Converts a typed id to an id in the feed. If the typed id is an API id, removes the network and the kind from it. */
function localPart({ network }: NamedTimetable, typed: string, kinds: readonly string[]): string {
  const parsed = parsePublicId(typed)
  return parsed?.network === network && kinds.includes(parsed.kind) ? parsed.local : typed
}

/** Finds a line by its id, or by its code if no other line has the code. */
function readLine(named: NamedTimetable, typed: string): NonNullable<ExplainQuestion['line']> | FieldFault {
  const { timetable } = named
  const { lines, strings } = timetable
  const text = typed.trim()
  const known = findLine(timetable, localPart(named, text, ['line']))
  const all = Array.from({ length: lines.id.length }, (_, line) => line as LineIndex)
  const codeOf = (line: LineIndex) => lineCode(timetable, line)
  const ofCode = all.filter((line) => codeOf(line).toLowerCase() === text.toLowerCase())
  const line = known ?? (ofCode.length === 1 ? ofCode[0] : undefined)
  if (line !== undefined) return { index: line, id: textOf(strings, lines.id[line]), code: codeOf(line) }
  const meant = ofCode.length > 0 ? ofCode : all
  const sentence = ofCode.length > 0 ? 'Several lines have this code.' : 'No line in this network has this id or code.'
  return fault(
    'line',
    sentence,
    meant.slice(0, SUGGESTIONS).map((each) => ({
      id: textOf(strings, lines.id[each]),
      name: `${textOf(strings, lines.code[each])} ${textOf(strings, lines.name[each])}`.trim(),
    })),
  )
}

/** Finds a stop or area by its id, or by its name if no other stop or area matches the name. */
function readPlace(named: NamedTimetable, typed: string): RequestedPlace | FieldFault {
  const { timetable } = named
  const text = typed.trim()
  const byId = findPlace(named, text)
  if (byId !== undefined) return byId
  const hits = searchStops(timetable, text).slice(0, SUGGESTIONS)
  const places = hits.map(({ number }) => placeOfNumber(named, number))
  const [only, ...others] = places
  if (only !== undefined && others.length === 0) return only
  const sentence =
    places.length > 0 ? 'Several stops match this name.' : 'No stop in this network matches this id or name.'
  return fault(
    'stop',
    sentence,
    places.map(({ id, name }) => ({ id, name })),
  )
}

function findPlace(named: NamedTimetable, text: string): RequestedPlace | undefined {
  const { timetable } = named
  const isArea = parsePublicId(text)?.kind === 'area'
  const local = localPart(named, text, ['stop', 'area'])
  const stop = isArea ? undefined : findStop(timetable, local)
  if (stop !== undefined) return placeOfNumber(named, stop)
  const area = findArea(timetable, local)
  if (area !== undefined) return placeOfNumber(named, timetable.stops.id.length + area)
  return findPart(named, local)
}

/**
 * Finds the stop or station to which an entrance or a boarding area belongs. @param local the feed's id for the
 * entrance or boarding area
 */
function findPart(named: NamedTimetable, local: string): RequestedPlace | undefined {
  const { stationParts, stops, strings } = named.timetable
  for (let part = 0; part < stationParts.id.length; part++) {
    if (textOf(strings, stationParts.id[part]) !== local) continue
    const stop = stationParts.stop[part]
    const isOfStop = stop < stops.id.length
    return placeOfNumber(named, isOfStop ? stop : stops.id.length + stationParts.area[part])
  }
  return undefined
}

/** The place for a stop or area. @param number a stop's index, or the number of stops plus an area's index */
function placeOfNumber({ network, timetable }: NamedTimetable, number: number): RequestedPlace {
  const { stops, areas, strings } = timetable
  const place = placeAt(timetable, number)
  if (place.kind === 'stop') {
    const { stop } = place
    const id = `${network}:stop:${textOf(strings, stops.id[stop])}`
    return { kind: 'stop', id, name: textOf(strings, stops.name[stop]), stops: [stop] }
  }
  const { area } = place
  const id = `${network}:area:${textOf(strings, areas.id[area])}`
  return { kind: 'area', id, name: textOf(strings, areas.name[area]), stops: stopsOfArea(timetable, area) }
}

/** The query for the board: the same query that the API would make for these values. */
export function boardQueryOf({ place, line, atSeconds, horizonMinutes, limit }: ExplainQuestion): BoardQuery {
  return {
    stops: place?.stops ?? [],
    fromSeconds: atSeconds,
    toSeconds: atSeconds + horizonMinutes * 60,
    lines: line === undefined ? undefined : new Set([line.index]),
    directionId: undefined,
    limit,
  }
}
