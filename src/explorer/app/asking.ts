// What a panel reads when it opens, and follows while it is open.
import { useEffect, useState } from 'preact/hooks'
import { ask, messageOf } from './api-client.ts'
import type { Answer } from './contract.ts'
import { followStream } from './event-stream.ts'

/** Something read of the API. */
export interface Read<Data> {
  /** The latest answer; undefined until there is one. */
  readonly answer: Answer<Data> | undefined
  /** Why the latest call failed; undefined where it went well. */
  readonly problem: string | undefined
}

const NOTHING = { answer: undefined, problem: undefined }

/** Reads a path, and again after so many seconds where some are given; nothing where the path is undefined. */
export function useAnswer<Data>(path: string | undefined, purpose: string, everySeconds?: number): Read<Data> {
  const [read, setRead] = useState<Read<Data> & { path?: string | undefined }>(NOTHING)
  useEffect(() => {
    if (path === undefined) return
    const asking = new AbortController()
    const readNow = () =>
      ask<Data>(path, purpose, { signal: asking.signal }).then(
        (answer) => setRead({ path, answer, problem: undefined }),
        (error: unknown) => {
          if (asking.signal.aborted) return
          setRead((before) => ({
            path,
            answer: before.path === path ? before.answer : undefined,
            problem: messageOf(error),
          }))
        },
      )
    void readNow()
    const readAgain = () => {
      if (document.visibilityState === 'visible') void readNow()
    }
    const timer = everySeconds === undefined ? undefined : setInterval(readAgain, everySeconds * 1_000)
    return () => {
      clearInterval(timer)
      asking.abort()
    }
  }, [path, purpose, everySeconds])
  return read.path === path ? read : NOTHING
}

/** Follows a stream; where the network has none, the polled path is read in its place. */
export function useLive<Data>(
  paths: { readonly stream: string; readonly polled: string; readonly hasStreams: boolean; readonly seconds: number },
  purpose: string,
): Read<Data> {
  const { stream, polled, hasStreams, seconds } = paths
  const [read, setRead] = useState<Read<Data> & { path?: string | undefined }>(NOTHING)
  const polledRead = useAnswer<Data>(hasStreams ? undefined : polled, purpose, seconds)
  useEffect(() => {
    if (!hasStreams) return
    return followStream<Data>(stream, `${purpose}, live`, {
      onAnswer: (answer) => setRead({ path: stream, answer, problem: undefined }),
      onBreak: (refusal) =>
        setRead((before) => ({
          ...(before.path === stream ? before : NOTHING),
          path: stream,
          problem: refusal.message,
        })),
    })
  }, [stream, hasStreams, purpose])
  if (!hasStreams) return polledRead
  return read.path === stream ? read : NOTHING
}

/** The time, anew every so many seconds, for what counts down. */
export function useTick(seconds: number): number {
  const [tick, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((count) => count + 1), seconds * 1_000)
    return () => clearInterval(timer)
  }, [seconds])
  return tick
}
