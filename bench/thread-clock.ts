// Reads the processor time of each thread of a process in nanoseconds (Linux, /proc/<pid>/task). Also finds the thread
// that does a given piece of work: the thread whose processor time grows. Thread names do not help, because all of
// Bun's Workers have the same name.
import { readdirSync, readFileSync } from 'node:fs'

/** Number of attempts in a row in which the same thread must have done the work. */
const AGREEMENTS = 2
const TRIES = 12
/** The thread must use more than this many times as much processor time as any other thread. */
const LEAD = 2.5

/**
 * Pause after an attempt in which another thread was busy too, for example a thread that checked all snapshots after a
 * start.
 */
const BUSY_MILLIS = 2_000

/** Matches the names of runtime threads, which compile and collect garbage for all other threads. */
const RUNTIME = /^(JITWorker|JSCWarmUp|HeapHelper|Bun Pool|mi-)/

/** A thread of a process. */
export interface ThreadClock {
  readonly threadId: number
  /** Processor time of the thread so far. Throws if the thread has ended. */
  nanoseconds(): number
}

/**
 * Finds the thread of a process that does `work`: the thread that uses processor time while `work` runs. The threads in
 * `others` are excluded, because they are known to do other work.
 */
export async function findThread(
  pid: number,
  work: () => Promise<unknown>,
  others: readonly ThreadClock[] = [],
): Promise<ThreadClock> {
  const known = new Set(others.map(({ threadId }) => threadId))
  let [leader, agreed] = [0, 0]
  for (let attempt = 0; attempt < TRIES && agreed < AGREEMENTS; attempt++) {
    const before = readAll(pid)
    await work()
    const grown = [...readAll(pid)]
      .filter(([threadId]) => !known.has(threadId))
      .map(([threadId, nanoseconds]) => ({ threadId, grew: nanoseconds - (before.get(threadId) ?? 0) }))
      .sort((a, b) => b.grew - a.grew)
    const [first, second] = grown
    const isClear = first !== undefined && first.grew > LEAD * (second?.grew ?? 0)
    agreed = isClear && first.threadId === leader ? agreed + 1 : isClear ? 1 : 0
    leader = isClear ? first.threadId : 0
    if (!isClear) await Bun.sleep(BUSY_MILLIS)
  }
  if (agreed < AGREEMENTS) throw new Error(`process ${pid} has no single thread that does the work`)
  const threadId = leader
  return { threadId, nanoseconds: () => readThread(pid, threadId) }
}

/** Processor time of a process in nanoseconds, without its compilers and garbage collectors. */
export function processNanoseconds(pid: number): number {
  let sum = 0
  for (const nanoseconds of readAll(pid).values()) sum += nanoseconds
  return sum
}

/** Thread id → processor time in nanoseconds, without runtime threads. */
function readAll(pid: number): Map<number, number> {
  const times = new Map<number, number>()
  for (const name of readdirSync(`/proc/${pid}/task`)) {
    const threadId = Number(name)
    try {
      if (RUNTIME.test(readFileSync(`/proc/${pid}/task/${name}/comm`, 'latin1'))) continue
      times.set(threadId, readThread(pid, threadId))
    } catch (error) {
      // Runtime threads can start and end at any time.
      if (!String(error).includes('ENOENT') && !String(error).includes('ESRCH')) throw error
    }
  }
  return times
}

function readThread(pid: number, threadId: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${threadId}/schedstat`, 'latin1').split(' ')[0])
}
