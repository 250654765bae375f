// Reads a live feed's message in the same way as the service, and checks its format, content and age.
import { decodeMessage, RealtimeUnreadable } from '../../loaders/gtfs-rt/decode-message.ts'
import type { RealtimeMessage } from '../../loaders/gtfs-rt/message.ts'
import { ALERTS_MAX_AGE_SECONDS, type FeedPace, feedAges } from '../realtime/feed-ages.ts'
import { countText } from '../system/count-text.ts'
import { type Finding, fault, ok, warning } from './check.ts'

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3_600
const DAY_SECONDS = 86_400

/** A message from a live feed, and the facts that are needed to check it. */
export interface FetchedMessage {
  readonly part: string
  /** The source, without secrets. */
  readonly name: string
  readonly bytes: Uint8Array
  readonly pace: FeedPace
  readonly nowSeconds: number
}

/** Checks a message from a live feed. */
export function messageFinding({ part, name, bytes, pace, nowSeconds }: FetchedMessage): Finding {
  const message = readMessage(bytes)
  if (message instanceof RealtimeUnreadable)
    return fault(part, `${name} is not a GTFS-Realtime message: ${message.message}. Check the address`)
  const contents = contentsText(message)
  const { timestampSeconds } = message
  if (timestampSeconds === undefined) return ok(part, `${name} has ${contents}, but no timestamp`)
  const age = nowSeconds - timestampSeconds
  const { maxAgeSeconds } = feedAges(pace)
  const isAlertsOnly = message.alerts.length > 0 && message.trips.length + message.vehicles.length === 0
  const limit = isAlertsOnly ? Math.max(maxAgeSeconds, ALERTS_MAX_AGE_SECONDS) : maxAgeSeconds
  if (age <= limit) return ok(part, `${name} has ${contents}, ${ageText(age)} old`)
  const what = `${name} has ${contents}, ${ageText(age)} old`
  return warning(part, `${what}: data older than ${ageText(limit)} is not shown. Contact the publisher`)
}

function readMessage(bytes: Uint8Array): RealtimeMessage | RealtimeUnreadable {
  try {
    return decodeMessage(bytes)
  } catch (error) {
    if (error instanceof RealtimeUnreadable) return error
    throw error
  }
}

function contentsText({ trips, vehicles, alerts }: RealtimeMessage): string {
  const counts = [
    [trips.length, 'trip update'],
    [vehicles.length, 'vehicle'],
    [alerts.length, 'alert'],
  ] as const
  const present = counts.filter(([count]) => count > 0)
  return present.map(([count, noun]) => countText(count, noun)).join(', ') || 'no entities'
}

function ageText(seconds: number): string {
  if (seconds < 2 * MINUTE_SECONDS) return `${Math.max(0, seconds)} s`
  if (seconds < 2 * HOUR_SECONDS) return `${Math.floor(seconds / MINUTE_SECONDS)} min`
  if (seconds < 2 * DAY_SECONDS) return `${Math.floor(seconds / HOUR_SECONDS)} h`
  return `${Math.floor(seconds / DAY_SECONDS)} days`
}
