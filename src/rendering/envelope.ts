// Writes the envelope of an answer: `data` as rendered, and `meta` in the interface's order of members.
import { utcText } from './timestamps.ts'

/** The members of `meta`; those left out do not appear. */
export interface Meta {
  /** Service time, in milliseconds after 1970. */
  readonly nowMillis: number
  readonly units: number
  /** Slug. */
  readonly network?: string
  readonly freshness?: 'scheduled' | 'realtime'
  readonly count?: number
  readonly limit?: number
  /** Meters walked. */
  readonly maxWalk?: number
  readonly nextCursor?: string | null
  /** JSON. */
  readonly attribution?: string
  /** JSON. */
  readonly sources?: string
  /** Why `data` is empty. */
  readonly reason?: string
  /** JSON. */
  readonly nearestStops?: string
}

let generatedSeconds = Number.NaN
let generatedText = ''

/** `generated_at`, written once a second. */
function generatedAt(nowMillis: number): string {
  const seconds = Math.floor(nowMillis / 1000)
  if (seconds !== generatedSeconds) {
    generatedSeconds = seconds
    generatedText = utcText(nowMillis)
  }
  return generatedText
}

/** What every answer starts with. */
export const ENVELOPE_START = '{"data":'

/** The whole answer. @param data JSON */
export function writeEnvelope(data: string, meta: Meta): string {
  return ENVELOPE_START + data + envelopeEnd(meta)
}

/** What stands behind `data`. */
export function envelopeEnd(meta: Meta): string {
  let text = `,"meta":{"generated_at":"${generatedAt(meta.nowMillis)}","units":${meta.units}`
  if (meta.network !== undefined) text += `,"network":"${meta.network}"`
  if (meta.freshness !== undefined) text += `,"freshness":"${meta.freshness}"`
  if (meta.count !== undefined) text += `,"count":${meta.count}`
  if (meta.limit !== undefined) text += `,"limit":${meta.limit}`
  if (meta.maxWalk !== undefined) text += `,"max_walk":${meta.maxWalk}`
  if (meta.nextCursor !== undefined)
    text += `,"next_cursor":${meta.nextCursor === null ? 'null' : `"${meta.nextCursor}"`}`
  if (meta.attribution !== undefined) text += `,"attribution":${meta.attribution}`
  if (meta.sources !== undefined) text += `,"sources":${meta.sources}`
  if (meta.reason !== undefined) text += `,"reason":"${meta.reason}"`
  if (meta.nearestStops !== undefined) text += `,"nearest_stops":${meta.nearestStops}`
  return `${text}}}`
}
