// The messages of a live history in the simplest form. random-messages.ts generates them and the model reads them in
// this form. The service reads the same messages as bytes. Times are seconds after 1970.

/** Schedule relationships of a trip. */
export type TripWord =
  | 'SCHEDULED'
  | 'ADDED'
  | 'UNSCHEDULED'
  | 'CANCELED'
  | 'REPLACEMENT'
  | 'DUPLICATED'
  | 'DELETED'
  | 'NEW'
/** Schedule relationships of a call. */
export type CallWord = 'SCHEDULED' | 'SKIPPED' | 'NO_DATA' | 'UNSCHEDULED'

/** Arrival or departure. */
export interface ReportedEvent {
  readonly time?: number
  readonly delay?: number
  readonly scheduled?: number
}

/** One call in a trip update. */
export interface ReportedCall {
  readonly sequence?: number
  readonly stop?: string
  readonly word: CallWord
  readonly arrival?: ReportedEvent
  readonly departure?: ReportedEvent
  readonly assigned?: string
  readonly headsign?: string
  readonly pickup?: number
  readonly dropOff?: number
}

/** The trip that a message refers to. */
export interface ReportedTrip {
  readonly tripId?: string
  readonly route?: string
  readonly direction?: number
  /** yyyymmdd. */
  readonly date?: string
  /** Seconds after the service day's zero, which is noon minus 12 hours. */
  readonly start?: number
  readonly word: TripWord
}

/** One trip update. */
export interface ReportedUpdate {
  readonly id: string
  readonly trip: ReportedTrip
  readonly seconds?: number
  readonly delay?: number
  readonly copy?: { readonly tripId?: string; readonly date?: string; readonly start?: number }
  readonly headsign?: string
  readonly calls: readonly ReportedCall[]
}

/** One vehicle. */
export interface ReportedVehicle {
  readonly id: string
  readonly trip: ReportedTrip
  readonly seconds?: number
  readonly sequence?: number
  readonly stop?: string
}

/** One message. */
export interface ReportedMessage {
  readonly seconds: number
  readonly isDifferential: boolean
  readonly deleted: readonly string[]
  readonly updates: readonly ReportedUpdate[]
  readonly vehicles: readonly ReportedVehicle[]
}
