// All rules that a feed can break: what is wrong, and what the service does about it. If the canonical GTFS validator
// has a notice for a rule, the rule has the name of that notice. Only rules in this file can be reported.
import type { ProblemAction } from './feed-problems.ts'

/** The description of a rule. */
interface RuleText {
  /** What is wrong, as a statement about the feed. */
  readonly means: string
  /**
   * What the service does, by action, or by action and field. If an action is missing here, its description in
   * ACTION_EFFECTS applies.
   */
  readonly effects?: Readonly<Record<string, string>>
}

/** The description of each action of the service. A rule can have a description of its own instead. */
const ACTION_EFFECTS: Readonly<Record<ProblemAction, string>> = {
  refused_feed: 'the feed is refused; the previous snapshot stays in service',
  dropped_row: 'the row is dropped, and so are the rows that refer to it',
  repaired: 'the value is ignored; the row is kept',
  reported: 'nothing is changed',
}

/** Effects that several rules share. */
const FILE_LEFT_OUT = 'the file is ignored; departures do not depend on it'
const CALL_LEFT_OUT = 'the call is dropped; the other calls of its trip are kept'
const RULE_LEFT_OUT = 'the transfer rule is dropped'
const PATHWAY_LEFT_OUT = 'the pathway is dropped; without another one, walks are straight lines'
const WINDOW_LEFT_OUT = 'the frequency window is dropped'
const AS_NOT_GIVEN = 'the value is treated as missing'

