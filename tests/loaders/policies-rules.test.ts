// Tests the policies for faults in calendars, shapes, frequencies and transfers. There is one faulty feed for each GTFS
// validator notice that does not prevent the service from serving a feed. Fails if a fault is not reported, if rows
// other than the faulty row and those that refer to it are dropped, or if a line number is wrong.
import { describe } from 'bun:test'
import { added, replaced } from './loaded-feed.ts'
import { checkPolicies, file } from './policy-cases.ts'

describe('calendar.txt and calendar_dates.txt', () => {
  checkPolicies([
    {
      what: 'the first of duplicates wins',
      changes: {
        ...added('calendar.txt', 'daily,0,0,0,0,0,0,0,20260101,20261231'),
        ...file('calendar_dates', 'daily,20260501,2', 'daily,20260501,1'),
      },
      reported: [
        'dropped_row duplicate_key calendar.txt:3 service_id ×1 (daily)',
        'dropped_row duplicate_key calendar_dates.txt:3 date ×1 (20260501)',
      ],
    },
    {
      what: 'a row with a day that does not exist is dropped',
      changes: {
        ...added('calendar.txt', 'x,1,1,1,1,1,1,1,20260229,20261231', 'x,1,1,1,1,1,1,1,20260101,2026-12-31'),
        ...file('calendar_dates', 'daily,20261301,1', 'daily,+2026101,1', 'daily,020260101,1'),
      },
      reported: [
        'dropped_row invalid_date calendar.txt:3 start_date ×1 (20260229)',
        'dropped_row invalid_date calendar.txt:4 end_date ×1 (2026-12-31)',
        'dropped_row invalid_date calendar_dates.txt:2 date ×3 (20261301)',
      ],
    },
    {
      what: 'a row whose end is before its start is dropped',
      changes: added('calendar.txt', 'x,1,1,1,1,1,1,1,20261231,20260101'),
      reported: ['dropped_row start_and_end_range_out_of_order calendar.txt:3 end_date ×1 (20260101)'],
    },
    {
      what: 'weekdays and exception types have the allowed numbers',
      changes: {
        ...added('calendar.txt', 'x,2,1,1,1,1,1,1,20260101,20261231', 'x,1,yes,1,1,1,1,1,20260101,20261231'),
        ...file('calendar_dates', 'daily,20260501,3', 'daily,20260501,no'),
      },
      reported: [
        'dropped_row number_out_of_range calendar.txt:3 monday ×1 (2)',
        'dropped_row invalid_integer calendar.txt:4 tuesday ×1 (yes)',
        'dropped_row number_out_of_range calendar_dates.txt:2 exception_type ×1 (3)',
        'dropped_row invalid_integer calendar_dates.txt:3 exception_type ×1 (no)',
      ],
    },
    {
      what: 'every value is required',
      changes: {
        ...added('calendar.txt', ',1,1,1,1,1,1,1,20260101,20261231', 'x,1,1,1,,1,1,1,20260101,20261231'),
        ...file('calendar_dates', 'daily,,1'),
      },
      reported: [
        'dropped_row missing_required_field calendar.txt:3 service_id ×1 ()',
        'dropped_row missing_required_field calendar.txt:4 thursday ×1 ()',
        'dropped_row missing_required_field calendar_dates.txt:2 date ×1 ()',
      ],
    },
  ])
})

