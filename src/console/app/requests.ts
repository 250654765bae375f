// Two hooks for requests: one loads the data of a screen; the other submits a form, one submission at a time.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { Refusal, read } from './account-client.ts'
import { OWN_REASON } from './refusal-words.ts'
import { useSession } from './session.ts'
import { texts } from './texts/texts.ts'

/** The state of a GET request, which may be repeated. */
export interface Answered<T> {
  /** The latest value; undefined until the first response. */
  readonly value: T | undefined
  /** Why the latest request failed; undefined if it succeeded. */
  readonly problem: Refusal | undefined
  /** Repeats the request. `value` does not change until the response arrives. */
  again(): Promise<void>
}

/** Requests a path. When the path changes, requests the new path, and ignores responses for the old one. */
export function useAnswer<T>(path: string): Answered<T> {
  const { leave } = useSession()
  const [answer, setAnswer] = useState<{ path: string; value: T } | undefined>(undefined)
  const [problem, setProblem] = useState<Refusal | undefined>(undefined)
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
      if (isSessionOver(error)) leave(texts().refusals.session_required)
      else setProblem(toRefusal(error))
    }
  }, [path, leave])
  useEffect(() => void again(), [again])
  return { value: answer?.value, problem, again }
}

/** The state of a form's submission. */
export interface Submission {
  readonly isBusy: boolean
  /** Why the latest attempt failed; undefined if it did not fail. */
  readonly refusal: Refusal | undefined
  /** Runs `work`, unless an earlier call is still running. Returns whether `work` succeeded. */
  run(work: () => Promise<void>): Promise<boolean>
  /** Shows an error without sending a request. */
  refuse(message: string): void
}

/** Tracks the submission of one form. */
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
      if (isSessionOver(error)) leave(texts().refusals.session_required)
      else setRefusal(toRefusal(error))
      return false
    } finally {
      working.current = false
      setBusy(false)
    }
  }
  return {
    isBusy,
    refusal,
    run,
    refuse: (message) => setRefusal(new Refusal({ status: 0, reason: OWN_REASON, message })),
  }
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return new Refusal({ status: 0, reason: 'unknown', message: error instanceof Error ? error.message : String(error) })
}

function isSessionOver(error: unknown): boolean {
  return error instanceof Refusal && error.reason === 'session_required'
}
