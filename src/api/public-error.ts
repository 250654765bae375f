// The public message for a network's last error: one sentence per reason. The error itself names files, hosts and
// system errors, so it appears only in the log and on the admin port.
import type { LastError } from '../networks/network.ts'

const SENTENCES: Readonly<Record<string, string>> = {
  fetch_failed: 'the source could not be reached, or the connection broke',
  fetch_timeout: 'the source did not respond in time',
  too_large: 'the source sent more data than allowed',
  unknown_coding: 'the source uses an unsupported content coding',
  redirect_refused: 'the source redirects to an address that is not allowed',
  budget_not_counted: 'its request budget cannot be stored at the moment, so it is not fetched',
  decode_error: 'its messages cannot be decoded',
  stale_feed: 'its newest message is too old',
  disk_full: 'there is no disk space left to import the timetable',
  static_import_failed: 'the timetable could not be imported',
  snapshot_unusable: 'the imported timetable could not be served',
  snapshot_corrupt: 'the stored timetable was damaged and is being imported again',
  sources_unreadable: "the timetable's files cannot be checked for changes",
}
const STREET_SENTENCES: Readonly<Record<string, string>> = {
  extract_truncated: 'the street map could not be read: the file is truncated',
  extract_damaged: 'the street map could not be read: the file is damaged',
  extract_not_an_extract: 'the street map could not be read: the file is not an OpenStreetMap extract',
  extract_unknown_compression: 'the street map could not be read: its compression is not supported',
  extract_unknown_feature: 'the street map could not be read: it requires a feature that is not supported',
  extract_too_large: 'the street map could not be read: a part of it is larger than allowed',
  extract_unreadable: 'the street map could not be read: the file cannot be opened',
  extract_elsewhere: 'the street map covers another area: no stop in this network is on it',
  disk_full: 'there is no disk space left for the street map',
  streets_import_failed: 'the street map could not be imported',
}
const OTHER = 'the data could not be updated'
/** The source name of timetable errors. Any other source is the street map or the id of a live feed. */
const TIMETABLE = 'gtfs'
/** The source name of street-map errors. */
const STREETS = 'streets'

/** A message for an error. It reveals nothing about this machine or its configuration except the feed's id. */
export function publicMessage({ source, reason }: LastError): string {
  const status = /^http_(\d+)$/.exec(reason)?.[1]
  if (source === STREETS && Object.hasOwn(STREET_SENTENCES, reason)) return STREET_SENTENCES[reason] ?? OTHER
  const sentence = status === undefined ? (SENTENCES[reason] ?? OTHER) : `the source responded with status ${status}`
  return source === TIMETABLE || source === STREETS ? sentence : `feed ${source}: ${sentence}`
}
