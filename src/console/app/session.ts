// The page's session: requested once at the start, replaced at login, and removed when it ends.

import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { holdCsrfToken, Refusal, read } from './account-client.ts'
import type { Account, Session, Visitor } from './contract.ts'
import { currency } from './formats.ts'

/** The state of the session. */
export type SessionState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly refusal: Refusal }
  | { readonly kind: 'out'; readonly notice: string | undefined }
  | { readonly kind: 'in'; readonly session: Session }

/** The session and the functions that change it. */
export interface SessionDesk {
  readonly state: SessionState
  /** Called after a successful login, verification or password reset. */
  enter(session: Session): void
  /** Replaces the account after a change. */
  renew(account: Account): void
  /** Removes the session from the page and shows the login screen, with the notice if there is one. */
  leave(notice?: string): void
  /** Requests the session from the service again. */
  reload(): Promise<void>
}

const Desk = createContext<SessionDesk | undefined>(undefined)

/** Provides the session to the screens. */
export const SessionProvider = Desk.Provider

/** Returns the session. */
export function useSession(): SessionDesk {
  const desk = useContext(Desk)
  if (desk === undefined) throw new Error('no session provider')
  return desk
}

/** Returns the session, on a screen that is only shown after login. Throws if there is no session. */
export function useLoggedIn(): Session {
  const { state } = useSession()
  if (state.kind !== 'in') throw new Error('not logged in')
  return state.session
}

/** Creates the session's state. Only the root component calls this, once. */
export function useSessionDesk(): SessionDesk {
  const [state, setState] = useState<SessionState>({ kind: 'loading' })
  const enter = useCallback((session: Session) => {
    holdCsrfToken(session.csrf_token)
    currency.set(session.currency)
    setState({ kind: 'in', session })
  }, [])
  const leave = useCallback((notice?: string) => {
    holdCsrfToken(undefined)
    setState({ kind: 'out', notice })
  }, [])
  const renew = useCallback((account: Account) => {
    setState((now) => (now.kind === 'in' ? { kind: 'in', session: { ...now.session, account } } : now))
  }, [])
  const reload = useCallback(async () => {
    try {
      const { session } = await read<Visitor>('/v1/visitor')
      if (session === null) leave()
      else enter(session)
    } catch (error) {
      const reason = { status: 0, reason: 'unknown', message: String(error) }
      setState({ kind: 'failed', refusal: error instanceof Refusal ? error : new Refusal(reason) })
    }
  }, [enter, leave])
  useEffect(() => void reload(), [reload])
  return { state, enter, renew, leave, reload }
}
