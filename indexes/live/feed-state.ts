// The content of a feed after its newest message. A full message replaces all entities, and a differential message
// changes single entities. Each message creates a new immutable object, so readers can keep the content that they have.
import type {
  FeedEntities,
  RealtimeMessage,
  StopTimeUpdate,
  TripUpdate,
  VehicleReport,
} from '../../loaders/gtfs-rt/message.ts'

/** The current content of a feed. Times are in seconds after 1970. */
export interface FeedContent extends FeedEntities {
  /**
   * Time of the newest message: the time in its header, otherwise the time at which it was received. At most 60 s later
   * than the time at which it was received.
   */
  readonly timestampSeconds: number
  /** Time at which the newest message was last received. The same message may be received several times. */
  readonly fetchedSeconds: number
}

/** The effect of a message. */
export interface FeedChange {
  /**
   * Whether the message is newer than all earlier messages. If not, nothing changed except possibly `fetchedSeconds`.
   */
  readonly isNewer: boolean
  /** Whether the header time is too far in the future, so that the time of receipt is used instead. */
  readonly isFromFuture: boolean
}

/**
 * The time in a header may be ahead of this machine's clock by at most this much. If it is further ahead, the time of
 * receipt is used.
 */
const AHEAD_SECONDS = 60
/** Maximum number of entities of each kind. Some differential feeds never delete entities. */
const MAX_ENTITIES = 500_000

/** The time in the header of a message, and the time that is used for the message. */
interface MessageTime {
  readonly headerSeconds: number | undefined
  readonly timestampSeconds: number
  readonly isFromFuture: boolean
}

/** The members that `FeedState` reads from an entity of any kind. */
interface KeptEntity {
  readonly entityId: string
  readonly timestampSeconds?: number | undefined
}

/** The trip updates before a message, and the time of the message. */
interface Joining {
  readonly before: readonly TripUpdate[]
  readonly timestampSeconds: number
}

/** The data of a `FeedState` with which a later one can continue. The counts are not included. */
export interface FeedStateMemory {
  readonly content: FeedContent | undefined
  readonly newest: MessageTime | undefined
  readonly isLastOlder: boolean
}

/** The state of one feed. */
export class FeedState {
  private content: FeedContent | undefined
  private newest: MessageTime | undefined
  private isLastOlder: boolean
  private readonly counted = new Map<string, number>()

  /** @param before the data of an earlier state of the same feed */
  constructor(before?: FeedStateMemory) {
    this.content = before?.content
    this.newest = before?.newest
    this.isLastOlder = before?.isLastOlder ?? false
  }

  get memory(): FeedStateMemory {
    const { content, newest, isLastOlder } = this
    return { content, newest, isLastOlder }
  }

  /** The current content; undefined before the first message. */
  get current(): FeedContent | undefined {
    return this.content
  }

