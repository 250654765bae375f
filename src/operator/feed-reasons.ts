// What the reasons mean by which live updates are left, or mended: in words for an operator, who may have to ask an agency.
import type { CallFailure } from '../../indexes/live/match-calls.ts'
import type { MatchFailure } from '../../indexes/live/match-trips.ts'
import type { PredictionFlaw } from '../../indexes/live/predict.ts'

type AddedFailure =
  | 'added_without_route'
  | 'added_without_calls'
  | 'added_too_fast'
  | 'duplicate_without_name'
  | 'replacement_without_calls'
type Oddity =
  | 'repeated_trip'
  | 'added_trip_is_known'
  | 'description_of_another_trip'
  | 'call_without_time'
  | 'unknown_modification'
  | 'bad_modification'

const WORDS: Readonly<Record<MatchFailure | CallFailure | PredictionFlaw | AddedFailure | Oddity, string>> = {
  no_trip_id: 'it names no trip, and describes none by route, start and date',
  unknown_trip: 'the timetable has no such trip, and it describes none by route, start and date',
  bad_start_date: 'its start_date is no date',
  no_service_on_date: 'the timetable has the trip, but not on its start_date',
  no_start_date: 'it gives no start_date, and the trip runs on no day near',
  no_start_time: 'the trip runs by frequency, and it gives no start_time',
  no_such_run: 'the trip runs by frequency, and has no run at its start_time',
  ambiguous_descriptor: 'several trips fit its route, start and date',
  unknown_stop: 'a call is at a stop that the trip, or the timetable, does not have',
  unknown_sequence: 'a call has a stop_sequence that the trip does not have',
  stop_mismatch: 'stop_sequence and stop_id of a call contradict each other',
  ambiguous_stop: 'a call is at a stop that the trip calls at twice',
  repeated_call: 'a call is told of twice',
  negative_hop: 'a time lies before that of the call before; it was raised to it',
  negative_dwell: 'a departure lies before its arrival; it was raised to it',
  added_without_route: 'a trip is added without a route that is known',
  added_without_calls: 'a trip is added with fewer than two calls at known stops and times',
  added_too_fast: 'a trip is added that no vehicle could run',
  duplicate_without_name: 'a trip is duplicated without an id of its own',
  replacement_without_calls: 'a trip is replaced by fewer than two calls at known stops and times',
  repeated_trip: 'a trip is told of twice; the newer one counts',
  added_trip_is_known: 'a trip is added that the timetable has; it counts as that one',
  description_of_another_trip: 'it describes a trip whose stops are others',
  call_without_time: 'a call of an added trip has no time',
  unknown_modification: 'it names modifications of trips that the feeds do not have',
  bad_modification: 'a modification starts or ends at a call that the trip does not have, or overlaps another',
}

/** A reason in words; empty for one that is not known here. */
export function reasonWords(reason: string): string {
  return isKnown(reason) ? WORDS[reason] : ''
}

function isKnown(reason: string): reason is keyof typeof WORDS {
  return Object.hasOwn(WORDS, reason)
}
