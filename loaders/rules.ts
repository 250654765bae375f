// Every rule a feed can break, in words: what is wrong, and what the service does about it. Named by the notice codes of
// the canonical GTFS validator where it has one. No rule can be reported that is not in this table.
import type { ProblemAction } from './feed-problems.ts'

/** A rule in words. */
interface RuleText {
  /** What is wrong, as a claim about the feed. */
  readonly means: string
  /** What is done, by action, or by action and field; what is not here is said by ACTION_EFFECTS. */
  readonly effects?: Readonly<Record<string, string>>
}

/** What an action does, where its rule says nothing closer. */
const ACTION_EFFECTS: Readonly<Record<ProblemAction, string>> = {
  refused_feed: 'the feed is refused; what served before goes on',
  dropped_row: 'the row is left out, and what refers to it',
  repaired: 'the value is left out; the row stays',
  reported: 'nothing is changed',
}

/** An optional file that is no use as a whole. */
const FILE_LEFT_OUT = 'the file is left out; no departure depends on it'
const CALL_LEFT_OUT = 'the call is left out; its trip keeps the others'
const RULE_LEFT_OUT = 'the transfer rule is left out'
const PATHWAY_LEFT_OUT = 'the pathway is left out; where no other leads, walks are straight lines'
const WINDOW_LEFT_OUT = 'the frequency window is left out'
const AS_NOT_GIVEN = 'the value counts as not given'

