// Tests that take seconds. Quick runs skip them and print their names.
import { test } from 'bun:test'
import { SIZE } from './size.ts'

/**
 * A test that runs at sizes `ci` and `full`, but not at `quick`.
 * @param millis maximum duration
 */
export function slowTest(name: string, run: () => void | Promise<void>, millis?: number): void {
  if (SIZE === 'quick') console.log(`left out: ${name} (ci and full)`)
  else test(name, run, millis)
}
