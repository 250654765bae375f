// The child process of the test that kills a process under load. It charges as fast as it can, and reports each charge
// after making it.
import { writeSync } from 'node:fs'
import { Meter } from '../../src/metering/meter.ts'
import { TRUE_CLOCK } from '../../src/system/clock.ts'

const STDOUT = 1
const KEYS = ['key_0000000a', 'key_0000000b', 'key_0000000c']

const meter = new Meter({ folder: Bun.argv[2], ordinal: 0, lastUtcDay: 0 }, TRUE_CLOCK)
for (let call = 0; ; call++) {
  const units = call % 7 === 0 ? 5 : 1
  meter.charge(KEYS[call % KEYS.length], units)
  writeSync(STDOUT, `${units}\n`)
}
