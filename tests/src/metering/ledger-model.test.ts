// Tests metering with generated histories: one to three writers, a store that refuses, repeats and delays merges, a
// clock that is set forward and back, a disk that is full, broken or restored from a copy, and processes that die at
// any operation. Fails at the first step after which an invariant does not hold. The histories run in a separate
// process, in which the disk that segments use is replaced.
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bySize, SEED } from '../../size.ts'

const HISTORIES = bySize({ quick: 100, ci: 500, full: 100_000 })
/** A folder in memory. It is used for the files if the system has it, since histories sync their files often. */
const MEMORY_FOLDER = '/dev/shm'

test(`${HISTORIES} histories lose nothing, count nothing twice and exceed no cap`, async () => {
  const folder = mkdtempSync(join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'quai-histories-'))
  try {
    const words = [process.execPath, join(import.meta.dir, 'ledger-histories.ts'), folder, `${HISTORIES}`, `${SEED}`]
    const child = Bun.spawn(words, { stdout: 'pipe', stderr: 'pipe' })
    const [output, complaint] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    if ((await child.exited) !== 0) throw new Error(`seed ${SEED}: ${complaint}`)
    const { histories, happened } = JSON.parse(output)
    expect(histories).toBe(HISTORIES)
    // Each of these steps must have occurred, two of them also while no process was running (`down`).
    for (const kind of [
      'call',
      'settle',
      'crowd',
      'clock',
      'flush',
      'start',
      'roll back',
      'call, down',
      'start, down',
    ]) {
      expect(happened[kind]).toBeGreaterThan(0)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 3_600_000)
