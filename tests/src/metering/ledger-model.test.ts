// Metering over made-up histories: two writers or three, a store that refuses, repeats and delays, a clock that is set on and
// back, a disk that is full, broken or taken back to a copy, processes that die at any operation. Fails by the first step
// after which one of the invariants does not hold. A process of its own, since the segments' disk is replaced in it.
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bySize, SEED } from '../../size.ts'

const HISTORIES = bySize({ quick: 100, ci: 500, full: 100_000 })
/** Files of every history are synced many times: in memory, where there is such a folder. */
const MEMORY_FOLDER = '/dev/shm'

test(`${HISTORIES} histories lose nothing, double nothing and pass no cap`, async () => {
  const folder = mkdtempSync(join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'quai-histories-'))
  try {
    const words = [process.execPath, join(import.meta.dir, 'ledger-histories.ts'), folder, `${HISTORIES}`, `${SEED}`]
    const child = Bun.spawn(words, { stdout: 'pipe', stderr: 'pipe' })
    const [said, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    if ((await child.exited) !== 0) throw new Error(`seed ${SEED}: ${complaint}`)
    const { histories, happened } = JSON.parse(said)
    expect(histories).toBe(HISTORIES)
    // The steps that make it hard did happen, on a process that ran and on one that did not start.
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
