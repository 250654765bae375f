// What one feed has said, as of its newest message: a full one stands for all, a differential one changes single
// entities. Each content is a new object that never changes: whoever builds of it keeps what it was.
import type {
  AlertReport,
  LiveShape,
  RealtimeMessage,
  TripModifications,
  TripUpdate,
  VehicleReport,
} from '../../loaders/gtfs-rt/message.ts'

/** What a feed says now. Times in seconds after 1970. */
export interface FeedContent {
  /** Of the newest message: its header's, or when it was received. At most 60 s after it was received. */
  readonly timestampSeconds: number
  /** When the newest message was last received; it may come again and again. */
  readonly fetchedSeconds: number
  /** Each trip once. */
  readonly trips: readonly TripUpdate[]
  readonly vehicles: readonly VehicleReport[]
  readonly alerts: readonly AlertReport[]
  readonly modifications: readonly TripModifications[]
  readonly shapes: readonly LiveShape[]
}

/** What became of a message. */
export interface FeedChange {
  /** It is the newest now; else nothing was changed but the time of fetching. */
  readonly isNewer: boolean
  /** Its header's time lies in the future too far to be true; the time of receiving stands in. */
  readonly isFromFuture: boolean
}

/** A header time may lie this far ahead of our clock; what lies further counts as now. */
const AHEAD_SECONDS = 60
/** A feed of changes that never takes anything back is remembered so far, entities of a kind. */
const MAX_ENTITIES = 500_000

/** When a message was made, by its header and by us. */
interface MessageTime {
  readonly headerSeconds: number | undefined
  readonly timestampSeconds: number
  readonly isFromFuture: boolean
}

/** What the entities of one kind have in common here. */
interface FeedEntity {
  readonly entityId: string
  readonly timestampSeconds?: number | undefined
}

/** The state of one feed. */
export class FeedState {
  private content: FeedContent | undefined
  private newest: MessageTime | undefined
  private isLastOlder = false
  private readonly counted = new Map<string, number>()

  /** Undefined until a first message has come. */
  get current(): FeedContent | undefined {
    return this.content
  }

