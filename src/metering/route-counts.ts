// The number of responses that data threads sent, by key, route and status class. metrics/thread-counts.ts counts them.
// These counts are never billed: meter.ts counts the units.

/** Numbers of responses in four status classes: 2xx and 3xx; 4xx except 429; 429; 5xx. */
export type AnswerCounts = readonly [answered: number, refused: number, overLimit: number, failed: number]

/** The responses for one key on one route. */
export interface RouteCount {
  readonly keyId: string
  /** The path's template, such as `/v1/stops/{id}`. */
  readonly route: string
  readonly answers: AnswerCounts
}

/**
 * The responses of a few seconds within one UTC day. This is a plain object that a data thread sends to the control
 * thread.
 */
export interface RouteReport {
  /** UTC days since 1970-01-01. */
  readonly utcDay: number
  readonly counts: readonly RouteCount[]
}
