// Hooks that read from the API while a panel is open.

import { useEffect, useState } from 'preact/hooks'
import { useStored } from '../../pages/app/use-stored.ts'
import { type Refusal, request, toRefusal } from './api-client.ts'
import type { Answer } from './contract.ts'
import { followStream } from './event-stream.ts'
import { apiKey } from './key.ts'
import type { Purpose } from './purposes.ts'
import { reconnections } from './reach.ts'

/** The state of reading an API path. */
export interface Read<Data> {
  /** The latest response; undefined until the first response. */
  readonly answer: Answer<Data> | undefined
  /** Why the latest API call failed; undefined if it succeeded. */
  readonly problem: Refusal | undefined
}

const NOTHING = { answer: undefined, problem: undefined }

/** Requests an API path, repeatedly if `everySeconds` is set. Requests nothing if the path is undefined. */
export function useAnswer<Data>(path: string | undefined, purpose: Purpose, everySeconds?: number): Read<Data> {
  const key = useStored(apiKey)
  const [read, setRead] = useState<Read<Data> & { path?: string | undefined }>(NOTHING)
  useEffect(() => {
    if (path === undefined) return
    const aborter = new AbortController()
    let hasFailed = false
    const readNow = () =>
      request<Data>(path, purpose, { signal: aborter.signal }).then(
        (answer) => {
          hasFailed = false
          setRead({ path, answer, problem: undefined })
        },
        (error: unknown) => {
          if (aborter.signal.aborted) return
          hasFailed = true
          setRead((before) => ({
            path,
            answer: before.path === path ? before.answer : undefined,
            problem: toRefusal(error),
          }))
        },
      )
    void readNow()
    const unfollow = reconnections.follow(() => {
      if (hasFailed) void readNow()
    })
    const readAgain = () => {
      if (document.visibilityState === 'visible') void readNow()
    }
    const timer = everySeconds === undefined ? undefined : setInterval(readAgain, everySeconds * 1_000)
    return () => {
      clearInterval(timer)
      unfollow()
      aborter.abort()
    }
  }, [path, purpose, everySeconds, key])
  return read.path === path ? read : NOTHING
}

/**
 * Reads the event stream at the path `stream`. If the network has no streams, requests the path `polled` repeatedly.
 */
export function useLive<Data>(
  paths: { readonly stream: string; readonly polled: string; readonly hasStreams: boolean; readonly seconds: number },
  purpose: Purpose,
): Read<Data> {
  const { stream, polled, hasStreams, seconds } = paths
  const [read, setRead] = useState<Read<Data> & { path?: string | undefined }>(NOTHING)
  const polledRead = useAnswer<Data>(hasStreams ? undefined : polled, purpose, seconds)
  useEffect(() => {
    if (!hasStreams) return
    return followStream<Data>(stream, purpose, {
      onAnswer: (answer) => setRead({ path: stream, answer, problem: undefined }),
      onBreak: (refusal) =>
        setRead((before) => ({
          ...(before.path === stream ? before : NOTHING),
          path: stream,
          problem: refusal,
        })),
    })
  }, [stream, hasStreams, purpose])
  if (!hasStreams) return polledRead
  return read.path === stream ? read : NOTHING
}

/** Loads data that several screens share. After a failure, loads it again once the API is reachable again. */
export function useLoaded<T>(
  load: () => Promise<T>,
  dependencies: readonly unknown[],
): { readonly value: T | undefined; readonly problem: Refusal | undefined } {
  const [state, setState] = useState<{ value?: T; problem?: Refusal; of?: readonly unknown[] }>({})
  useEffect(() => {
    let isGone = false
    let hasFailed = false
    const loadNow = () =>
      load().then(
        (value) => {
          hasFailed = false
          if (!isGone) setState({ value, of: dependencies })
        },
        (error: unknown) => {
          hasFailed = true
          if (!isGone) setState({ problem: toRefusal(error), of: dependencies })
        },
      )
    void loadNow()
    const unfollow = reconnections.follow(() => {
      if (hasFailed) void loadNow()
    })
    return () => {
      isGone = true
      unfollow()
    }
  }, dependencies)
  const isCurrent = state.of?.every((each, at) => Object.is(each, dependencies[at])) === true
  return { value: isCurrent ? state.value : undefined, problem: isCurrent ? state.problem : undefined }
}

/** Rerenders the component at the given interval, for countdowns. Returns the number of intervals so far. */
export function useTick(seconds: number): number {
  const [tick, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((count) => count + 1), seconds * 1_000)
    return () => clearInterval(timer)
  }, [seconds])
  return tick
}