const TEXTS = {
  // Rules about the archive, and about a file as a whole.
  missing_feed: { means: 'there is no file or folder at this path' },
  unreadable_zip: { means: 'the file is not a zip, or is damaged' },
  encrypted_zip: { means: 'the zip needs a password' },
  zip_bomb: { means: 'the zip expands to far more data than any feed has' },
  zip_in_zip: {
    means: 'the zip contains another zip instead of a feed',
    effects: { refused_feed: 'unpack it and configure the inner zip' },
  },
  several_feeds: {
    means: 'the zip or folder contains several feeds',
    effects: { refused_feed: 'configure each one with its own path' },
  },
  too_many_entries: { means: 'the zip contains too many files' },
  duplicate_file: {
    means: 'the zip contains a file twice',
    effects: { refused_feed: 'the feed is refused, because the two copies may differ' },
  },
  colliding_ids: {
    means: 'two feeds of one network use the same ids',
    effects: { refused_feed: 'set a prefix for the ids of one of them' },
  },
  missing_required_file: { means: 'a required file is missing' },
  missing_calendar_and_calendar_date_files: { means: 'both calendar.txt and calendar_dates.txt are missing' },
  invalid_input_files_in_subfolder: {
    means: 'the files are in a subfolder',
    effects: { repaired: 'the files are read from the subfolder' },
  },
  empty_file: { means: 'the file has no usable row', effects: { reported: FILE_LEFT_OUT } },
  csv_parsing_failed: { means: 'the file is not valid CSV in UTF-8', effects: { reported: FILE_LEFT_OUT } },
  too_many_rows: { means: 'the file has too many rows', effects: { reported: FILE_LEFT_OUT } },
  missing_required_column: { means: 'a required column is missing', effects: { reported: FILE_LEFT_OUT } },
  duplicated_column: { means: 'two columns have the same name', effects: { reported: FILE_LEFT_OUT } },
  empty_column_name: { means: 'a column has no name', effects: { repaired: 'the column is ignored' } },
  invalid_row_length: {
    means: 'a row and the header have different numbers of fields',
    effects: {
      repaired: 'missing fields count as empty; empty fields beyond the header are ignored',
      dropped_row: 'the row is dropped, because its values may be in the wrong columns',
    },
  },
  invalid_character: {
    means: 'a field has an unreadable character',
    effects: {
      repaired: 'a field that is not UTF-8 is read as Windows-1252, NUL as a space',
      reported: 'nothing is changed; the feed contains replacement characters',
    },
  },
  new_line_in_value: { means: 'a value contains line breaks', effects: { repaired: 'line breaks become spaces' } },

  // Rules about values in any file.
  missing_required_field: {
    means: 'a required value is empty',
    effects: { 'repaired agency_name': 'the agency’s id is used as its name' },
  },
  duplicate_key: {
    means: 'a key appears twice',
    effects: { dropped_row: 'the first row is kept; this row is dropped' },
  },
  foreign_key_violation: {
    means: 'a value refers to a missing row',
    effects: {
      repaired: 'the reference is ignored; the row is kept',
      'repaired agency_id': 'the line is assigned to the first agency',
      'repaired shape_id': 'the trip has no shape',
      'repaired parent_station': 'the stop has no parent station',
    },
  },
  invalid_integer: {
    means: 'a value is not an integer',
    effects: {
      repaired: AS_NOT_GIVEN,
      'repaired traversal_time': 'a fraction of a second is rounded up; any other value is treated as missing',
    },
  },
  invalid_float: { means: 'a value is not a number', effects: { repaired: AS_NOT_GIVEN } },
  number_out_of_range: {
    means: 'a number is outside its range',
    effects: {
      repaired: AS_NOT_GIVEN,
      'reported start_date': 'days before 1970 are ignored',
      'reported end_date': 'days before 1970 are ignored',
      'reported date': 'days before 1970 are ignored',
      'repaired end_date': 'days after the maximum length of a calendar are ignored',
      'repaired date': 'days after the maximum length of a calendar are ignored',
    },
  },
  invalid_date: { means: 'a value is not a date', effects: { repaired: AS_NOT_GIVEN } },
  invalid_time: {
    means: 'a value is not a time',
    effects: {
      'dropped_row arrival_time': CALL_LEFT_OUT,
      'dropped_row departure_time': CALL_LEFT_OUT,
      'dropped_row start_time': WINDOW_LEFT_OUT,
      'dropped_row end_time': WINDOW_LEFT_OUT,
    },
  },
  invalid_timezone: {
    means: 'a time zone is not in the IANA database',
    effects: {
      refused_feed: 'the feed is refused; set `timezone` in the configuration to import it',
      repaired: 'the stop uses its agency’s time zone',
      'repaired agency_timezone': 'the configured zone is used',
    },
  },
  invalid_url: { means: 'a URL is invalid', effects: { repaired: 'the URL is ignored' } },
  invalid_email: {
    means: 'an email address is invalid',
    effects: { reported: 'nothing is changed; the address is not used' },
  },
  invalid_phone_number: {
    means: 'a phone number is invalid',
    effects: { reported: 'nothing is changed; the number is not used' },
  },
  invalid_language_code: {
    means: 'a language tag is invalid',
    effects: { repaired: 'underscores become hyphens; any other invalid tag is ignored' },
  },
  invalid_color: { means: 'a color is invalid', effects: { repaired: 'the default is used: white, with black text' } },
  start_and_end_range_equal: { means: 'a time span is empty', effects: { dropped_row: WINDOW_LEFT_OUT } },
  start_and_end_range_out_of_order: { means: 'a time span ends before it begins' },

  // Rules about agencies, stops and lines.
  inconsistent_agency_timezone: {
    means: 'the agencies have different time zones',
    effects: {
      refused_feed: 'the feed is refused; set `timezone` in the configuration to import it',
      repaired: 'the configured zone is used',
    },
  },
  missing_required_agency_id: {
    means: 'there are several agencies and this row names none of them',
    effects: { repaired: 'the row is kept; a line is assigned to the first agency' },
  },
  stop_without_location: { means: 'a stop has no position' },
  point_near_origin: { means: 'a position is near 0, 0' },
  point_near_pole: { means: 'a position is near a pole' },
  missing_stop_name: { means: 'a stop has no name', effects: { repaired: 'the stop’s id is used as its name' } },
  station_with_parent_station: {
    means: 'a station has a parent station',
    effects: { repaired: 'the parent is ignored' },
  },
  location_without_parent_station: {
    means: 'an entrance, node or boarding area has no parent station',
    effects: { repaired: 'it is kept without a parent' },
  },
  wrong_parent_location_type: {
    means: 'a place’s parent has the wrong location type',
    effects: {
      repaired: 'the stop is kept without a parent',
      dropped_row: 'the place is dropped; no trip calls there',
    },
  },
  route_both_short_and_long_name_missing: {
    means: 'a line has no name',
    effects: { repaired: 'the line’s id is used as its name' },
  },

  // Rules about trips and calls.
  unused_trip: { means: 'a trip has no calls', effects: { reported: 'the trip is not shown' } },
  missing_stop_times_record: { means: 'a trip has only one call', effects: { dropped_row: 'the trip is dropped' } },
  unusable_trip: {
    means: 'a trip has fewer than two usable calls',
    effects: { dropped_row: 'the trip is dropped' },
  },
  location_with_unexpected_stop_time: {
    means: 'a trip calls at a location that is not a stop',
    effects: { dropped_row: CALL_LEFT_OUT },
  },
  missing_trip_edge: { means: 'the first or last call of a trip has no time', effects: { dropped_row: CALL_LEFT_OUT } },
  stop_time_with_arrival_before_previous_departure_time: {
    means: 'a trip arrives before it departed from the previous stop',
    effects: { dropped_row: CALL_LEFT_OUT },
  },
  stop_time_with_only_arrival_or_departure_time: {
    means: 'a call has only one of its two times',
    effects: { repaired: 'that time is used for both' },
  },
  stop_time_timepoint_without_times: {
    means: 'a timepoint has no time',
    effects: { repaired: 'its time is interpolated between the calls around it' },
  },
  decreasing_or_equal_stop_time_distance: {
    means: 'a trip’s distances do not increase',
    effects: { repaired: 'its distances are ignored; positions come from the shape' },
  },
  trip_distance_exceeds_shape_distance: {
    means: 'a trip is longer than its shape',
    effects: { repaired: 'its distances are ignored; positions come from the shape' },
  },
  stop_too_far_from_shape_using_user_distance: {
    means: 'a trip’s distances do not fit its stops; the unit may differ from the shape’s',
    effects: { repaired: 'its distances are ignored; positions come from the shape' },
  },
  block_trips_with_overlapping_stop_times: {
    means: 'trips in the same block run at the same time',
    effects: { repaired: 'the block is ignored on those days; the trips are kept' },
  },
  flex_row_set_aside: {
    means: 'a GTFS-Flex row has a zone or time window instead of a call',
    effects: { reported: 'the row is not shown' },
  },

  // Rules about shapes, frequencies and transfers.
  decreasing_shape_distance: {
    means: 'a shape’s distances decrease',
    effects: { repaired: 'the shape’s distances are ignored; new ones are computed from its points' },
  },
  equal_shape_distance_diff_coordinates: {
    means: 'two points of a shape have the same distance but different positions',
    effects: { repaired: 'the shape’s distances are ignored; new ones are computed from its points' },
  },
  overlapping_frequency: {
    means: 'two frequency windows of a trip overlap',
    effects: { dropped_row: 'the first window is kept; this one is dropped' },
  },
  transfer_with_invalid_stop_location_type: {
    means: 'a transfer refers to an entrance or a node',
    effects: { dropped_row: RULE_LEFT_OUT },
  },
  transfer_with_invalid_trip_and_route: {
    means: 'a transfer names a trip on another line',
    effects: { dropped_row: RULE_LEFT_OUT },
  },
  transfer_with_invalid_trip_and_stop: {
    means: 'a transfer names a trip that does not call at its stop',
    effects: { dropped_row: RULE_LEFT_OUT },
  },

  // Rules about pathways.
  pathway_to_wrong_location_type: {
    means: 'a pathway begins or ends at a station, not at a location in it',
    effects: { dropped_row: PATHWAY_LEFT_OUT },
  },
  pathway_between_stations: {
    means: 'a pathway leads out of its station',
    effects: { dropped_row: PATHWAY_LEFT_OUT },
  },
  bidirectional_exit_gate: {
    means: 'an exit gate is bidirectional',
    effects: { repaired: 'it is treated as exit only' },
  },
} as const satisfies Readonly<Record<string, RuleText>>

/** The name of a rule. */
export type Rule = keyof typeof TEXTS

/** All rules, in the order in which this file lists them. */
export const RULES: readonly Rule[] = Object.keys(TEXTS).filter(isRule)

/** Whether a string is the name of a rule. */
export function isRule(name: string): name is Rule {
  return Object.hasOwn(TEXTS, name)
}

/** What is wrong with a feed that breaks this rule. */
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
