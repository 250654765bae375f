// Who is logged in, for every screen: read once at the start, replaced by what a log-in answers, dropped when it ends.
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { holdCsrfToken, Refusal, read } from './account-client.ts'
import type { Account, Session } from './contract.ts'

/** What is known of the session. */
export type SessionState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'out'; readonly notice: string | undefined }
  | { readonly kind: 'in'; readonly session: Session }

/** The session and what changes it. */
export interface SessionDesk {
  readonly state: SessionState
  /** A log-in, a verification or a reset went well. */
  enter(session: Session): void
  /** The account has changed. */
  renew(account: Account): void
  /** The session is over; the notice is shown where one logs in. */
  leave(notice?: string): void
  /** Asks the service again. */
  ask(): Promise<void>
}

/** What is told to who is sent to the log-in. */
export const ENDED_NOTICE = 'Your session has ended. Log in again to go on.'

const Desk = createContext<SessionDesk | undefined>(undefined)

/** Gives the desk to the screens. */
export const SessionProvider = Desk.Provider

/** The desk of the console. */
export function useSession(): SessionDesk {
  const desk = useContext(Desk)
  if (desk === undefined) throw new Error('no session provider above')
  return desk
}

/** The session of a screen that is only shown to who is logged in. */
export function useLoggedIn(): Session {
  const { state } = useSession()
  if (state.kind !== 'in') throw new Error('nobody is logged in')
  return state.session
}

/** Makes the desk; once, at the top. */
export function useSessionDesk(): SessionDesk {
  const [state, setState] = useState<SessionState>({ kind: 'asking' })
  const enter = useCallback((session: Session) => {
    holdCsrfToken(session.csrf_token)
    setState({ kind: 'in', session })
  }, [])
  const leave = useCallback((notice?: string) => {
    holdCsrfToken(undefined)
    setState({ kind: 'out', notice })
  }, [])
  const renew = useCallback((account: Account) => {
    setState((now) => (now.kind === 'in' ? { kind: 'in', session: { ...now.session, account } } : now))
  }, [])
  const ask = useCallback(async () => {
    try {
      enter(await read<Session>('/v1/session'))
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) leave()
      else setState({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    }
  }, [enter, leave])
  useEffect(() => void ask(), [ask])
  return { state, enter, renew, leave, ask }
}
