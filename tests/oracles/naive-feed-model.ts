// Computes the state of a live feed after a history of messages in the simplest way, with lists and without an index.
// Works on decoded messages and shares no code with the feed's state.

/** The intended content of a message. Times are seconds after 1970. */
export interface MeantMessage {
  readonly isDifferential: boolean
  readonly headerSeconds: number | undefined
  readonly entities: readonly MeantEntity[]
}

/** The intended content of an entity. `mark` is a unique number by which tests recognize the entity. */
export interface MeantEntity {
  readonly id: string
  readonly isDeleted: boolean
  readonly trip: MeantTrip | undefined
  readonly vehicle: { readonly vehicleId: string | undefined; readonly seconds: number | undefined } | undefined
  readonly hasAlert: boolean
  readonly hasModifications: boolean
  readonly mark: number
}

/** A trip update: its descriptor, and its time if it has one. */
export interface MeantTrip {
  readonly descriptor: MeantDescriptor
  /** For a duplicated trip: the id of the copy. */
  readonly copyId: string | undefined
  readonly seconds: number | undefined
}

/** A TripDescriptor. */
export interface MeantDescriptor {
  readonly tripId: string | undefined
  readonly routeId: string | undefined
  readonly startDate: string | undefined
  readonly startTime: string | undefined
  readonly isCanceled: boolean
}

/**
 * One fetch of the feed. `broken` means that the message cannot be read. `same` means that the server replied that
 * nothing has changed.
 */
export interface Arrival {
  readonly message: MeantMessage | 'broken' | 'same'
  readonly receivedSeconds: number
}

/** The final state of the feed. */
export interface NaiveContent {
  /** Undefined until the first message has been read. */
  readonly timestampSeconds: number | undefined
  readonly fetchedSeconds: number | undefined
  readonly trips: readonly NaiveEntity[]
  readonly vehicles: readonly NaiveEntity[]
  readonly alerts: readonly NaiveEntity[]
  readonly modifications: readonly NaiveEntity[]
  /** How many messages repeated the newest message, and how many were older. */
  readonly same: number
  readonly older: number
}

/** A stored entity: its mark, and the time that is reported for it. */
export interface NaiveEntity {
  readonly id: string
  readonly mark: number
  readonly seconds: number | undefined
}

interface Line {
  readonly kind: 'trip' | 'vehicle' | 'alert' | 'modifications'
  /** Entities with the same key describe the same trip, vehicle, alert or modification. */
  readonly key: string
  readonly id: string
  readonly mark: number
  readonly ownSeconds: number | undefined
  readonly messageSeconds: number
  readonly message: MeantMessage
}

/** A header time is not used if it is ahead of the clock by more than this. */
const TOO_FAR_AHEAD_SECONDS = 60

/** The state of a feed after its history. */
export function naiveContent(history: readonly Arrival[]): NaiveContent {
  let newest: Timed | undefined
  let fetchedSeconds: number | undefined
  let lines: Line[] = []
  let same = 0
  let older = 0
  let wasOlder = false
  for (const { message, receivedSeconds } of history) {
    if (message === 'broken' || (message === 'same' && newest === undefined)) continue
    const limit = receivedSeconds + TOO_FAR_AHEAD_SECONDS
    if (message === 'same') {
      if (wasOlder) older++
      else {
        same++
        fetchedSeconds = receivedSeconds
        newest = again(newest, receivedSeconds)
        lines = lines.map((line) =>
          line.message === newest?.message ? { ...line, messageSeconds: newest.seconds } : line,
        )
      }
      continue
    }
    const { headerSeconds } = message
    const isTrue = headerSeconds === undefined || headerSeconds <= limit
    const seconds = headerSeconds !== undefined && isTrue ? headerSeconds : receivedSeconds
    const verdict =
      newest === undefined || newest.seconds > limit ? 'newer' : compare({ message, seconds, isTrue }, newest)
    if (verdict === 'same') same++
    if (verdict === 'older') older++
    wasOlder = verdict === 'older'
    if (verdict !== 'older') fetchedSeconds = receivedSeconds
    if (verdict !== 'newer') continue
    newest = { message, seconds, isTrue }
    lines = linesAfter(message.isDifferential ? lines : [], message, seconds)
  }
  const list = (kind: Line['kind']) =>
    lines
      .filter((line) => line.kind === kind)
      .map((line) => ({ id: line.id, mark: line.mark, seconds: shown(line, newest?.message) }))
  const contents = {
    trips: list('trip'),
    vehicles: list('vehicle'),
    alerts: list('alert'),
    modifications: list('modifications'),
  }
  return { timestampSeconds: newest?.seconds, fetchedSeconds, ...contents, same, older }
}

