// Records the page's API calls for the request drawer: request, response and cost. A stream is one call; its response is
// the latest event.

import { Stored } from '../../pages/app/stored.ts'
import { API_URL } from './page-addresses.ts'
import type { Purpose } from './purposes.ts'

/** An API call, pending or finished. */
export interface Call {
  readonly id: number
  /** The purpose of the call, which the request drawer shows. */
  readonly purpose: Purpose
  readonly url: string
  readonly isStream: boolean
  /** Whether the page makes this call at regular intervals, without a user action. */
  readonly isPolled: boolean
  readonly startedAt: number
  /** HTTP status; 0 if there was no response; undefined while pending. */
  readonly status: number | undefined
  readonly millis: number | undefined
  readonly units: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /**
   * The response body; cut off after KEPT_BODY characters, otherwise unchanged. For a stream, it is the latest event.
   */
  readonly body: string
  /** Number of events received on a stream. */
  readonly events: number
  readonly isOpen: boolean
}

/** Maximum number of recorded calls that were caused by user actions. */
export const KEPT_CALLS = 100
/** Maximum number of recorded calls that the page made at regular intervals. */
const KEPT_POLLED = 50
/** Maximum number of characters that are recorded from a response body. */
export const KEPT_BODY = 200_000

/** The recorded calls, newest first. */
export const calls = new Stored<readonly Call[]>([])
/** Units spent since the page opened. */
export const unitsSpent = new Stored(0)
let latestId = 0

/** Records a call that is being sent. */
export function beginCall(
  path: string,
  purpose: Purpose,
  { isStream = false, isPolled = false }: { readonly isStream?: boolean; readonly isPolled?: boolean } = {},
): Call {
  const call: Call = {
    id: ++latestId,
    purpose,
    url: `${API_URL}/v1${path}`,
    isStream,
    isPolled,
    startedAt: Date.now(),
    status: undefined,
    millis: undefined,
    units: 0,
    headers: [],
    body: '',
    events: 0,
    isOpen: true,
  }
  const most = isPolled ? KEPT_POLLED : KEPT_CALLS
  calls.update((list) => {
    const alike = list.filter((each) => each.isPolled === isPolled)
    const oldest = alike.length < most ? undefined : alike[alike.length - 1]
    return [call, ...list.filter((each) => each !== oldest)]
  })
  return call
}

/** Records the result of a call. */
export function noteCall(id: number, facts: Partial<Call>): void {
  if (facts.units !== undefined) {
    const before = calls.value.find((call) => call.id === id)?.units ?? 0
    unitsSpent.update((spent) => spent + (facts.units ?? 0) - before)
  }
  calls.update((list) => list.map((call) => (call.id === id ? { ...call, ...facts } : call)))
}

/** The call as a curl command, with the key in a variable. */
export function toCurl(call: Pick<Call, 'url' | 'isStream'>): string {
  const accept = call.isStream ? ` -N -H 'Accept: text/event-stream'` : ''
  return `curl -s${accept} -H "Authorization: Bearer $KEY" '${call.url.replaceAll("'", "'\\''")}'`
}
