// A short notation for the messages in peers' cases: a few characters for each reported call.
import type GtfsRealtime from 'gtfs-realtime-bindings'

/** An entity of a message, with its fields named as in the bindings. */
export type Entity = GtfsRealtime.transit_realtime.IFeedEntity

/** The numbers of the values of TripDescriptor.schedule_relationship. */
const RELATIONSHIPS = {
  ADDED: 1,
  UNSCHEDULED: 2,
  CANCELED: 3,
  REPLACEMENT: 5,
  DUPLICATED: 6,
  DELETED: 7,
  NEW: 8,
} as const

/** The members of an update other than its trip and calls. */
export interface UpdateMore {
  readonly as?: keyof typeof RELATIONSHIPS
  /** yyyymmdd. If absent, the city's day; if empty, no date. */
  readonly date?: string
  /** HH:MM:SS. */
  readonly start?: string
  readonly route?: string
  readonly direction?: number
  readonly delay?: number
  readonly vehicle?: string
  /** Id of the entity. The default consists of the relationship, the trip's id, the date and the start time. */
  readonly id?: string
  readonly seconds?: number
  /** TripProperties. */
  readonly properties?: object
}

/** An update whose calls and times are still in the short notation. */
export interface ReportedUpdate {
  readonly trip: string | undefined
  readonly calls: string
  readonly more: UpdateMore
}

/**
 * An update of a trip in the short notation. Calls are separated by commas. Each starts with `#2` for its
 * stop_sequence, `B` for its stop, `#2@B` for both, or `-` for neither. Words separated by spaces follow: `+60` for a
 * delay or `10:20` for a time, at both arrival and departure; `a…` or `d…` for only one of them (`a_` for an empty
 * arrival); `s10:15` for the scheduled time; `x` for skipped, `?` for no data, `u` for unscheduled; `=S3` for another
 * platform; `~Lake` for the headsign; `in1` and `out1` for pickup_type and drop_off_type.
 */
export function update(trip: string | undefined, calls = '', more: UpdateMore = {}): ReportedUpdate {
  return { trip, calls, more }
}

/** The entity for an update in the short notation. @param at converts a time on the service day to Unix seconds */
export function toEntity(reported: ReportedUpdate, day: string, at: (time: string) => number): Entity {
  const { trip, calls, more } = reported
  const date = more.date ?? day
  const descriptor = {
    ...(trip === undefined ? {} : { tripId: trip }),
    ...(date === '' ? {} : { startDate: date }),
    ...(more.start === undefined ? {} : { startTime: more.start }),
    ...(more.route === undefined ? {} : { routeId: more.route }),
    ...(more.direction === undefined ? {} : { directionId: more.direction }),
    ...(more.as === undefined ? {} : { scheduleRelationship: RELATIONSHIPS[more.as] }),
  }
  return {
    id: more.id ?? `${more.as ?? ''} ${trip} ${date} ${more.start ?? ''}`,
    tripUpdate: {
      trip: descriptor,
      stopTimeUpdate: calls === '' ? [] : calls.split(', ').map((call) => toStopTime(call, at)),
      ...(more.delay === undefined ? {} : { delay: more.delay }),
      ...(more.vehicle === undefined ? {} : { vehicle: { id: more.vehicle } }),
      ...(more.seconds === undefined ? {} : { timestamp: more.seconds }),
      ...(more.properties === undefined ? {} : { tripProperties: more.properties }),
    },
  }
}

function toStopTime(text: string, at: (time: string) => number): object {
  const [place = '', ...words] = text.split(' ')
  const [, sequence, stop] = /^(?:#(\d+))?@?(.*)$/.exec(place) ?? []
  const call: Record<string, unknown> = {
    ...(sequence === undefined ? {} : { stopSequence: Number(sequence) }),
    ...(stop === undefined || stop === '' || stop === '-' ? {} : { stopId: stop }),
  }
  const properties: Record<string, unknown> = {}
  for (const word of words) read(word, { call, properties, at })
  if (Object.keys(properties).length > 0) call['stopTimeProperties'] = properties
  return call
}

function read(
  word: string,
  into: {
    readonly call: Record<string, unknown>
    readonly properties: Record<string, unknown>
    readonly at: (time: string) => number
  },
): void {
  const { call, properties, at } = into
  const signs: Readonly<Record<string, number>> = { x: 1, '?': 2, u: 3 }
  const sign = signs[word]
  if (sign !== undefined) call['scheduleRelationship'] = sign
  else if (word.startsWith('=')) properties['assignedStopId'] = word.slice(1)
  else if (word.startsWith('~')) properties['stopHeadsign'] = word.slice(1)
  else if (word.startsWith('in')) properties['pickupType'] = Number(word.slice(2))
  else if (word.startsWith('out')) properties['dropOffType'] = Number(word.slice(3))
  else {
    const [, which = '', what = ''] = /^([ad]?)(.*)$/.exec(word) ?? []
    for (const event of which === 'a' ? ['arrival'] : which === 'd' ? ['departure'] : ['arrival', 'departure'])
      call[event] = { ...asObject(call[event]), ...toEvent(what, at) }
  }
}

function toEvent(what: string, at: (time: string) => number): object {
  if (what === '_') return {}
  if (what.startsWith('s')) return { scheduledTime: at(what.slice(1)) }
  return /^[+-]/.test(what) ? { delay: Number(what) } : { time: at(what) }
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
