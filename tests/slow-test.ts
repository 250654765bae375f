// Tests that take seconds. Quick runs skip them and print their names.
import { test } from 'bun:test'
import { SIZE } from './size.ts'

/** A test for runs of the sizes ci and full. @param millis longest time it may take */
export function slowTest(name: string, run: () => void | Promise<void>, millis?: number): void {
  if (SIZE === 'quick') console.log(`left out: ${name} (ci and full)`)
  else test(name, run, millis)
}
