// The service, with data threads that a test can kill. The test creates a file at the path in QUAI_TEST_DEATH. The data
// thread that removes this file throws an error that is not caught. In all other respects, the service is src/main.ts.
import { unlinkSync } from 'node:fs'

const LOOK_MILLIS = 5
const death = process.env['QUAI_TEST_DEATH']

if (!Bun.isMainThread && process.argv[2] === 'data' && death !== undefined) {
  setInterval(() => {
    if (isTaken(death)) throw new Error('a fault from the test')
  }, LOOK_MILLIS)
}
await import('../../src/main.ts')

/** Whether this thread has removed the file. Only one thread can. */
function isTaken(path: string): boolean {
  try {
    unlinkSync(path)
    return true
  } catch {
    return false // the file does not exist, or another thread was faster
  }
}
