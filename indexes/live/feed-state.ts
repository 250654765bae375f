// What one feed has said, as of its newest message: a full one stands for all, a differential one changes single
// entities. Each state is a new object: whoever builds of it keeps what it was.
import type { AlertReport, RealtimeMessage, TripUpdate, VehicleReport } from '../../loaders/gtfs-rt/message.ts'

/** What a feed says now. */
export interface FeedContent {
  /** Of the newest message, in seconds after 1970. */
  readonly timestampSeconds: number
  readonly trips: readonly TripUpdate[]
  readonly vehicles: readonly VehicleReport[]
  readonly alerts: readonly AlertReport[]
}

/** A header time may lie this far ahead of our clock; what lies further counts as now. */
const AHEAD_SECONDS = 60

/** The state of one feed. */
export class FeedState {
  /** Undefined until a first message has come. */
  current: FeedContent | undefined
  /** What could not be taken as it was, by reason. */
  readonly counts: Record<string, number> = {}

  /** Takes a message that was received at an instant; whether it is newer than what was known. */
  apply(message: RealtimeMessage, receivedSeconds: number): boolean {
    const timestampSeconds = this.timeOf(message, receivedSeconds)
    const { current } = this
    if (current !== undefined && timestampSeconds <= current.timestampSeconds) {
      if (timestampSeconds < current.timestampSeconds) this.count('older_message')
      return false
    }
    for (const [reason, times] of Object.entries(message.dropped)) this.count(reason, times)
    const isFull = message.incrementality === 'full_dataset' || current === undefined
    const before = isFull ? undefined : current
    const deleted = new Set(message.deletedIds)
    this.current = {
      timestampSeconds,
      trips: merge(before?.trips, message.trips, deleted),
      vehicles: merge(before?.vehicles, message.vehicles, deleted),
      alerts: merge(before?.alerts, message.alerts, deleted),
    }
    return true
  }

  private timeOf({ timestampSeconds }: RealtimeMessage, receivedSeconds: number): number {
    if (timestampSeconds === undefined) return receivedSeconds
    if (timestampSeconds <= receivedSeconds + AHEAD_SECONDS) return timestampSeconds
    this.count('message_from_the_future')
    return receivedSeconds
  }

  private count(reason: string, times = 1): void {
    this.counts[reason] = (this.counts[reason] ?? 0) + times
  }
}

/** The entities of before, with those of a message in their place, without those it takes back. */
function merge<Entity extends { readonly entityId: string }>(
  before: readonly Entity[] | undefined,
  next: readonly Entity[],
  deleted: ReadonlySet<string>,
): readonly Entity[] {
  if (before === undefined) return next
  const byId = new Map(before.map((entity) => [entity.entityId, entity]))
  for (const id of deleted) byId.delete(id)
  for (const entity of next) byId.set(entity.entityId, entity)
  return [...byId.values()]
}