  /**
   * Number of parts that were ignored or repaired since the start, by reason. Reasons for messages: `older_message`,
   * `same_message`, `message_from_the_future`, `message_without_timestamp`. Reasons for entities:
   * `duplicate_entity_id`, `repeated_trip`, `forgotten_entity`. All other reasons are for parts that were dropped
   * during decoding.
   */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.counted)
  }

  /** Applies a message that was received at the time `receivedSeconds`. */
  apply(message: RealtimeMessage, receivedSeconds: number): FeedChange {
    const time = timeOf(message, receivedSeconds)
    const { isFromFuture } = time
    if (isFromFuture) this.count('message_from_the_future')
    if (time.headerSeconds === undefined) this.count('message_without_timestamp')
    const order = this.orderOf(time, receivedSeconds)
    if (order > 0) this.content = this.read(message, time.timestampSeconds, receivedSeconds)
    else if (order === 0 && this.content !== undefined)
      this.content = { ...this.content, fetchedSeconds: receivedSeconds }
    this.isLastOlder = order < 0
    if (order > 0) this.newest = time
    else this.count(order === 0 ? 'same_message' : 'older_message')
    return { isNewer: order > 0, isFromFuture }
  }

  /** Records that the last message was received again. This saves decoding the message again. */
  repeat(receivedSeconds: number): void {
    const { content, newest } = this
    if (content === undefined || newest === undefined) return
    this.count(this.isLastOlder ? 'older_message' : 'same_message')
    if (this.isLastOlder) return
    // If a message has no header time, or if its header time is now too far in the future, the time of receipt is used.
    const isAhead = newest.timestampSeconds > receivedSeconds + AHEAD_SECONDS
    const isNow = isAhead || newest.headerSeconds === undefined
    const timestampSeconds = isNow ? receivedSeconds : newest.timestampSeconds
    this.newest = { ...newest, timestampSeconds, isFromFuture: newest.isFromFuture || isAhead }
    this.content = { ...content, timestampSeconds, fetchedSeconds: receivedSeconds }
  }

  /**
   * Compares a message with the newest message. Positive if it is newer, 0 if it is equally old, negative if it is
   * older.
   */
  private orderOf(time: MessageTime, receivedSeconds: number): number {
    const { newest } = this
    if (newest === undefined) return 1
    // Times that are so far ahead of the clock are never accepted. So the clock must have been set back since the
    // newest message, and the time of that message is no longer valid.
    if (newest.timestampSeconds > receivedSeconds + AHEAD_SECONDS) return 1
    const { headerSeconds, timestampSeconds } = time
    const isStated = headerSeconds !== undefined && newest.headerSeconds !== undefined
    // Two messages with the same header time are the same message. If both header times are in the future, the header
    // times are compared, because the times of receipt, which would be used instead, depend on this machine's clock.
    const byHeader = isStated && (headerSeconds === newest.headerSeconds || (time.isFromFuture && newest.isFromFuture))
    if (byHeader) return headerSeconds - newest.headerSeconds
    const order = timestampSeconds - newest.timestampSeconds
    return order === 0 && headerSeconds === undefined ? 1 : order
  }

  private read(message: RealtimeMessage, timestampSeconds: number, fetchedSeconds: number): FeedContent {
    for (const [reason, times] of Object.entries(message.dropped)) this.count(reason, times)
    const before = message.incrementality === 'differential' ? this.content : undefined
    const deleted = new Set(message.deletedIds)
    const keep = <Entity extends KeptEntity>(known: readonly Entity[] | undefined, next: readonly Entity[]) =>
      known === undefined ? [] : this.keep(known, next, { deleted, previousSeconds: before?.timestampSeconds })
    const { trips, vehicles, alerts, modifications, shapes } = message
    const byId = <Entity extends KeptEntity>(known: readonly Entity[] | undefined, next: readonly Entity[]) =>
      this.newestOf([...keep(known, next), ...next], timestampSeconds, ({ entityId }) => entityId)
    return {
      timestampSeconds,
      fetchedSeconds,
      trips: this.joinTrips(
        keep(before?.trips, trips),
        this.newestOf(joinParts(trips), timestampSeconds, keyOfEntity),
        {
          before: before?.trips ?? [],
          timestampSeconds,
        },
      ),
      vehicles: this.newestOf([...keep(before?.vehicles, vehicles), ...vehicles], timestampSeconds, keyOfVehicle),
      alerts: byId(before?.alerts, alerts),
      modifications: byId(before?.modifications, modifications),
      shapes: byId(before?.shapes, shapes),
    }
  }

  /**
   * Merges the trip updates in a message into those from earlier messages. An update with a new entity id replaces
   * earlier updates with the same descriptor, unless these have a later time. An update with a known entity id replaces
   * only the update with that id.
   */
  private joinTrips(kept: readonly TripUpdate[], next: readonly TripUpdate[], joining: Joining): readonly TripUpdate[] {
    if (kept.length === 0) return next
    const secondsOf = (trip: TripUpdate) => trip.timestampSeconds ?? joining.timestampSeconds
    const known = new Set(joining.before.map(keyOfEntity))
    const renamed = next.filter((trip) => !known.has(keyOfEntity(trip)))
    const newest = (trips: readonly TripUpdate[]) => {
      const seconds = new Map<string, number>()
      for (const trip of trips) {
        const key = keyOfTrip(trip)
        seconds.set(key, Math.max(seconds.get(key) ?? Number.NEGATIVE_INFINITY, secondsOf(trip)))
      }
      return (trip: TripUpdate) => seconds.get(keyOfTrip(trip)) ?? Number.NEGATIVE_INFINITY
    }
    const [newestKept, newestRenamed] = [newest(kept), newest(renamed)]
    const late = new Set(renamed.filter((trip) => newestKept(trip) > secondsOf(trip)))
    const joined = [
      ...kept.filter((trip) => newestRenamed(trip) < secondsOf(trip)),
      ...next.filter((trip) => !late.has(trip)),
    ]
    const dropped = kept.length + next.length - joined.length
    if (dropped > 0) this.count('repeated_trip', dropped)
    return joined
  }

  /**
   * The entities from earlier messages that a differential message does not change. Those without a time get the time
   * of the previous message, because the new message does not confirm them.
   */
  private keep<Entity extends KeptEntity>(
    known: readonly Entity[],
    next: readonly Entity[],
    {
      deleted,
      previousSeconds,
    }: { readonly deleted: ReadonlySet<string>; readonly previousSeconds: number | undefined },
  ): Entity[] {
    const replaced = new Set(next.map(({ entityId }) => entityId))
    const kept: Entity[] = []
    for (const entity of known) {
      if (deleted.has(entity.entityId) || replaced.has(entity.entityId)) continue
      kept.push(isUndated(entity) ? { ...entity, timestampSeconds: previousSeconds } : entity)
    }
    const forgotten = Math.max(kept.length - MAX_ENTITIES, 0)
    if (forgotten > 0) this.count('forgotten_entity', forgotten)
    return kept.slice(forgotten)
  }

  /**
   * The newest entity for each key. If several entities are equally new, the last of them is kept. The order of the
   * entities does not change.
   */
  private newestOf<Entity extends KeptEntity>(
    entities: readonly Entity[],
    messageSeconds: number,
    keyOf: (entity: Entity) => string,
  ): readonly Entity[] {
    const newest = new Map<string, Entity>()
    for (const entity of entities) {
      const key = keyOf(entity)
      const known = newest.get(key)
      if (known !== undefined) {
        this.count('duplicate_entity_id')
        if ((known.timestampSeconds ?? messageSeconds) > (entity.timestampSeconds ?? messageSeconds)) continue
        newest.delete(key)
      }
      newest.set(key, entity)
    }
    return newest.size === entities.length ? entities : [...newest.values()]
  }

  private count(reason: string, times = 1): void {
    this.counted.set(reason, (this.counted.get(reason) ?? 0) + times)
  }
}

