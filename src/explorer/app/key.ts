// The visitor's key: kept for the tab in sessionStorage, sent as a bearer token and nowhere else. A demo hands one in by
// the fragment of the address, on this machine alone; it is taken out of the address bar and the history at once.
import { Stored } from './stored.ts'

const SLOT = 'quai-explorer-key'
const FRAGMENT = /^#key=([\w-]{8,200})$/
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** The key, or undefined where there is none yet. */
export const apiKey = new Stored<string | undefined>(takeKey())
// Another demo's address, pasted over this one.
addEventListener('hashchange', () => apiKey.set(takeKey()))

/** Keeps a key for this tab. */
export function keepKey(key: string): void {
  sessionStorage.setItem(SLOT, key)
  apiKey.set(key)
}

/** Forgets the key. */
export function forgetKey(): void {
  sessionStorage.removeItem(SLOT)
  apiKey.set(undefined)
}

function takeKey(): string | undefined {
  const handed = FRAGMENT.exec(location.hash)?.[1]
  if (location.hash.startsWith('#key=')) history.replaceState(null, '', location.pathname)
  if (handed !== undefined && LOOPBACK.includes(location.hostname)) sessionStorage.setItem(SLOT, handed)
  return sessionStorage.getItem(SLOT) ?? undefined
}
