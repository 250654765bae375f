// Tests a service that starts while a command is using the data directory. Fails if the service exits instead of
// waiting for the command, or if it waits for another service, which would never release the directory.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataDirBusy, holdFolder, lockFolder } from '../../../src/system/data-dir-lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-lock-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const unexpected = (problem: unknown) => {
  throw problem
}
const parts = { onProblem: unexpected, onLost: unexpected }

test('the lock waits for a command, but not for another service', async () => {
  const command = lockFolder(folder)
  let isHeld = false
  const holding = holdFolder(folder, parts).then((lock) => {
    isHeld = true
    return lock
  })
  await Bun.sleep(0)
  expect(isHeld).toBe(false)
  command.release()
  const service = await holding
  writeFileSync(join(folder, 'control.sock'), '')
  await expect(holdFolder(folder, parts)).rejects.toBeInstanceOf(DataDirBusy)
  service.release()
})
