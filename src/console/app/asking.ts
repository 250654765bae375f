// Two ways a screen asks: what it shows, read when it opens and again on demand; and what a form sends, once at a time.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { Refusal, read } from './account-client.ts'
import { ENDED_NOTICE, useSession } from './session.ts'

/** Something read from the service. */
export interface Answered<T> {
  /** The latest answer; undefined until there is one. */
  readonly value: T | undefined
  /** Why the latest question failed; undefined where it went well. */
  readonly problem: string | undefined
  /** Asks again. What is shown stays until the answer is there. */
  again(): Promise<void>
}

/** Reads a path, and again when it is another. The answer of a path that is no longer asked for is dropped. */
export function useAnswer<T>(path: string): Answered<T> {
  const { leave } = useSession()
  const [answer, setAnswer] = useState<{ path: string; value: T } | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const latest = useRef(path)
  latest.current = path
  const again = useCallback(async () => {
    try {
      const value = await read<T>(path)
      if (latest.current !== path) return
      setAnswer({ path, value })
      setProblem(undefined)
    } catch (error) {
      if (latest.current !== path) return
      if (isSessionOver(error)) leave(ENDED_NOTICE)
      else setProblem(messageOf(error))
    }
  }, [path, leave])
  useEffect(() => void again(), [again])
  return { value: answer?.value, problem, again }
}

/** A form on its way. */
export interface Submission {
  readonly isBusy: boolean
  /** Why the latest try was refused. */
  readonly refusal: Refusal | undefined
  /** Does the work unless it is being done; whether it went well. */
  run(work: () => Promise<void>): Promise<boolean>
  /** Refuses without asking the service, in words of the form's own. */
  refuse(message: string): void
}

/** The state of one form. */
export function useSubmission(): Submission {
  const { leave } = useSession()
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined)
  const working = useRef(false)
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    if (working.current) return false
    working.current = true
    setBusy(true)
    setRefusal(undefined)
    try {
      await work()
      return true
    } catch (error) {
      if (isSessionOver(error)) leave(ENDED_NOTICE)
      else setRefusal(error instanceof Refusal ? error : toRefusal(messageOf(error)))
      return false
    } finally {
      working.current = false
      setBusy(false)
    }
  }
  return { isBusy, refusal, run, refuse: (message) => setRefusal(toRefusal(message)) }
}

function toRefusal(message: string): Refusal {
  return new Refusal({ status: 0, reason: 'console', message })
}

function isSessionOver(error: unknown): boolean {
  return error instanceof Refusal && error.reason === 'session_required'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