describe('shapes.txt', () => {
  checkPolicies([
    {
      what: 'points need all values except the distance',
      changes: file('shapes', 's,48.5,7.7,1,', ',48.5,7.7,2,', 's,,7.7,3,', 's,48.5,7.7,,'),
      reported: [
        'dropped_row missing_required_field shapes.txt:3 shape_id ×1 ()',
        'dropped_row missing_required_field shapes.txt:4 shape_pt_lat ×1 ()',
        'dropped_row missing_required_field shapes.txt:5 shape_pt_sequence ×1 ()',
      ],
      left: { shapes: 1 },
    },
    {
      what: 'points need a valid position',
      changes: file(
        'shapes',
        's,48.5,7.7,1,',
        's,x,7.7,2,',
        's,91,7.7,3,',
        's,0,0,4,',
        's,89.9,0,5,',
        's,48.5,7.7,x,',
        's,48.5,7.7,-1,',
      ),
      reported: [
        'dropped_row invalid_float shapes.txt:3 shape_pt_lat ×1 (x)',
        'dropped_row number_out_of_range shapes.txt:4 shape_pt_lat ×1 (91)',
        'dropped_row point_near_origin shapes.txt:5 shape_pt_lat ×1 (0)',
        'dropped_row point_near_pole shapes.txt:6 shape_pt_lat ×1 (89.9)',
        'dropped_row invalid_integer shapes.txt:7 shape_pt_sequence ×1 (x)',
        'dropped_row number_out_of_range shapes.txt:8 shape_pt_sequence ×1 (-1)',
      ],
      left: { shapes: 1 },
    },
    {
      what: 'the first of two points with the same sequence wins',
      changes: file('shapes', 's,48.5,7.7,1,', 's,48.6,7.7,2,', 's,48.7,7.7,1,'),
      reported: ['dropped_row duplicate_key shapes.txt:4 shape_pt_sequence ×1 (1)'],
      left: { shapes: 1 },
    },
    {
      what: 'a decreasing or invalid distance is ignored',
      changes: file(
        'shapes',
        's,48.5,7.7,1,0',
        's,48.6,7.7,2,9',
        's,48.7,7.7,3,8',
        't,48.5,7.7,1,far',
        't,48.5,7.7,2,-1',
      ),
      reported: [
        'repaired decreasing_shape_distance shapes.txt:4 shape_dist_traveled ×1 (shape s: 8 after 9)',
        'repaired invalid_float shapes.txt:5 shape_dist_traveled ×1 (far)',
        'repaired number_out_of_range shapes.txt:6 shape_dist_traveled ×1 (-1)',
      ],
      left: { shapes: 2 },
    },
    {
      what: 'a distance that stays the same over a hundred meters is ignored; over a tenth of a meter, it is kept',
      changes: file('shapes', 's,48.500,7.7,1,0', 's,48.501,7.7,2,0', 't,48.500000,7.7,1,0', 't,48.500001,7.7,2,0'),
      reported: [
        'repaired equal_shape_distance_diff_coordinates shapes.txt:3 shape_dist_traveled ×1 (shape s: 0 twice)',
      ],
      left: { shapes: 2 },
    },
  ])
})

describe('frequencies.txt', () => {
  checkPolicies([
    {
      what: 'of overlapping windows of a trip, the first wins; adjacent ones and those of other trips are kept',
      changes: file(
        'frequencies',
        'a1,6:00:00,8:00:00,600,0',
        'a1,8:00:00,9:00:00,300,1',
        'a1,7:59:59,8:00:01,60,0',
        'a2,7:00:00,9:00:00,600,',
      ),
      reported: ['dropped_row overlapping_frequency frequencies.txt:4 start_time ×1 (7:59:59)'],
      left: { frequencies: 3 },
    },
    {
      what: 'a window ends after its start',
      changes: file('frequencies', 'a1,6:00:00,6:00:00,600,0', 'a1,7:00:00,6:00:00,600,0'),
      reported: [
        'dropped_row start_and_end_range_equal frequencies.txt:2 end_time ×1 (6:00:00)',
        'dropped_row start_and_end_range_out_of_order frequencies.txt:3 end_time ×1 (6:00:00)',
      ],
    },
    {
      what: 'a headway is a positive number',
      changes: file('frequencies', 'a1,6:00:00,7:00:00,0,0', 'a1,6:00:00,7:00:00,-60,0', 'a1,6:00:00,7:00:00,often,0'),
      reported: [
        'dropped_row number_out_of_range frequencies.txt:2 headway_secs ×2 (0)',
        'dropped_row invalid_integer frequencies.txt:4 headway_secs ×1 (often)',
      ],
    },
    {
      what: 'a window has a known trip and valid times',
      changes: file('frequencies', 'x,6:00:00,7:00:00,600,0', 'a1,6,7:00:00,600,0', 'a1,,7:00:00,600,0'),
      reported: [
        'dropped_row foreign_key_violation frequencies.txt:2 trip_id ×1 (x)',
        'dropped_row invalid_time frequencies.txt:3 start_time ×1 (6)',
        'dropped_row missing_required_field frequencies.txt:4 start_time ×1 ()',
      ],
    },
    {
      what: 'an unknown value of exact_times is ignored',
      changes: file('frequencies', 'a1,6:00:00,7:00:00,600,2'),
      reported: ['repaired number_out_of_range frequencies.txt:2 exact_times ×1 (2)'],
      left: { frequencies: 1 },
    },
  ])
})

