// What anybody may read of a network's last error: a sentence for its reason. The error's own words name files, hosts and
// what the system said; they are for the operator, in the log and on the admin port.
import type { LastError } from '../networks/network.ts'

const SENTENCES: Readonly<Record<string, string>> = {
  fetch_failed: 'the source could not be reached, or its answer broke off',
  fetch_timeout: 'the source did not answer in time',
  too_large: 'the source sends more than is accepted',
  unknown_coding: 'the source packs its answer in a way that is not accepted',
  redirect_refused: 'the source redirects to where it is not followed',
  budget_not_counted: 'its calls cannot be counted at the moment, so none is made',
  decode_error: 'its messages cannot be read',
  stale_feed: 'its newest message is too old',
  disk_full: 'there is no room left to import the timetable',
  static_import_failed: 'the timetable could not be imported',
  snapshot_unusable: 'the imported timetable could not be served',
  snapshot_corrupt: 'the stored timetable was damaged and is imported anew',
  sources_unreadable: "the timetable's files cannot be looked at for changes",
}
const OTHER = 'it could not be updated'
/** The source of what is wrong with the timetable; any other is the id of a live feed. */
const TIMETABLE = 'gtfs'

/** The error in words that name nothing of this machine or of what it is configured with but the feed. */
export function publicMessage({ source, reason }: LastError): string {
  const status = /^http_(\d+)$/.exec(reason)?.[1]
  const sentence = status === undefined ? (SENTENCES[reason] ?? OTHER) : `the source answered with the status ${status}`
  return source === TIMETABLE ? sentence : `feed ${source}: ${sentence}`
}
