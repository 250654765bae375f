// Tests a PlannerDesk with planners on real threads. The first planner hangs in a loop, so it must be terminated and
// replaced. Fails if its thread continues to use processor time, or if later queries find no planner.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Problem } from '../../../src/http/problem.ts'
import { PlannerDesk, type PlannerStarter } from '../../../src/journeys/planner-desk.ts'
import type { JourneyQuestion } from '../../../src/journeys/planner-messages.ts'

const END = { lat: 48, lon: 7, place: undefined, label: undefined }
const QUESTION: JourneyQuestion = {
  from: END,
  to: END,
  network: 'ville',
  seconds: 0,
  isArriveBy: false,
  modes: undefined,
  maxWalkMeters: 1000,
  mayWalkFarther: false,
  maxTransfers: 6,
  limit: 3,
  include: undefined,
  nowSeconds: 0,
}
const DEADLINE_MILLIS = 400
const MEASURED_MILLIS = 500
/** Time limit for starting a thread on a busy machine. */
const PATIENT_MILLIS = 60_000
const NEVER = new AbortController().signal

test('a planner thread in an endless loop is ended, and another one responds', async () => {
  let started = 0
  const start: PlannerStarter = (onMessage) => {
    const worker = new Worker(join(import.meta.dir, 'hanging-planner.ts'), { argv: started++ === 0 ? ['hang'] : [] })
    worker.onmessage = ({ data }) => onMessage(data)
    return { post: (message) => worker.postMessage(message), end: () => worker.terminate() }
  }
  const desk = new PlannerDesk([], start, DEADLINE_MILLIS)
  const requested = performance.now()
  const first = await desk.plan('k', QUESTION, NEVER)
  expect(first instanceof Problem ? first.reason : first).toBe('planner_timeout')
  expect(performance.now() - requested).toBeLessThan(DEADLINE_MILLIS + 1_600)
  for (;;) {
    const next = await desk.plan('k', QUESTION, NEVER)
    if (next instanceof Problem) continue // the new thread is still starting
    expect(next).toMatchObject({ kind: 'journeys', reason: 'no_connection' })
    break
  }
  expect(started).toBe(2)
  const before = process.cpuUsage()
  await Bun.sleep(MEASURED_MILLIS)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(MEASURED_MILLIS / 2)
  desk.close()
}, 20_000)

test('a planner thread loads the reader for a native planner’s response on demand, and continues', async () => {
  const desk = new PlannerDesk(
    [],
    (onMessage) => {
      const worker = new Worker(join(import.meta.dir, '..', '..', '..', 'src', 'main.ts'), { argv: ['planner'] })
      worker.onmessage = ({ data }) => onMessage(data)
      return { post: (message) => worker.postMessage(message), end: () => worker.terminate() }
    },
    PATIENT_MILLIS,
  )
  const native = { body: new TextEncoder().encode('{"itineraries":[]}'), isRequired: false }
  const requested = [{ ...QUESTION, native }, QUESTION, { ...QUESTION, native }]
  const outcomes = await Promise.all(requested.map((question) => desk.plan('k', question, NEVER)))
  expect(outcomes).toEqual(requested.map(() => ({ kind: 'not_ready' })))
  desk.close()
}, 120_000)