describe('transfers.txt', () => {
  const entrance = added('stops.txt', 'E,,E,48.5,7.7,2,S,,')
  checkPolicies([
    {
      what: 'a rule for something unknown is dropped',
      changes: file(
        'transfers',
        'X,G,,,,,0,',
        'G,X,,,,,0,',
        'G,P,X,,,,0,',
        'G,P,,X,,,0,',
        'G,P,,,x,,0,',
        'G,P,,,,x,0,',
        'G,P,,,,,2,180',
      ),
      reported: [
        'dropped_row foreign_key_violation transfers.txt:2 from_stop_id ×1 (X)',
        'dropped_row foreign_key_violation transfers.txt:3 to_stop_id ×1 (X)',
        'dropped_row foreign_key_violation transfers.txt:4 from_route_id ×1 (X)',
        'dropped_row foreign_key_violation transfers.txt:5 to_route_id ×1 (X)',
        'dropped_row foreign_key_violation transfers.txt:6 from_trip_id ×1 (x)',
        'dropped_row foreign_key_violation transfers.txt:7 to_trip_id ×1 (x)',
      ],
      left: { transfers: 1 },
    },
    {
      what: 'a rule applies to stops and stations, not to entrances',
      changes: { ...entrance, ...file('transfers', 'S,G,,,,,0,', 'E,G,,,,,0,', 'G,E,,,,,0,') },
      reported: [
        'dropped_row transfer_with_invalid_stop_location_type transfers.txt:3 from_stop_id ×1 (E)',
        'dropped_row transfer_with_invalid_stop_location_type transfers.txt:4 to_stop_id ×1 (E)',
      ],
      left: { stops: 7, transfers: 1 },
    },
    {
      what: 'a trip in a rule must belong to the route in the rule',
      changes: file('transfers', 'P,CB,A,7,a1,b1,1,', 'P,CB,7,,a1,,1,', 'P,CB,,A,,b1,1,'),
      reported: [
        'dropped_row transfer_with_invalid_trip_and_route transfers.txt:3 from_trip_id ×1 (a1)',
        'dropped_row transfer_with_invalid_trip_and_route transfers.txt:4 to_trip_id ×1 (b1)',
      ],
      left: { transfers: 1 },
    },
    {
      what: 'a trip in a rule must call at the stop in the rule, or at a platform of the station',
      changes: file('transfers', 'CA,CB,,,a1,b1,1,', 'S,S,,,a1,b1,1,', 'CB,CB,,,a1,b1,1,', 'CA,G,,,a1,b1,1,'),
      reported: [
        'dropped_row transfer_with_invalid_trip_and_stop transfers.txt:4 from_trip_id ×1 (a1)',
        'dropped_row transfer_with_invalid_trip_and_stop transfers.txt:5 to_trip_id ×1 (b1)',
      ],
      left: { transfers: 2 },
    },
    {
      what: 'a rule needs both ends: trips for staying seated, stops for all else',
      changes: file('transfers', ',,,,a1,r1,4,', 'G,P,,,,,4,', ',,,,a1,r1,0,', 'G,P,,,,,,'),
      reported: [
        'dropped_row missing_required_field transfers.txt:3 from_trip_id ×1 ()',
        'dropped_row missing_required_field transfers.txt:4 from_stop_id ×1 ()',
      ],
      left: { transfers: 2 },
    },
    {
      what: 'types of rules are 0 to 5, and times are not negative',
      changes: file('transfers', 'G,P,,,,,6,', 'G,P,,,,,no,', 'G,P,,,,,2,-1'),
      reported: [
        'dropped_row number_out_of_range transfers.txt:2 transfer_type ×1 (6)',
        'dropped_row invalid_integer transfers.txt:3 transfer_type ×1 (no)',
        'repaired number_out_of_range transfers.txt:4 min_transfer_time ×1 (-1)',
      ],
      left: { transfers: 1 },
    },
  ])
})

