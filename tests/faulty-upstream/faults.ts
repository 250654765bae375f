// The faults that an upstream (the server of a live feed) can have. Tests turn on one fault at a time. Some faults are
// in responses, others in the published messages. A service must survive an upstream that fails, is slow, sends broken
// data, has a wrong clock, or redirects elsewhere.
import { transit_realtime } from 'gtfs-realtime-bindings'
import { seededRandom } from '../../src/demo/seeded-random.ts'
import { encodeFeed, type FeedMessage } from '../../src/demo/simulator/feed-state.ts'
import { bombPieces, deeplyNested } from './hostile-bodies.ts'
import { plainReply, type RawReply, toHead } from './raw-http.ts'

/** Faults in the response. */
const ANSWER_FAULTS = [
  'refused',
  'closed_without_answer',
  'reset_mid_body',
  'status_404',
  'status_429',
  'status_500',
  'status_503',
  'no_answer',
  'slow_drip',
  'truncated',
  'short_body',
  'long_body',
  'empty_body',
  'garbage',
  'html',
  'gzip_bomb',
  'huge_body',
  'deep_nesting',
  'unasked_304',
  'redirect_loop',
  'redirect_to_link_local',
  'redirect_to_file',
  'redirect_to_dead_https',
] as const

/** Faults in the published message. The response itself is correct. */
const MESSAGE_FAULTS = [
  'header_back',
  'header_frozen',
  'header_future',
  'header_missing',
  'duplicate_ids',
  'unknown_ids',
] as const

export const FAULTS = [...ANSWER_FAULTS, ...MESSAGE_FAULTS] as const

export type Fault = (typeof FAULTS)[number]
type AnswerFault = (typeof ANSWER_FAULTS)[number]
/** A fault in the published message. */
export type MessageFault = (typeof MESSAGE_FAULTS)[number]

/** The value of Retry-After with `status_503` and `status_429`, in seconds. */
export const RETRY_AFTER_SECONDS = 7
/** By how many seconds the header timestamp differs from the real time with `header_back` and `header_future`. */
export const HEADER_OFF_SECONDS = 900
const DRIP_MILLIS = 250
const HUGE_BYTES = 1_000_000_000
const PIECE_BYTES = 65_536
const TRUNCATED_SHARE = 0.6
const DUPLICATED_ENTITIES = 25
const HTML = '<!doctype html><html><body><h1>Maintenance en cours</h1><p>Revenez plus tard.</p></body></html>'
const PROTOBUF = { 'content-type': 'application/x-protobuf' }

/** Whether a fault is in the published message. */
export function isMessageFault(fault: Fault | undefined): fault is MessageFault {
  return MESSAGE_FAULTS.some((each) => each === fault)
}

/**
 * Makes a response with a fault. Not used for `refused`, which closes the port instead.
 * @param good makes a body without a fault
 * @param target path and query of the request
 */
export function faultyReply(fault: AnswerFault, good: () => Uint8Array, target: string): RawReply {
  switch (fault) {
    case 'refused':
    case 'closed_without_answer':
      return { head: undefined, body: [], pauseMillis: 0, ending: 'end' }
    case 'no_answer':
      return { head: undefined, body: [], pauseMillis: 0, ending: 'silence' }
    case 'status_404':
      return plainReply('404 Not Found')
    case 'status_429':
      return plainReply('429 Too Many Requests', undefined, { 'retry-after': RETRY_AFTER_SECONDS })
    case 'status_500':
      return plainReply('500 Internal Server Error')
    case 'status_503':
      return plainReply('503 Service Unavailable', undefined, { 'retry-after': RETRY_AFTER_SECONDS })
    case 'unasked_304':
      return { head: toHead('304 Not Modified', {}), body: [], pauseMillis: 0, ending: 'end' }
    case 'redirect_loop':
      return plainReply('302 Found', undefined, { location: target })
    case 'redirect_to_link_local':
      return plainReply('302 Found', undefined, { location: 'http://169.254.169.254/latest/meta-data/' })
    case 'redirect_to_file':
      return plainReply('302 Found', undefined, { location: 'file:///etc/hostname' })
    case 'redirect_to_dead_https':
      return plainReply('302 Found', undefined, { location: 'https://127.0.0.1:1/feed.pb' })
    default:
      return faultyBody(fault, good)
  }
}