interface Timed {
  readonly message: MeantMessage
  readonly seconds: number
  readonly isTrue: boolean
}

/**
 * The newest message with its time, after the message was received again. The time becomes the current time in two
 * cases: the message has no header time, or its header time is now too far ahead because the clock was set back.
 */
function again(newest: Timed | undefined, receivedSeconds: number): Timed | undefined {
  if (newest === undefined) return undefined
  const isAhead = newest.seconds > receivedSeconds + TOO_FAR_AHEAD_SECONDS
  if (isAhead) return { ...newest, seconds: receivedSeconds, isTrue: false }
  return newest.message.headerSeconds === undefined ? { ...newest, seconds: receivedSeconds } : newest
}

function compare(next: Timed, newest: Timed): 'newer' | 'same' | 'older' {
  const header = next.message.headerSeconds
  const newestHeader = newest.message.headerSeconds
  if (header !== undefined && header === newestHeader) return 'same'
  if (header !== undefined && newestHeader !== undefined && !next.isTrue && !newest.isTrue)
    return header > newestHeader ? 'newer' : 'older'
  if (next.seconds > newest.seconds) return 'newer'
  if (next.seconds < newest.seconds) return 'older'
  // Without a header time, it is impossible to tell that the message was already read.
  return header === undefined ? 'newer' : 'same'
}

function linesAfter(before: readonly Line[], message: MeantMessage, messageSeconds: number): Line[] {
  const added = message.entities
    .filter(({ isDeleted }) => !isDeleted)
    .flatMap((entity) => toLines(entity, message, messageSeconds))
  const isTakenBack = (line: Line) =>
    message.entities.some((entity) => entity.isDeleted && entity.id === line.id) ||
    added.some((other) => other.kind === line.kind && other.id === line.id)
  const isNewId = (line: Line) =>
    !before.some((other) => other.kind === line.kind && other.key === line.key && other.id === line.id)
  const all = [...before.filter((line) => !isTakenBack(line)), ...added]
  return all.filter((line, at) => {
    const rivals = all
      .map((other, place) => ({ other, place }))
      .filter(({ other }) => other.kind === line.kind && other.key === line.key && isRival(line, other))
    return !rivals.some(
      ({ other, place }) => secondsOf(other) > secondsOf(line) || (secondsOf(other) === secondsOf(line) && place > at),
    )
  })

  /**
   * Whether one of two entities replaces the other. Within one message, two trips with the same descriptor are two
   * vehicles. If a trip in a later message has another entity id than an earlier trip, the later trip replaces the
   * earlier one only if the later id is new for this descriptor.
   */
  function isRival(line: Line, other: Line): boolean {
    if (line.kind !== 'trip' || line.id === other.id) return true
    if (line.message === message) return other.message !== message && isNewId(line)
    return other.message === message && isNewId(other)
  }
}

function toLines(
  { id, mark, trip, vehicle, hasAlert, hasModifications }: MeantEntity,
  message: MeantMessage,
  messageSeconds: number,
): Line[] {
  const base = { id, mark, message, messageSeconds }
  const lines: Line[] = []
  if (trip !== undefined) {
    const { tripId, routeId, startDate, startTime } = trip.descriptor
    const isNamed = tripId !== undefined || (routeId !== undefined && startTime !== undefined)
    const named = [tripId ?? null, routeId ?? null, startDate ?? null, startTime ?? null, trip.copyId ?? null]
    lines.push({ ...base, kind: 'trip', key: JSON.stringify(isNamed ? named : id), ownSeconds: trip.seconds })
  }
  if (vehicle !== undefined) {
    const key = JSON.stringify([id, vehicle.vehicleId ?? null])
    lines.push({ ...base, kind: 'vehicle', key, ownSeconds: vehicle.seconds })
  }
  if (hasAlert) lines.push({ ...base, kind: 'alert', key: id, ownSeconds: undefined })
  if (hasModifications) lines.push({ ...base, kind: 'modifications', key: id, ownSeconds: undefined })
  return lines
}

function secondsOf({ kind, ownSeconds, messageSeconds }: Line): number {
  return hasNoTime(kind) ? 0 : (ownSeconds ?? messageSeconds)
}

function hasNoTime(kind: Line['kind']): boolean {
  return kind === 'alert' || kind === 'modifications'
}

/**
 * The reported time of an entity. If the entity has no time of its own, it gets the time of its message, but only after
 * a newer message has arrived. Undefined for alerts and modifications, which never have a time.
 */
function shown(line: Line, newest: MeantMessage | undefined): number | undefined {
  if (hasNoTime(line.kind)) return undefined
  return line.ownSeconds ?? (line.message === newest ? undefined : line.messageSeconds)
}
