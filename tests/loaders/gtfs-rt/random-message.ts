// Random feed messages for the bindings to encode, rich in edge cases for the decoder: absent fields and defaults,
// empty strings and parts, limits of number types, unknown enum values, and extension fields.
import { transit_realtime } from 'gtfs-realtime-bindings'
import { below, pick, type Random } from '../../../src/demo/seeded-random.ts'

const TEXTS = ['', 'a', 'b', 'trip:1', 'Straße', '\u{1f600}', '\ufeffmark', 'é'.repeat(60), 'x'.repeat(200)]
const TIMES = ['', '08:00:00', '8:00:00', '25:59:59', '100:00:00', '24:60:00', '08:00', 'noon', '-1:00:00']
const DATES = ['', '20260512', '2026-05-12', '20260513']
const INSTANTS = [
  0,
  1,
  1_778_565_600,
  1_778_565_600,
  1_778_569_200,
  253_402_300_799,
  253_402_300_800,
  1_778_565_600_000,
  // The largest integer that a double can represent exactly: the bindings do not accept larger plain numbers.
  Number.MAX_SAFE_INTEGER,
]
const DELAYS = [0, 0, 60, -60, 3600, 2_147_483_647, -2_147_483_648]
const SMALL = [0, 1, 2, 127, 128, 300, 4_294_967_295]
const FLOATS = [0, 48.85, -2.35, 90, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
const INCREMENTALITIES: readonly number[] = [0, 1, 1, 7]
/** Enum values, known and unknown. */
const ENUMS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 99, -1]

/** Generates random messages and their parts. */
export class RandomMessages {
  private readonly random: Random

  constructor(random: Random) {
    this.random = random
  }

  /** A whole message. Two entities may have the same id. */
  message(): Uint8Array {
    const { random } = this
    const entity = this.list(6, () => this.entity())
    const bytes = transit_realtime.FeedMessage.encode({
      header: {
        gtfsRealtimeVersion: pick(random, ['2.0', '1.0', '']),
        incrementality: this.sometimes(() => pick(random, INCREMENTALITIES)),
        timestamp: this.sometimes(() => pick(random, INSTANTS)),
      },
      entity,
    }).finish()
    return random() < 0.2 ? Buffer.concat([bytes, this.extension()]) : bytes
  }

  entity(): transit_realtime.IFeedEntity {
    const { random } = this
    return {
      id: pick(random, TEXTS),
      isDeleted: this.sometimes(() => random() < 0.3),
      tripUpdate: this.sometimes(() => this.tripUpdate()),
      vehicle: this.sometimes(() => this.vehicle()),
      alert: this.sometimes(() => this.alert()),
      stop: random() < 0.05 ? { stopId: 's' } : undefined,
      shape: random() < 0.1 ? { shapeId: pick(random, TEXTS), encodedPolyline: pick(random, TEXTS) } : undefined,
      tripModifications: random() < 0.2 ? this.modifications() : undefined,
    }
  }

  private modifications(): transit_realtime.ITripModifications {
    const { random } = this
    const few = <T>(make: () => T): T[] => Array.from({ length: Math.floor(random() * 3) }, make)
    const selector = () => ({
      stopSequence: this.sometimes(() => 3),
      stopId: this.sometimes(() => pick(random, TEXTS)),
    })
    return {
      selectedTrips: few(() => ({ tripIds: few(() => pick(random, TEXTS)), shapeId: pick(random, TEXTS) })),
      startTimes: few(() => pick(random, ['08:00:00', 'noon', ''])),
      serviceDates: few(() => pick(random, TEXTS)),
      modifications: few(() => ({
        startStopSelector: this.sometimes(selector),
        endStopSelector: this.sometimes(selector),
        propagatedModificationDelay: this.sometimes(() => pick(random, [0, 60, -60])),
        replacementStops: few(() => ({ travelTimeToStop: this.sometimes(() => -5), stopId: pick(random, TEXTS) })),
        serviceAlertId: this.sometimes(() => pick(random, TEXTS)),
      })),
    }
  }

  private tripUpdate(): transit_realtime.ITripUpdate {
    const { random } = this
    return {
      trip: this.trip(),
      vehicle: this.sometimes(() => this.vehicleDescriptor()),
      timestamp: this.sometimes(() => pick(random, INSTANTS)),
      delay: this.sometimes(() => pick(random, DELAYS)),
      stopTimeUpdate: this.list(4, () => this.stopTime()),
      tripProperties: this.sometimes(() => ({
        tripId: this.text(),
        startDate: this.sometimes(() => pick(random, DATES)),
        startTime: this.sometimes(() => pick(random, TIMES)),
        shapeId: this.text(),
        tripHeadsign: this.text(),
        tripShortName: this.text(),
      })),
    }
  }

