// Tracks whether the API can be reached. After an API call without a response, the page sends a health request every
// few seconds. This request needs no key and costs no units. Once the API responds, all failed reads are repeated.
import { Stored } from '../../pages/app/stored.ts'
import { API_URL } from './page-addresses.ts'

/** Whether the latest request had a response. */
export const isReachable = new Stored(navigator.onLine)
/** How many times the API has become reachable again. When the number changes, failed reads are repeated. */
export const reconnections = new Stored(0)

const RETRY_MILLIS = 3_000
const PATIENCE_MILLIS = 5_000

let timer: ReturnType<typeof setTimeout> | undefined

addEventListener('offline', noteLost)
addEventListener('online', () => void probe())
if (!isReachable.value) scheduleProbe()

/** Called when a request got no response, or when a stream was silent for too long. */
export function noteLost(): void {
  isReachable.set(false)
  scheduleProbe()
}

/** Called when a response arrives. */
export function noteReached(): void {
  if (isReachable.value) return
  clearTimeout(timer)
  timer = undefined
  isReachable.set(true)
  reconnections.update((count) => count + 1)
}

function scheduleProbe(): void {
  timer ??= setTimeout(() => void probe(), RETRY_MILLIS)
}

async function probe(): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  try {
    const options: RequestInit = {
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(PATIENCE_MILLIS),
    }
    await fetch(`${API_URL}/v1/health`, options)
    noteReached()
  } catch {
    noteLost()
  }
}
