// Tests live feeds that are read from files. Fails if an unchanged file is read again, if a changed file is not read,
// if the poller waits for something that is not a file, or if a message contains a path.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FeedFile } from '../../../src/realtime/feed-file.ts'
import { DownloadFailed } from '../../../src/sources/download-failed.ts'

const MAX_BYTES = 1_000

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quai-SECRET-'))
  path = join(folder, 'feed.pb')
})
afterEach(() => rmSync(folder, { recursive: true }))

const read = async (file: FeedFile) => {
  const bytes = await file.read()
  return bytes === undefined ? undefined : Buffer.from(bytes).toString()
}

async function refusalOf(file: FeedFile): Promise<string> {
  const error = await file.read().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof DownloadFailed)) throw new Error(`expected a DownloadFailed, got ${error}`)
  expect(error.message).not.toContain('SECRET')
  return `${error.reason}: ${error.message}`
}

test('a feed is read once, and again when written or replaced', async () => {
  const file = new FeedFile(path, MAX_BYTES)
  writeFileSync(path, 'one')
  expect([await read(file), await read(file)]).toEqual(['one', undefined])
  writeFileSync(path, 'three')
  expect([await read(file), await read(file)]).toEqual(['three', undefined])
  writeFileSync(`${path}.new`, 'seven')
  renameSync(`${path}.new`, path)
  expect([await read(file), await read(file)]).toEqual(['seven', undefined])
  // The new content has the same size as the old content, and an old modification time. So only the file's change time,
  // which the system sets itself, reveals the change.
  writeFileSync(path, 'eight')
  utimesSync(path, 1, 1)
  expect(await read(file)).toBe('eight')
  file.forget()
  expect(await read(file)).toBe('eight')
})

test('a file that is missing or unreadable is reported without its path; once it exists, it is read', async () => {
  const file = new FeedFile(path, MAX_BYTES)
  expect(await refusalOf(file)).toBe('fetch_failed: its file cannot be read (ENOENT)')
  mkdirSync(path)
  expect(await refusalOf(file)).toBe('fetch_failed: its path is not a file')
  rmSync(path, { recursive: true })
  symlinkSync(path, path)
  expect(await refusalOf(file)).toBe('fetch_failed: its file cannot be read (ELOOP)')
  rmSync(path)
  expect(await refusalOf(new FeedFile(join(folder, 'x'.repeat(300)), MAX_BYTES))).toContain('(ENAMETOOLONG)')
  writeFileSync(path, 'there')
  expect(await read(file)).toBe('there')
  expect(await refusalOf(new FeedFile(join(path, 'below'), MAX_BYTES))).toContain('(ENOTDIR)')
})

test('a pipe or a device is not waited for', async () => {
  spawnSync('mkfifo', [path])
  expect(await refusalOf(new FeedFile(path, MAX_BYTES))).toBe('fetch_failed: its path is not a file')
  expect(await refusalOf(new FeedFile('/dev/zero', MAX_BYTES))).toBe('fetch_failed: its path is not a file')
})

test('a file above the size limit is not read', async () => {
  writeFileSync(path, 'x'.repeat(MAX_BYTES))
  expect(await read(new FeedFile(path, MAX_BYTES))).toHaveLength(MAX_BYTES)
  writeFileSync(path, '')
  truncateSync(path, 1e12)
  expect(await refusalOf(new FeedFile(path, MAX_BYTES))).toBe('too_large: its file has more than 1000 bytes')
})
