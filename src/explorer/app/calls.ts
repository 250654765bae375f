// Every call the page makes, kept for the drawer: what was asked, what came back, what it cost. A stream is one call whose
// answer is its latest event.
import { Stored } from './stored.ts'
import { API_URL } from './told.ts'

/** A call, from its sending on. */
export interface Call {
  readonly id: number
  /** What it is for, in the words of the screen. */
  readonly purpose: string
  readonly url: string
  readonly isStream: boolean
  /** Asked in turn, not because of something the visitor did. */
  readonly isPolled: boolean
  readonly startedAt: number
  /** HTTP status; 0 where there was no answer; undefined while it is awaited. */
  readonly status: number | undefined
  readonly millis: number | undefined
  readonly units: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The body as it came. */
  readonly body: string
  /** How many events a stream has sent. */
  readonly events: number
  readonly isOpen: boolean
}

/** So many of the latest calls are kept, and so many of those that are polled. */
export const KEPT_CALLS = 100
const KEPT_POLLED = 50
/** Of a body, so many characters are kept. */
export const KEPT_BODY = 200_000

/** The latest calls, newest first. */
export const calls = new Stored<readonly Call[]>([])
/** Units spent since the page was opened. */
export const unitsSpent = new Stored(0)
let latestId = 0

/** Notes a call that is being sent. */
export function beginCall(
  path: string,
  purpose: string,
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

/** Notes what became of it. */
export function noteCall(id: number, facts: Partial<Call>): void {
  if (facts.units !== undefined) {
    const before = calls.value.find((call) => call.id === id)?.units ?? 0
    unitsSpent.update((spent) => spent + (facts.units ?? 0) - before)
  }
  calls.update((list) => list.map((call) => (call.id === id ? { ...call, ...facts } : call)))
}

/** The call as a line for a shell; the key stands in a variable. */
export function toCurl(call: Pick<Call, 'url' | 'isStream'>): string {
  const accept = call.isStream ? ` -N -H 'Accept: text/event-stream'` : ''
  return `curl -s${accept} -H "Authorization: Bearer $KEY" '${call.url.replaceAll("'", "'\\''")}'`
}