  private trip(): transit_realtime.ITripDescriptor {
    const { random } = this
    return {
      tripId: this.text(),
      routeId: this.text(),
      directionId: this.sometimes(() => pick(random, SMALL)),
      startTime: this.sometimes(() => pick(random, TIMES)),
      startDate: this.sometimes(() => pick(random, DATES)),
      scheduleRelationship: this.sometimes(() => pick(random, ENUMS)),
    }
  }

  private stopTime(): transit_realtime.TripUpdate.IStopTimeUpdate {
    const { random } = this
    return {
      stopSequence: this.sometimes(() => pick(random, SMALL)),
      stopId: this.text(),
      arrival: this.sometimes(() => this.event()),
      departure: this.sometimes(() => this.event()),
      scheduleRelationship: this.sometimes(() => pick(random, ENUMS)),
      stopTimeProperties: this.sometimes(() => ({
        assignedStopId: this.text(),
        stopHeadsign: this.text(),
        pickupType: this.sometimes(() => pick(random, ENUMS)),
        dropOffType: this.sometimes(() => pick(random, ENUMS)),
      })),
    }
  }

  private event(): transit_realtime.TripUpdate.IStopTimeEvent {
    const { random } = this
    return {
      delay: this.sometimes(() => pick(random, DELAYS)),
      time: this.sometimes(() => pick(random, [...INSTANTS, -1])),
      uncertainty: this.sometimes(() => pick(random, DELAYS)),
      scheduledTime: this.sometimes(() => pick(random, [...INSTANTS, -1])),
    }
  }

  private vehicleDescriptor(): transit_realtime.IVehicleDescriptor {
    return { id: this.text(), label: this.text(), licensePlate: this.text() }
  }

  private vehicle(): transit_realtime.IVehiclePosition {
    const { random } = this
    return {
      trip: this.sometimes(() => this.trip()),
      vehicle: this.sometimes(() => this.vehicleDescriptor()),
      position: this.sometimes(() => ({
        latitude: pick(random, FLOATS),
        longitude: pick(random, FLOATS),
        bearing: this.sometimes(() => pick(random, FLOATS)),
        odometer: this.sometimes(() => pick(random, FLOATS)),
        speed: this.sometimes(() => pick(random, FLOATS)),
      })),
      currentStopSequence: this.sometimes(() => pick(random, SMALL)),
      stopId: this.text(),
      currentStatus: this.sometimes(() => pick(random, ENUMS)),
      timestamp: this.sometimes(() => pick(random, INSTANTS)),
      congestionLevel: this.sometimes(() => pick(random, ENUMS)),
      occupancyStatus: this.sometimes(() => pick(random, ENUMS)),
      multiCarriageDetails: this.list(2, () => ({ id: this.text() })),
    }
  }

  private alert(): transit_realtime.IAlert {
    const { random } = this
    return {
      activePeriod: this.list(2, () => this.timeRange()),
      communicationPeriod: this.list(2, () => this.timeRange()),
      impactPeriod: this.list(2, () => this.timeRange()),
      informedEntity: this.list(3, () => ({
        agencyId: this.text(),
        routeId: this.text(),
        routeType: this.sometimes(() => pick(random, [0, 3, 700, -1])),
        directionId: this.sometimes(() => pick(random, SMALL)),
        trip: this.sometimes(() => this.trip()),
        stopId: this.text(),
      })),
      cause: this.sometimes(() => pick(random, ENUMS)),
      effect: this.sometimes(() => pick(random, ENUMS)),
      severityLevel: this.sometimes(() => pick(random, ENUMS)),
      headerText: this.sometimes(() => this.translations()),
      descriptionText: this.sometimes(() => this.translations()),
      url: this.sometimes(() => this.translations()),
      causeDetail: this.sometimes(() => this.translations()),
    }
  }

  private timeRange(): transit_realtime.ITimeRange {
    const { random } = this
    return { start: this.sometimes(() => pick(random, INSTANTS)), end: this.sometimes(() => pick(random, INSTANTS)) }
  }

  private translations(): transit_realtime.ITranslatedString {
    return { translation: this.list(3, () => ({ text: pick(this.random, TEXTS), language: this.text() })) }
  }

  private text(): string | undefined {
    return this.sometimes(() => pick(this.random, TEXTS))
  }

  /** An unknown field: field 1001 with bytes, as in feeds of the New York subway, or a group, which is deprecated. */
  private extension(): Uint8Array {
    return this.random() < 0.5 ? Uint8Array.of(0xca, 0x3e, 2, 8, 1) : Uint8Array.of(0x7b, 0x08, 0x05, 0x7c)
  }

  private sometimes<T>(make: () => T): T | undefined {
    return this.random() < 0.5 ? make() : undefined
  }

  private list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: below(this.random, most + 1) }, make)
  }
}