  /**
   * What could not be taken as it was, by reason, since the beginning: messages (`older_message`, `same_message`,
   * `message_from_the_future`, `message_without_timestamp`), entities (`duplicate_entity_id`, `repeated_trip`,
   * `forgotten_entity`), and what was left out while decoding.
   */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.counted)
  }

  /** Takes a message that was received at an instant. */
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

  /** The last message came again, at an instant, and needed no decoding. */
  repeat(receivedSeconds: number): void {
    const { content, newest } = this
    if (content === undefined || newest === undefined) return
    this.count(this.isLastOlder ? 'older_message' : 'same_message')
    if (this.isLastOlder) return
    // A message that does not say when it was made is as new as it was received; one of long after now never is newer.
    const isAhead = newest.timestampSeconds > receivedSeconds + AHEAD_SECONDS
    const isNow = isAhead || newest.headerSeconds === undefined
    const timestampSeconds = isNow ? receivedSeconds : newest.timestampSeconds
    this.newest = { ...newest, timestampSeconds, isFromFuture: newest.isFromFuture || isAhead }
    this.content = { ...content, timestampSeconds, fetchedSeconds: receivedSeconds }
  }

  /** Whether a message is newer than the newest (above 0), as old (0), or older (below 0). */
  private orderOf(time: MessageTime, receivedSeconds: number): number {
    const { newest } = this
    if (newest === undefined) return 1
    // Nothing is taken from further ahead: our own clock was set back, and the newest time means nothing any more.
    if (newest.timestampSeconds > receivedSeconds + AHEAD_SECONDS) return 1
    const { headerSeconds, timestampSeconds } = time
    const isStated = headerSeconds !== undefined && newest.headerSeconds !== undefined
    // A header that stands still is the same message, even one in the future, whose time would seem to go on with ours.
    const byHeader = isStated && (headerSeconds === newest.headerSeconds || (time.isFromFuture && newest.isFromFuture))
    if (byHeader) return headerSeconds - newest.headerSeconds
    const order = timestampSeconds - newest.timestampSeconds
    return order === 0 && headerSeconds === undefined ? 1 : order
  }

  private read(message: RealtimeMessage, timestampSeconds: number, fetchedSeconds: number): FeedContent {
    for (const [reason, times] of Object.entries(message.dropped)) this.count(reason, times)
    const before = message.incrementality === 'differential' ? this.content : undefined
    const deleted = new Set(message.deletedIds)
    const keep = <Entity extends FeedEntity>(known: readonly Entity[] | undefined, next: readonly Entity[]) =>
      known === undefined ? [] : this.keep(known, next, { deleted, saidSeconds: before?.timestampSeconds })
    const { trips, vehicles, alerts, modifications, shapes } = message
    const byId = <Entity extends FeedEntity>(known: readonly Entity[] | undefined, next: readonly Entity[]) =>
      this.newestOf([...keep(known, next), ...next], timestampSeconds, ({ entityId }) => entityId)
    return {
      timestampSeconds,
      fetchedSeconds,
      trips: this.newestOf([...keep(before?.trips, trips), ...trips], timestampSeconds, keyOfTrip),
      vehicles: this.newestOf([...keep(before?.vehicles, vehicles), ...vehicles], timestampSeconds, keyOfVehicle),
      alerts: byId(before?.alerts, alerts),
      modifications: byId(before?.modifications, modifications),
      shapes: byId(before?.shapes, shapes),
    }
  }

  /**
   * What is left of the known entities when a differential message speaks of others. Those without a time of their own
   * get that of the message they came with: they are as old as it, however new the feed's newest is.
   */
  private keep<Entity extends FeedEntity>(
    known: readonly Entity[],
    next: readonly Entity[],
    { deleted, saidSeconds }: { readonly deleted: ReadonlySet<string>; readonly saidSeconds: number | undefined },
  ): Entity[] {
    const replaced = new Set(next.map(({ entityId }) => entityId))
    const kept: Entity[] = []
    for (const entity of known) {
      if (deleted.has(entity.entityId) || replaced.has(entity.entityId)) continue
      kept.push(isUndated(entity) ? { ...entity, timestampSeconds: saidSeconds } : entity)
    }
    const forgotten = Math.max(kept.length - MAX_ENTITIES, 0)
    if (forgotten > 0) this.count('forgotten_entity', forgotten)
    return kept.slice(forgotten)
  }

  /** Of those with one key the newest, which is the later one where times do not tell; in the order they were said. */
  private newestOf<Entity extends FeedEntity>(
    entities: readonly Entity[],
    saidSeconds: number,
    keyOf: (entity: Entity) => string,
  ): readonly Entity[] {
    const newest = new Map<string, Entity>()
    for (const entity of entities) {
      const key = keyOf(entity)
      const known = newest.get(key)
      if (known !== undefined) {
        this.count(known.entityId === entity.entityId ? 'duplicate_entity_id' : 'repeated_trip')
        if ((known.timestampSeconds ?? saidSeconds) > (entity.timestampSeconds ?? saidSeconds)) continue
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

/** Alerts have no time at all; the others may come without. */
function isUndated(entity: FeedEntity): boolean {
  return 'timestampSeconds' in entity && entity.timestampSeconds === undefined
}

/**
 * The same for updates of the same descriptor, whatever they say of it. A duplicate is its own trip, and so is an added one:
 * it may have the id of another. A descriptor that names no trip (only a route, say) is like no other: the entity's id
 * stands for it.
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

/** Coupled vehicles may come under one id of their trip: an entity is known by its vehicle too. */
function keyOfVehicle({ entityId, vehicle }: VehicleReport): string {
  return `${entityId}\n${vehicle?.id}`
}
