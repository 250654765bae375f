// Tests the policies for faults in trips and stop times. There is one faulty feed for each GTFS validator notice that
// does not prevent the service from serving a feed. Fails if a fault is not reported, if rows other than the faulty row
// and those that refer to it are dropped, or if a line number is wrong.
import { describe } from 'bun:test'
import { SMALL_FEED } from '../feeds/text-feed.ts'
import { added, replaced } from './loaded-feed.ts'
import { checkPolicies, file } from './policy-cases.ts'

describe('trips.txt', () => {
  const shape = ['sh,48.58,7.73,1,', 'sh,48.57,7.77,2,']
  checkPolicies([
    {
      what: 'the first of duplicates wins',
      changes: added('trips.txt', '7,daily,a1,Other,1'),
      reported: ['dropped_row duplicate_key trips.txt:9 trip_id ×1 (a1)'],
    },
    {
      what: 'a trip of an unknown route is dropped with its calls',
      changes: replaced('trips.txt', 'A,daily,a1', 'X,daily,a1'),
      reported: [
        'dropped_row foreign_key_violation stop_times.txt:2 trip_id ×3 (a1)',
        'dropped_row foreign_key_violation trips.txt:2 route_id ×1 (X)',
      ],
      left: { trips: 6, calls: 16 },
    },
    {
      what: 'a trip of an unknown service is dropped with its calls',
      changes: replaced('trips.txt', 'A,daily,a1', 'A,nightly,a1'),
      reported: [
        'dropped_row foreign_key_violation stop_times.txt:2 trip_id ×3 (a1)',
        'dropped_row foreign_key_violation trips.txt:2 service_id ×1 (nightly)',
      ],
      left: { trips: 6, calls: 16 },
    },
    {
      what: 'an unknown shape of a trip is ignored',
      changes: {
        'trips.txt': (SMALL_FEED['trips.txt'] ?? '').replace('direction_id', 'shape_id'),
        ...file('shapes', ...shape),
      },
      reported: ['repaired foreign_key_violation trips.txt:2 shape_id ×7 (0)'],
      left: { shapes: 1 },
    },
    {
      what: 'a trip needs the ids of itself, its route and its service',
      changes: added('trips.txt', ',daily,x,,', 'A,,x,,', 'A,daily,,,'),
      reported: [
        'dropped_row missing_required_field trips.txt:9 route_id ×1 ()',
        'dropped_row missing_required_field trips.txt:10 service_id ×1 ()',
        'dropped_row missing_required_field trips.txt:11 trip_id ×1 ()',
      ],
    },
    {
      what: 'an unknown direction is ignored',
      changes: replaced('trips.txt', 'Port,0', 'Port,2'),
      reported: ['repaired number_out_of_range trips.txt:2 direction_id ×1 (2)'],
    },
    {
      what: 'a trip without calls is on no board; it does not count as a loss',
      changes: added('trips.txt', 'A,daily,x,,'),
      reported: ['reported unused_trip trips.txt:9 trip_id ×1 (x)'],
    },
    {
      what: 'a trip whose calls are all dropped is dropped, and counts as a loss',
      changes: {
        ...added('trips.txt', 'A,daily,x,,', 'A,daily,y,,'),
        ...added('stop_times.txt', 'x,8:00:00,8:00:00,X,1', 'x,8:10:00,8:10:00,Y,2', 'y,8:00:00,8:00:00,X,1'),
      },
      reported: [
        'dropped_row foreign_key_violation stop_times.txt:21 stop_id ×3 (X)',
        'dropped_row unusable_trip trips.txt:9 trip_id ×1 (x)',
        'dropped_row missing_stop_times_record trips.txt:10 trip_id ×1 (y)',
      ],
    },
    {
      what: 'a trip with one call is dropped with the call',
      changes: { ...added('trips.txt', 'A,daily,x,,'), ...added('stop_times.txt', 'x,8:00:00,8:00:00,G,1') },
      reported: ['dropped_row missing_stop_times_record trips.txt:9 trip_id ×1 (x)'],
    },
    {
      what: 'a trip with too few valid calls is dropped',
      changes: {
        ...added('trips.txt', 'A,daily,x,,'),
        ...added('stop_times.txt', 'x,8:00:00,8:00:00,G,1', 'x,,,P,2'),
      },
      reported: [
        'dropped_row missing_trip_edge stop_times.txt:22  ×1 (the last call has no time)',
        'dropped_row unusable_trip trips.txt:9 trip_id ×1 (x)',
      ],
    },
  ])
})

