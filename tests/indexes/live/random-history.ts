// Random histories of one feed: full and differential messages, some of them late, repeated or cut off. There are few
// different ids and times, so that messages affect each other. Each message is given as an object and as bytes.
import { transit_realtime } from 'gtfs-realtime-bindings'
import { below, pick, type Random } from '../../../src/demo/seeded-random.ts'
import type { MeantDescriptor, MeantEntity, MeantMessage, MeantTrip } from '../../oracles/naive-feed-model.ts'

/**
 * One message as it arrives. It is `broken` if its bytes are cut off, and `same` if the server responds that nothing
 * has changed.
 */
export interface SentMessage {
  readonly message: MeantMessage | 'broken' | 'same'
  readonly bytes: Uint8Array
  readonly receivedSeconds: number
}

const START_SECONDS = 1_790_000_000
const LONGEST = 12
const NOTHING = new Uint8Array(0)
const ENTITY_IDS = ['1', '2', '3', '4']
/** Each entity contains a number, its mark, by which a test recognizes it. This is the first mark. */
const FIRST_MARK = 1

/** A history of at most a dozen messages. */
export function randomHistory(random: Random): SentMessage[] {
  const sent: SentMessage[] = []
  let nowSeconds = START_SECONDS
  let mark = FIRST_MARK
  const nextMark = () => mark++
  for (let left = 1 + below(random, LONGEST); left > 0; left--) {
    // The service's clock can stand still, or be set back.
    nowSeconds += random() < 0.05 ? -below(random, 300) : below(random, 40)
    if (random() < 0.1) sent.push({ message: 'same', bytes: NOTHING, receivedSeconds: nowSeconds })
    else sent.push({ ...nextMessage(random, sent, { nowSeconds, nextMark }), receivedSeconds: nowSeconds })
  }
  return sent
}

/** Usually a new message, sometimes a repeated one; some are cut off. */
function nextMessage(
  random: Random,
  sent: readonly SentMessage[],
  moment: Moment,
): Omit<SentMessage, 'receivedSeconds'> {
  const earlier = sent.length > 0 && random() < 0.2 ? pick(random, sent) : undefined
  if (earlier?.message === 'broken' || earlier?.message === 'same') return earlier
  const { message, bytes } =
    earlier === undefined ? newMessage(random, moment) : { ...earlier, message: earlier.message }
  return random() < 0.1 ? { message: 'broken', bytes: cut(random, message, bytes) } : { message, bytes }
}

function newMessage(random: Random, moment: Moment): { message: MeantMessage; bytes: Uint8Array } {
  const message = randomMessage(random, moment)
  return { message, bytes: encode(message) }
}

interface Moment {
  readonly nowSeconds: number
  readonly nextMark: () => number
}

function randomMessage(random: Random, moment: Moment): MeantMessage {
  const entities = Array.from({ length: below(random, 5) }, () => randomEntity(random, moment))
  const isDifferential = random() < 0.6
  return { isDifferential, headerSeconds: randomHeader(random, moment.nowSeconds), entities }
}

/**
 * A header time: usually the current time; sometimes absent, unchanged, earlier, slightly ahead (which is plausible) or
 * far ahead.
 */
function randomHeader(random: Random, nowSeconds: number): number | undefined {
  const kind = random()
  if (kind < 0.1) return undefined
  if (kind < 0.2) return START_SECONDS + below(random, 3) * 20
  if (kind < 0.3) return nowSeconds + 58 + below(random, 5)
  if (kind < 0.35) return START_SECONDS + 10_000 + below(random, 3)
  return nowSeconds - below(random, 20)
}

function randomEntity(random: Random, { nowSeconds, nextMark }: Moment): MeantEntity {
  const seconds = () => (random() < 0.5 ? undefined : nowSeconds - below(random, 60))
  return {
    id: pick(random, ENTITY_IDS),
    isDeleted: random() < 0.2,
    trip: random() < 0.6 ? randomTrip(random, seconds()) : undefined,
    vehicle: random() < 0.4 ? { vehicleId: pick(random, [undefined, 'bus', 'tram']), seconds: seconds() } : undefined,
    hasAlert: random() < 0.3,
    hasModifications: random() < 0.15,
    mark: nextMark(),
  }
}

function randomTrip(random: Random, seconds: number | undefined): MeantTrip {
  const descriptor: MeantDescriptor = {
    tripId: pick(random, [undefined, 'a', 'b', 'c']),
    routeId: pick(random, [undefined, 'r']),
    startDate: pick(random, [undefined, '20260921', '20260921']),
    startTime: pick(random, [undefined, undefined, '08:00:00']),
    isCanceled: random() < 0.2,
  }
  const copyId = descriptor.tripId !== undefined && random() < 0.1 ? pick(random, ['copy', 'other']) : undefined
  return { descriptor, copyId, seconds }
}

function encode({ isDifferential, headerSeconds, entities }: MeantMessage): Uint8Array {
  const header = { gtfsRealtimeVersion: '2.0', incrementality: isDifferential ? 1 : 0, timestamp: headerSeconds }
  return transit_realtime.FeedMessage.encode({ header, entity: entities.map(toWire) }).finish()
}

/** Encodes an entity. Its mark becomes a delay, a sequence number or a string. */
function toWire({
  id,
  isDeleted,
  trip,
  vehicle,
  hasAlert,
  hasModifications,
  mark,
}: MeantEntity): transit_realtime.IFeedEntity {
  const { CANCELED, DUPLICATED, SCHEDULED } = transit_realtime.TripDescriptor.ScheduleRelationship
  const usual = trip?.descriptor.isCanceled ? CANCELED : SCHEDULED
  return {
    id,
    isDeleted,
    tripUpdate: trip && {
      trip: { ...trip.descriptor, scheduleRelationship: trip.copyId === undefined ? usual : DUPLICATED },
      tripProperties: trip.copyId === undefined ? undefined : { tripId: trip.copyId },
      timestamp: trip.seconds,
      delay: mark,
    },
    vehicle: vehicle && {
      vehicle: vehicle.vehicleId === undefined ? undefined : { id: vehicle.vehicleId },
      timestamp: vehicle.seconds,
      currentStopSequence: mark,
    },
    alert: hasAlert ? { headerText: { translation: [{ text: String(mark) }] } } : undefined,
    tripModifications: hasModifications ? { serviceDates: [String(mark)] } : undefined,
  }
}

/** The bytes of a message, cut off within its last entity, or within its header if it has no entity. */
function cut(random: Random, { entities }: MeantMessage, bytes: Uint8Array): Uint8Array {
  const last = entities.at(-1)
  const lastLength =
    last === undefined ? bytes.length - 2 : transit_realtime.FeedEntity.encode(toWire(last)).finish().length
  return bytes.subarray(0, bytes.length - 1 - below(random, lastLength + 1))
}