describe('any file', () => {
  checkPolicies([
    {
      what: 'a column without a name is skipped',
      changes: replaced('routes.txt', 'route_sort_order', 'route_sort_order,,'),
      reported: ['repaired empty_column_name routes.txt:1  ×2 (column 9)'],
    },
    {
      what: 'a line break within a value becomes a blank',
      changes: replaced('stops.txt', 'Port du Rhin', '"Port\ndu Rhin"'),
      reported: ['repaired new_line_in_value stops.txt:6  ×1 ()'],
    },
  ])
})

describe('pathways.txt', () => {
  const pathways = (...rows: readonly string[]) => file('pathways', ...rows)
  checkPolicies([
    {
      what: 'both ends must exist, be in one station, and not be a station',
      changes: pathways('a,CA,CB,1,1,,,', 'b,CA,nowhere,1,1,,,', 'c,S,CB,1,1,,,', 'd,CA,G,1,1,,,', 'e,G,P,1,1,,,'),
      reported: [
        'dropped_row foreign_key_violation pathways.txt:3 to_stop_id ×1 (nowhere)',
        'dropped_row pathway_to_wrong_location_type pathways.txt:4 from_stop_id ×1 (S)',
        'dropped_row pathway_between_stations pathways.txt:5 to_stop_id ×2 (G)',
      ],
      left: { pathways: 1 },
    },
    {
      what: 'required values must exist, and the first of duplicates wins',
      changes: pathways(
        'a,CA,CB,1,1,,,',
        'a,CB,CA,1,1,,,',
        ',CA,CB,1,1,,,',
        'b,,CB,1,1,,,',
        'c,CA,CB,1,,,,',
        'd,CA,CB,,1,,,',
      ),
      reported: [
        'dropped_row duplicate_key pathways.txt:3 pathway_id ×1 (a)',
        'dropped_row missing_required_field pathways.txt:4 pathway_id ×1 ()',
        'dropped_row missing_required_field pathways.txt:5 from_stop_id ×1 ()',
        'dropped_row missing_required_field pathways.txt:6 is_bidirectional ×1 ()',
        'reported missing_required_field pathways.txt:7 pathway_mode ×1 ()',
      ],
      left: { pathways: 2 },
    },
    {
      what: 'is_bidirectional is 0 or 1; an exit gate is never bidirectional',
      changes: pathways('a,CA,CB,1,2,,,', 'b,CA,CB,1,yes,,,', 'c,CA,CB,7,1,,,', 'd,CA,CB,9,1,,,', 'e,CA,CB,up,1,,,'),
      reported: [
        'dropped_row number_out_of_range pathways.txt:2 is_bidirectional ×1 (2)',
        'dropped_row invalid_integer pathways.txt:3 is_bidirectional ×1 (yes)',
        'repaired bidirectional_exit_gate pathways.txt:4 is_bidirectional ×1 (1)',
        'repaired number_out_of_range pathways.txt:5 pathway_mode ×1 (9)',
        'repaired invalid_integer pathways.txt:6 pathway_mode ×1 (up)',
      ],
      left: { pathways: 3 },
    },
    {
      what: 'times, lengths and stairs are numbers or missing; a fraction of a second is rounded up',
      changes: pathways(
        'a,CA,CB,1,1,-4,20.5,7000000',
        'b,CA,CB,1,1,far,-3,many',
        'c,CA,CB,1,1,3.5,soon,-12',
        'd,CA,CB,1,1,3.5,20,12',
      ),
      reported: [
        'repaired invalid_integer pathways.txt:2 traversal_time ×2 (20.5)',
        'repaired number_out_of_range pathways.txt:2 length ×1 (-4)',
        'repaired number_out_of_range pathways.txt:2 stair_count ×1 (7000000)',
        'repaired number_out_of_range pathways.txt:3 traversal_time ×1 (-3)',
        'repaired invalid_float pathways.txt:3 length ×1 (far)',
        'repaired invalid_integer pathways.txt:3 stair_count ×1 (many)',
      ],
      left: { pathways: 4 },
    },
  ])
})
