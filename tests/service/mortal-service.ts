// The service, but for data threads that die: the one that takes the file of QUAI_TEST_DEATH away throws what nobody
// catches. Everything else is src/main.ts, which runs here as it is.
import { unlinkSync } from 'node:fs'

const LOOK_MILLIS = 5
const death = process.env['QUAI_TEST_DEATH']

if (!Bun.isMainThread && process.argv[2] === 'data' && death !== undefined) {
  setInterval(() => {
    if (isTaken(death)) throw new Error('a fault of the test')
  }, LOOK_MILLIS)
}
await import('../../src/main.ts')

/** One of all threads takes it. */
function isTaken(path: string): boolean {
  try {
    unlinkSync(path)
    return true
  } catch {
    return false // it is not there, or another was faster
  }
}