function timeOf({ timestampSeconds }: RealtimeMessage, receivedSeconds: number): MessageTime {
  const isFromFuture = timestampSeconds !== undefined && timestampSeconds > receivedSeconds + AHEAD_SECONDS
  const isTrusted = timestampSeconds !== undefined && !isFromFuture
  return {
    headerSeconds: timestampSeconds,
    timestampSeconds: isTrusted ? timestampSeconds : receivedSeconds,
    isFromFuture,
  }
}

/** Whether an entity lacks a time although entities of its kind can have a time. Alerts never have a time. */
function isUndated(entity: KeptEntity): boolean {
  return 'timestampSeconds' in entity && entity.timestampSeconds === undefined
}

/**
 * The key of an update. Updates with the same descriptor have the same key, even if their content differs. Duplicated
 * and added trips have separate keys, because they may have the id of another trip. If a descriptor names no trip (for
 * example, only a route), the entity id is the key.
 */
function keyOfTrip({ entityId, trip, properties }: TripUpdate): string {
  const { tripId, routeId, directionId, startDate, startSeconds, relationship, modificationsId } = trip
  if (tripId === undefined && (routeId === undefined || startSeconds === undefined)) return `e\n${entityId}`
  const isNew = relationship === 'added' || relationship === 'new'
  const described = `${tripId}\n${startDate}\n${startSeconds}\n${routeId}\n${directionId}\n${modificationsId}`
  const key = `${isNew ? 'n' : 't'}\n${described}`
  if (relationship !== 'duplicated') return key
  return `${key}\n${properties?.tripId}\n${properties?.startDate}\n${properties?.startSeconds}`
}

/**
 * Joins updates in one message that have the same entity id and descriptor but different calls, because they are parts
 * of one update.
 */
function joinParts(trips: readonly TripUpdate[]): readonly TripUpdate[] {
  const joined: TripUpdate[] = []
  const places = new Map<string, number>()
  for (const trip of trips) {
    const key = keyOfEntity(trip)
    const place = places.get(key)
    const known = place === undefined ? undefined : joined[place]
    if (place !== undefined && known !== undefined && areParts(known, trip)) {
      joined[place] = { ...trip, stopTimes: inSequence(known.stopTimes, trip.stopTimes) }
      continue
    }
    places.set(key, joined.length)
    joined.push(trip)
  }
  return joined
}

function areParts(one: TripUpdate, other: TripUpdate): boolean {
  if (one.timestampSeconds !== other.timestampSeconds || one.stopTimes.length === 0 || other.stopTimes.length === 0)
    return false
  const calls = new Set(one.stopTimes.map(callOf))
  return !other.stopTimes.some((call) => calls.has(callOf(call)))
}

function callOf({ stopSequence, stopId }: StopTimeUpdate): number | string | undefined {
  return stopSequence ?? stopId
}

function inSequence(first: readonly StopTimeUpdate[], second: readonly StopTimeUpdate[]): StopTimeUpdate[] {
  return [...first, ...second].sort((a, b) => (a.stopSequence ?? 0) - (b.stopSequence ?? 0))
}

function keyOfEntity(trip: TripUpdate): string {
  return `${trip.entityId}\n${keyOfTrip(trip)}`
}

/** The key of a vehicle. It includes the vehicle's id, because coupled vehicles may share the id of their trip. */
function keyOfVehicle({ entityId, vehicle }: VehicleReport): string {
  return `${entityId}\n${vehicle?.id}`
}