/** A response with a faulty body, or with a good body that is sent slowly. */
function faultyBody(fault: AnswerFault, good: () => Uint8Array): RawReply {
  const whole = (body: Uint8Array): RawReply => plainReply('200 OK', body, PROTOBUF)
  switch (fault) {
    case 'reset_mid_body':
      return { ...cutOff(good()), ending: 'reset' }
    case 'short_body':
      return cutOff(good())
    case 'slow_drip':
      return { ...whole(good()), body: drops(good()), pauseMillis: DRIP_MILLIS }
    case 'truncated':
      return whole(firstPart(good()))
    case 'long_body': {
      const body = good()
      return { ...whole(firstPart(body)), body: [body] }
    }
    case 'garbage':
      return whole(noise(good().length))
    case 'html':
      return plainReply('200 OK', Buffer.from(HTML), { 'content-type': 'text/html; charset=utf-8' })
    case 'gzip_bomb':
      return streamed(bombPieces(), { 'content-encoding': 'gzip' })
    case 'huge_body':
      return streamed(hugePieces(), {})
    case 'deep_nesting':
      return whole(deeplyNested())
    default:
      return whole(new Uint8Array(0))
  }
}

/** A response whose Content-Length is the length of the whole body, but which contains only the first part. */
function cutOff(body: Uint8Array): RawReply {
  return { ...plainReply('200 OK', body, PROTOBUF), body: [firstPart(body)] }
}

function firstPart(body: Uint8Array): Uint8Array {
  return body.subarray(0, Math.floor(body.length * TRUNCATED_SHARE))
}

function* drops(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at++) yield body.subarray(at, at + 1)
}

/** A response without Content-Length: closing the connection ends the body. */
function streamed(body: Iterable<Uint8Array>, headers: Readonly<Record<string, string>>): RawReply {
  return { head: toHead('200 OK', { ...PROTOBUF, ...headers }), body, pauseMillis: 0, ending: 'end' }
}

function noise(length: number): Uint8Array {
  const random = seededRandom(length, 'noise')
  return Uint8Array.from({ length }, () => Math.floor(random() * 256))
}

function* hugePieces(): Generator<Uint8Array> {
  const piece = new Uint8Array(PIECE_BYTES).fill(0x20)
  for (let sent = 0; sent < HUGE_BYTES; sent += PIECE_BYTES) yield piece
}

/** Makes a message with a fault. @param at makes a message without a fault for an instant, in seconds since 1970 */
export function faultyMessage(
  fault: MessageFault,
  at: (nowSeconds: number) => FeedMessage,
  moment: { readonly nowSeconds: number; readonly sinceSeconds: number },
): FeedMessage {
  const { nowSeconds, sinceSeconds } = moment
  switch (fault) {
    case 'header_back':
      return at(nowSeconds - HEADER_OFF_SECONDS)
    case 'header_frozen':
      return at(sinceSeconds)
    case 'header_future':
      return withTime(at(nowSeconds), nowSeconds + HEADER_OFF_SECONDS)
    case 'header_missing':
      return withTime(at(nowSeconds), undefined)
    case 'duplicate_ids':
      return withDuplicates(at(nowSeconds))
    case 'unknown_ids':
      return withUnknownIds(at(nowSeconds))
  }
}

function withTime(message: FeedMessage, timestamp: number | undefined): FeedMessage {
  const { gtfsRealtimeVersion, incrementality } = message.header
  return { ...message, header: { gtfsRealtimeVersion, incrementality, timestamp } }
}

/**
 * Appends copies of the first entities. The ids of the copies are swapped, so each copy has the id of another entity.
 */
function withDuplicates(message: FeedMessage): FeedMessage {
  const entity = message.entity ?? []
  const first = entity.slice(0, DUPLICATED_ENTITIES)
  const again = first.map((each, index) => ({ ...each, id: first[(index + 1) % first.length].id }))
  return { ...message, entity: [...entity, ...again] }
}

/** Replaces all trip, route and stop ids with ids that no timetable has. */
function withUnknownIds(message: FeedMessage): FeedMessage {
  const copy = transit_realtime.FeedMessage.decode(encodeFeed(message))
  for (const { tripUpdate, vehicle, alert } of copy.entity) {
    const selectors = alert?.informedEntity ?? []
    const trips = [tripUpdate?.trip, vehicle?.trip, ...selectors.map((each) => each.trip)]
    for (const named of [...trips, ...selectors]) {
      if (named?.routeId) named.routeId = `no-${named.routeId}`
    }
    for (const trip of trips) {
      if (trip?.tripId) trip.tripId = `no-${trip.tripId}`
    }
    for (const named of [...(tripUpdate?.stopTimeUpdate ?? []), ...selectors, vehicle]) {
      if (named?.stopId) named.stopId = `no-${named.stopId}`
    }
  }
  return copy
}