describe('stop_times.txt', () => {
  checkPolicies([
    {
      what: 'a call of an unknown trip is dropped',
      changes: added('stop_times.txt', 'x,9:00:00,9:00:00,G,1'),
      reported: ['dropped_row foreign_key_violation stop_times.txt:21 trip_id ×1 (x)'],
    },
    {
      what: 'a call at an unknown stop is dropped',
      changes: added('stop_times.txt', 'a1,9:00:00,9:00:00,X,9'),
      reported: ['dropped_row foreign_key_violation stop_times.txt:21 stop_id ×1 (X)'],
    },
    {
      what: 'a call needs trip, stop and sequence',
      changes: added('stop_times.txt', ',9:00:00,9:00:00,G,9', 'a1,9:00:00,9:00:00,,9', 'a1,9:00:00,9:00:00,G,'),
      reported: [
        'dropped_row missing_required_field stop_times.txt:21 trip_id ×1 ()',
        'dropped_row missing_required_field stop_times.txt:22 stop_id ×1 ()',
        'dropped_row missing_required_field stop_times.txt:23 stop_sequence ×1 ()',
      ],
    },
    {
      what: 'a sequence is zero or more',
      changes: added('stop_times.txt', 'a1,9:00:00,9:00:00,G,last', 'a1,9:00:00,9:00:00,G,-1'),
      reported: [
        'dropped_row invalid_integer stop_times.txt:21 stop_sequence ×1 (last)',
        'dropped_row number_out_of_range stop_times.txt:22 stop_sequence ×1 (-1)',
      ],
    },
    {
      what: 'the first of two calls with the same sequence wins',
      changes: added('stop_times.txt', 'a1,8:06:00,8:06:00,CB,2'),
      reported: ['dropped_row duplicate_key stop_times.txt:21  ×1 (stop_sequence 2)'],
    },
    {
      what: 'a call with an invalid time is dropped',
      changes: added('stop_times.txt', 'a1,9:00,9:00:00,G,9', 'a1,9:00:00,noon,G,10'),
      reported: [
        'dropped_row invalid_time stop_times.txt:21 arrival_time ×1 (9:00)',
        'dropped_row invalid_time stop_times.txt:22 departure_time ×1 (noon)',
      ],
    },
    {
      what: 'a call before the previous departure is dropped',
      changes: added('stop_times.txt', 'a1,8:11:00,8:30:00,T,4'),
      reported: [
        'dropped_row stop_time_with_arrival_before_previous_departure_time stop_times.txt:21  ×1 (60 s earlier)',
      ],
    },
    {
      what: 'a call that departs before it arrives is dropped',
      changes: added('stop_times.txt', 'a1,8:30:00,8:29:00,T,4'),
      reported: ['dropped_row start_and_end_range_out_of_order stop_times.txt:21  ×1 (departure 60 s before arrival)'],
    },
    {
      what: 'a single time counts as arrival and departure',
      changes: added('stop_times.txt', 'a1,8:30:00,,T,4', 'a1,,8:40:00,G,5'),
      reported: [
        'repaired stop_time_with_only_arrival_or_departure_time stop_times.txt:21 departure_time ×1 ()',
        'repaired stop_time_with_only_arrival_or_departure_time stop_times.txt:22 arrival_time ×1 ()',
      ],
      left: { calls: 21 },
    },
    {
      what: 'untimed calls at the ends of a trip are dropped',
      changes: added('stop_times.txt', 'a1,,,T,0', 'a1,,,T,4', 'a1,,,G,5'),
      reported: ['dropped_row missing_trip_edge stop_times.txt:21  ×3 (the first call has no time)'],
    },
    {
      what: 'a time point without a time is interpolated like others',
      changes: {
        'stop_times.txt': (SMALL_FEED['stop_times.txt'] ?? '')
          .replace('stop_sequence', 'stop_sequence,timepoint')
          .replace('a1,08:05:00,08:05:30,CA,2', 'a1,,,CA,2,1')
          .replace(/,(\d)$/gm, ',$1,0')
          .replace('CA,2,1,0', 'CA,2,1'),
      },
      reported: ['repaired stop_time_timepoint_without_times stop_times.txt:3 timepoint ×1 (1)'],
    },
    {
      what: 'a call with an invalid boarding or alighting type is dropped',
      changes: {
        'stop_times.txt': `${(SMALL_FEED['stop_times.txt'] ?? '').replace('stop_sequence', 'stop_sequence,pickup_type,drop_off_type').replace(/,(\d)$/gm, ',$1,0,')}\na1,9:00:00,9:00:00,G,9,4,\na1,9:00:00,9:00:00,G,10,,no`,
      },
      reported: [
        'dropped_row number_out_of_range stop_times.txt:21 pickup_type ×1 (4)',
        'dropped_row invalid_integer stop_times.txt:22 drop_off_type ×1 (no)',
      ],
    },
    {
      what: 'calls at stations, entrances or nodes are dropped',
      changes: {
        ...added('stops.txt', 'E,,E,48.5,7.7,2,S,,', 'N,,N,48.5,7.7,3,S,,'),
        ...added('stop_times.txt', 'a1,9:00:00,9:00:00,S,9', 'a1,9:00:00,9:00:00,E,10', 'a1,9:00:00,9:00:00,N,11'),
      },
      reported: ['dropped_row location_with_unexpected_stop_time stop_times.txt:21 stop_id ×3 (S)'],
      left: { stops: 8 },
    },
    {
      what: 'a row with surplus values is dropped; a short one is padded',
      changes: added('stop_times.txt', 'a1,8:30:00,8:30:00,T,4,x', 'a1,8:30:00,8:30:00,T,4,'),
      reported: [
        'dropped_row invalid_row_length stop_times.txt:21  ×1 (6 fields, the header has 5)',
        'repaired invalid_row_length stop_times.txt:22  ×1 (6 fields, the header has 5)',
      ],
      left: { calls: 20 },
    },
  ])
})
