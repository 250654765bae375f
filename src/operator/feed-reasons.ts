// Explains why live updates are ignored or repaired, in words that an operator can pass on to the agency.
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
  no_trip_id: 'it has no trip_id, and no route, start time and date to identify the trip',
  unknown_trip:
    'the timetable has no such trip_id, and the update has no route, start time and date to identify the trip',
  bad_start_date: 'its start_date is not a valid date',
  no_service_on_date: 'the trip does not run on its start_date',
  no_start_date: 'it has no start_date, and the trip does not run around today',
  no_start_time: 'the trip is frequency-based, but the update has no start_time',
  no_such_run: 'the trip is frequency-based, but has no run at this start_time',
  ambiguous_descriptor: 'several trips match its route, start time and date',
  unknown_stop: 'a stop_id is not on the trip or not in the timetable',
  unknown_sequence: 'a stop_sequence is not on the trip',
  stop_mismatch: 'a call’s stop_sequence and stop_id contradict each other',
  ambiguous_stop: 'a call has only a stop_id, and the trip visits that stop twice',
  repeated_call: 'a call appears twice',
  negative_hop: 'a time is earlier than the time at the previous call; the previous call’s time is used instead',
  negative_dwell: 'a departure is earlier than the arrival; the arrival time is used instead',
  added_without_route: 'an added trip has no known route',
  added_without_calls: 'an added trip has fewer than two calls with known stops and times',
  added_too_fast: 'an added trip is faster than any vehicle',
  duplicate_without_name: 'a duplicated trip has no id of its own',
  replacement_without_calls: 'a replacement trip has fewer than two calls with known stops and times',
  repeated_trip: 'a trip appears twice; the newer update is used',
  added_trip_is_known: 'an added trip is already in the timetable; it updates that trip',
  description_of_another_trip: 'it describes a trip with different stops',
  call_without_time: 'a call on an added trip has no time',
  unknown_modification: 'it refers to trip modifications that no feed defines',
  bad_modification: 'a modification starts or ends at a call that is not on the trip, or overlaps another modification',
}

/** Explains a reason; empty if the reason is unknown. */
export function reasonWords(reason: string): string {
  return isKnown(reason) ? WORDS[reason] : ''
}

function isKnown(reason: string): reason is keyof typeof WORDS {
  return Object.hasOwn(WORDS, reason)
}
