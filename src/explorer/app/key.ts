// The user's API key. It is stored in sessionStorage for this tab and sent only as a bearer token. A link can contain a
// key in its fragment, which is immediately removed from the address bar and the history. On localhost, where demos
// run, a key from a link is used immediately. On other hosts, the user must confirm it first. Otherwise, a link could
// make users use another person's key without knowing it.
import { Stored } from '../../pages/app/stored.ts'

const SLOT = 'quai-explorer-key'
const FRAGMENT = /^#key=([\w-]{8,200})$/
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** A key from the page's URL that the user has not confirmed or declined yet. */
export const offeredKey = new Stored<string | undefined>(undefined)
/** The key; undefined if there is none. */
export const apiKey = new Stored<string | undefined>(takeKey())
// The user may open a link with another key in this tab. Only the fragment of the URL then changes, so the page does
// not reload.
addEventListener('hashchange', () => apiKey.set(takeKey()))

/** Stores a key for this tab. */
export function keepKey(key: string): void {
  sessionStorage.setItem(SLOT, key)
  apiKey.set(key)
}

/** Removes the key. */
export function forgetKey(): void {
  sessionStorage.removeItem(SLOT)
  apiKey.set(undefined)
}

function takeKey(): string | undefined {
  const handed = FRAGMENT.exec(location.hash)?.[1]
  if (location.hash.startsWith('#key=')) history.replaceState(null, '', location.pathname)
  const kept = sessionStorage.getItem(SLOT) ?? undefined
  if (handed === undefined || handed === kept) return kept
  if (LOOPBACK.includes(location.hostname)) {
    sessionStorage.setItem(SLOT, handed)
    return handed
  }
  offeredKey.set(handed)
  return kept
}
