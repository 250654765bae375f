// What the messages of a live history say, as plainly as it can be put: written by random-told.ts, read by the model and, as
// bytes, by the service. Times are seconds after 1970.

/** Of a trip. */
export type TripWord =
  | 'SCHEDULED'
  | 'ADDED'
  | 'UNSCHEDULED'
  | 'CANCELED'
  | 'REPLACEMENT'
  | 'DUPLICATED'
  | 'DELETED'
  | 'NEW'
/** Of a call. */
export type CallWord = 'SCHEDULED' | 'SKIPPED' | 'NO_DATA' | 'UNSCHEDULED'

/** Arrival or departure. */
export interface ToldEvent {
  readonly time?: number
  readonly delay?: number
  readonly scheduled?: number
}

/** One call of an update. */
export interface ToldCall {
  readonly sequence?: number
  readonly stop?: string
  readonly word: CallWord
  readonly arrival?: ToldEvent
  readonly departure?: ToldEvent
  readonly assigned?: string
  readonly headsign?: string
  readonly pickup?: number
  readonly dropOff?: number
}

/** Which trip is meant. */
export interface ToldTrip {
  readonly tripId?: string
  readonly route?: string
  readonly direction?: number
  /** yyyymmdd. */
  readonly date?: string
  /** Seconds after the service day's zero. */
  readonly start?: number
  readonly word: TripWord
}

/** One trip update. */
export interface ToldUpdate {
  readonly id: string
  readonly trip: ToldTrip
  readonly seconds?: number
  readonly delay?: number
  readonly copy?: { readonly tripId?: string; readonly date?: string; readonly start?: number }
  readonly headsign?: string
  readonly calls: readonly ToldCall[]
}

/** One vehicle. */
export interface ToldVehicle {
  readonly id: string
  readonly trip: ToldTrip
  readonly seconds?: number
  readonly sequence?: number
  readonly stop?: string
}

/** One message. */
export interface ToldMessage {
  readonly seconds: number
  readonly isDifferential: boolean
  readonly deleted: readonly string[]
  readonly updates: readonly ToldUpdate[]
  readonly vehicles: readonly ToldVehicle[]
}