const TEXTS = {
  // The archive and its files.
  missing_feed: { means: 'nothing is at this path' },
  unreadable_zip: { means: 'the file is no zip, or a damaged one' },
  encrypted_zip: { means: 'the zip needs a password' },
  zip_bomb: { means: 'the zip unfolds to far more than a feed has' },
  zip_in_zip: {
    means: 'the zip holds another zip, and no feed',
    effects: { refused_feed: 'unpack it, and name the inner one' },
  },
  several_feeds: { means: 'it holds several feeds', effects: { refused_feed: 'name each by its own path' } },
  too_many_entries: { means: 'the zip holds more files than a feed has' },
  duplicate_file: {
    means: 'a file stands in the zip twice',
    effects: { refused_feed: 'which one is meant cannot be known: the feed is refused' },
  },
  colliding_ids: {
    means: 'two feeds of one network have the same ids',
    effects: { refused_feed: 'give one of them a prefix, which stands before its ids' },
  },
  missing_required_file: { means: 'a file is missing without which there are no departures' },
  missing_calendar_and_calendar_date_files: { means: 'neither calendar.txt nor calendar_dates.txt is there' },
  invalid_input_files_in_subfolder: {
    means: 'the files lie in a subfolder',
    effects: { repaired: 'the subfolder is entered' },
  },
  empty_file: { means: 'the file has no row that can be used', effects: { reported: FILE_LEFT_OUT } },
  csv_parsing_failed: { means: 'the file is no CSV in UTF-8', effects: { reported: FILE_LEFT_OUT } },
  too_many_rows: { means: 'the file has more rows than any timetable', effects: { reported: FILE_LEFT_OUT } },
  missing_required_column: { means: 'a column is missing that must be there', effects: { reported: FILE_LEFT_OUT } },
  duplicated_column: { means: 'two columns have one name', effects: { reported: FILE_LEFT_OUT } },
  empty_column_name: { means: 'a column has no name', effects: { repaired: 'the column is passed over' } },
  invalid_row_length: {
    means: 'a row is not as wide as the header',
    effects: {
      repaired: 'what is missing counts as empty; empty fields beyond the header are passed over',
      dropped_row: 'a value beyond the header says that fields are shifted: the row is left out',
    },
  },
  invalid_character: {
    means: 'a character of a field cannot be read',
    effects: {
      repaired: 'a field that is no UTF-8 is read as Windows-1252, NUL as a blank',
      reported: 'nothing is changed: the feed itself says that the character is lost',
    },
  },
  new_line_in_value: { means: 'a value runs over several lines', effects: { repaired: 'the line ends become blanks' } },

  // Any value.
  missing_required_field: {
    means: 'a value is empty that must be there',
    effects: { 'repaired agency_name': 'the agency’s id stands in for its name' },
  },
  duplicate_key: { means: 'a key stands twice', effects: { dropped_row: 'the first one holds; this row is left out' } },
  foreign_key_violation: {
    means: 'a value refers to what is not there',
    effects: {
      repaired: 'the reference is left out; the row stays',
      'repaired agency_id': 'the line counts as the first agency’s',
      'repaired shape_id': 'the trip has no shape',
      'repaired parent_station': 'the stop belongs to no station',
    },
  },
  invalid_integer: {
    means: 'a value is no whole number',
    effects: {
      repaired: AS_NOT_GIVEN,
      'repaired traversal_time': 'a fraction of a second is rounded up; anything else counts as not given',
    },
  },
  invalid_float: { means: 'a value is no number', effects: { repaired: AS_NOT_GIVEN } },
  number_out_of_range: {
    means: 'a number is outside its range',
    effects: {
      repaired: AS_NOT_GIVEN,
      'reported start_date': 'days before 1970 are left out',
      'reported end_date': 'days before 1970 are left out',
      'reported date': 'days before 1970 are left out',
      'repaired end_date': 'days beyond the longest calendar are left out',
      'repaired date': 'days beyond the longest calendar are left out',
    },
  },
  invalid_date: { means: 'a value is no date', effects: { repaired: AS_NOT_GIVEN } },
  invalid_time: {
    means: 'a value is no time',
    effects: {
      'dropped_row arrival_time': CALL_LEFT_OUT,
      'dropped_row departure_time': CALL_LEFT_OUT,
      'dropped_row start_time': WINDOW_LEFT_OUT,
      'dropped_row end_time': WINDOW_LEFT_OUT,
    },
  },
  invalid_timezone: {
    means: 'a time zone is not known',
    effects: {
      refused_feed: 'no time can be told: the feed is refused, unless the configuration names its zone',
      repaired: 'the stop has the zone of its agency',
      'repaired agency_timezone': 'the zone that the configuration names holds',
    },
  },
  invalid_url: { means: 'a web address is none', effects: { repaired: 'the address is left out' } },
  invalid_email: { means: 'an e-mail address is none', effects: { reported: 'nothing is changed; it is not used' } },
  invalid_phone_number: {
    means: 'a telephone number is none',
    effects: { reported: 'nothing is changed; it is not used' },
  },
  invalid_language_code: {
    means: 'a language is none',
    effects: { repaired: 'underscores become hyphens; another language is left out' },
  },
  invalid_color: { means: 'a color is none', effects: { repaired: 'the default stands in: white, text in black' } },
  start_and_end_range_equal: { means: 'a span ends when it begins', effects: { dropped_row: WINDOW_LEFT_OUT } },
  start_and_end_range_out_of_order: { means: 'a span ends before it begins' },

  // Agencies, stops and lines.
  inconsistent_agency_timezone: {
    means: 'the agencies have different time zones',
    effects: {
      refused_feed: 'no time can be told: the feed is refused, unless the configuration names its zone',
      repaired: 'the zone that the configuration names holds',
    },
  },
  missing_required_agency_id: {
    means: 'there are several agencies, and this does not say which',
    effects: { repaired: 'the row stays; a line counts as the first agency’s' },
  },
  stop_without_location: { means: 'a stop has no position' },
  point_near_origin: { means: 'a position is near 0, 0' },
  point_near_pole: { means: 'a position is near a pole' },
  missing_stop_name: { means: 'a stop has no name', effects: { repaired: 'its id stands in' } },
  station_with_parent_station: { means: 'a station belongs to another', effects: { repaired: 'it belongs to none' } },
  location_without_parent_station: {
    means: 'an entrance, node or boarding area belongs to no station',
    effects: { repaired: 'it stays, by itself' },
  },
  wrong_parent_location_type: {
    means: 'what a place belongs to is of the wrong kind',
    effects: { repaired: 'the stop stays, by itself', dropped_row: 'the place is left out; nobody boards there' },
  },
  route_both_short_and_long_name_missing: { means: 'a line has no name', effects: { repaired: 'its id stands in' } },

  // Trips and calls.
  unused_trip: { means: 'a trip has no call', effects: { reported: 'it is on no board' } },
  missing_stop_times_record: { means: 'a trip has one call only', effects: { dropped_row: 'the trip is left out' } },
  unusable_trip: {
    means: 'of a trip’s calls fewer than two can be used',
    effects: { dropped_row: 'the trip is left out' },
  },
  location_with_unexpected_stop_time: {
    means: 'a trip calls at a station, an entrance or a node',
    effects: { dropped_row: CALL_LEFT_OUT },
  },
  missing_trip_edge: { means: 'a trip begins or ends without a time', effects: { dropped_row: CALL_LEFT_OUT } },
  stop_time_with_arrival_before_previous_departure_time: {
    means: 'a trip arrives before it left the stop before',
    effects: { dropped_row: CALL_LEFT_OUT },
  },
  stop_time_with_only_arrival_or_departure_time: {
    means: 'a call has one time of two',
    effects: { repaired: 'the one stands for both' },
  },
  stop_time_timepoint_without_times: {
    means: 'a time point has no time',
    effects: { repaired: 'its time is found from the calls around it' },
  },
  decreasing_or_equal_stop_time_distance: {
    means: 'a trip’s distances do not grow',
    effects: { repaired: 'its distances are left out; positions come from the shape' },
  },
  trip_distance_exceeds_shape_distance: {
    means: 'a trip is longer than its shape',
    effects: { repaired: 'its distances are left out; positions come from the shape' },
  },
  stop_too_far_from_shape_using_user_distance: {
    means: 'a trip’s distances lead to other places than its stops, as if in another unit than its shape’s',
    effects: { repaired: 'its distances are left out; positions come from the shape' },
  },
  block_trips_with_overlapping_stop_times: {
    means: 'trips of one block run at the same time',
    effects: { repaired: 'on the days this happens the block is ignored; the trips stay' },
  },
  flex_row_set_aside: {
    means: 'a row is of GTFS-Flex: a zone or a window instead of a call',
    effects: { reported: 'it is set aside; it is on no board' },
  },

  // Shapes, frequencies, transfers.
  decreasing_shape_distance: {
    means: 'a shape’s distances fall',
    effects: { repaired: 'its distances are left out; they come from its points' },
  },
  equal_shape_distance_diff_coordinates: {
    means: 'a shape goes on while its distance stands still',
    effects: { repaired: 'its distances are left out; they come from its points' },
  },
  overlapping_frequency: {
    means: 'two frequency windows of a trip overlap',
    effects: { dropped_row: 'the first one holds; this window is left out' },
  },
  transfer_with_invalid_stop_location_type: {
    means: 'a transfer is at an entrance or a node',
    effects: { dropped_row: RULE_LEFT_OUT },
  },
  transfer_with_invalid_trip_and_route: {
    means: 'a transfer names a trip of another line',
    effects: { dropped_row: RULE_LEFT_OUT },
  },
  transfer_with_invalid_trip_and_stop: {
    means: 'a transfer names a trip that does not call there',
    effects: { dropped_row: RULE_LEFT_OUT },
  },

  // Pathways.
  pathway_to_wrong_location_type: {
    means: 'a pathway begins or ends at a station, not at a place in it',
    effects: { dropped_row: PATHWAY_LEFT_OUT },
  },
  pathway_between_stations: {
    means: 'a pathway leads out of its station',
    effects: { dropped_row: PATHWAY_LEFT_OUT },
  },
  bidirectional_exit_gate: {
    means: 'an exit gate leads both ways',
    effects: { repaired: 'it leads out only' },
  },
} as const satisfies Readonly<Record<string, RuleText>>

/** The name of a rule. */
export type Rule = keyof typeof TEXTS

/** All rules, in the order of the table. */
export const RULES: readonly Rule[] = Object.keys(TEXTS).filter(isRule)

/** Whether a text names a rule. */
export function isRule(name: string): name is Rule {
  return Object.hasOwn(TEXTS, name)
}

/** What is wrong where a rule is broken. */
export function meaningOf(rule: Rule): string {
  return TEXTS[rule].means
}

/** What the service does about a problem. */
export function effectOf(problem: {
  readonly rule: Rule
  readonly action: ProblemAction
  readonly field: string
}): string {
  const text: RuleText = TEXTS[problem.rule]
  const { action, field } = problem
  return text.effects?.[`${action} ${field}`] ?? text.effects?.[action] ?? ACTION_EFFECTS[action]
}
