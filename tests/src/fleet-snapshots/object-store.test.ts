// Tests an S3-compatible object store that is slow, returns wrong bytes or is down. Fails if bytes that don't match the
// object's hash are accepted, if a call keeps waiting for a store that does not respond, or if a call is not retried
// after a short failure.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ObjectStore, ObjectsUnavailable } from '../../../src/fleet-snapshots/object-store.ts'
import { ObjectBucket } from '../../databases/object-bucket.ts'

const PATIENCE = { deadlineMillis: 500, tries: 3, waitMillis: 20 }
const CONTENT = crypto.getRandomValues(new Uint8Array(50_000))
const NAME = 'snapshots/ville/content.zst'
const hash = sha256(CONTENT)

let bucket: ObjectBucket
let store: ObjectStore
const folder = mkdtempSync(join(tmpdir(), 'quai-objects-'))
const source = join(folder, 'source')
const target = join(folder, 'target')
beforeAll(async () => {
  bucket = await ObjectBucket.start()
  store = new ObjectStore(bucket.config, PATIENCE)
  writeFileSync(source, CONTENT)
  await store.put(NAME, source)
})
afterEach(() => {
  bucket.fault = undefined
})
afterAll(async () => {
  await bucket.stop()
  rmSync(folder, { recursive: true })
})

test('an object is returned unchanged, and is gone after its removal', async () => {
  await store.get({ name: NAME, hash }, target)
  expect(new Uint8Array(readFileSync(target))).toEqual(CONTENT)
  await store.put('snapshots/ville/other.zst', source)
  await store.remove('snapshots/ville/other.zst')
  await store.remove('snapshots/ville/other.zst')
  await expect(store.get({ name: 'snapshots/ville/other.zst', hash }, target)).rejects.toThrow('status 404')
})

test('wrong bytes are an error, and leave no file', async () => {
  rmSync(target, { force: true })
  bucket.fault = 'corrupt'
  await expect(store.get({ name: NAME, hash }, target)).rejects.toThrow(ObjectsUnavailable)
  bucket.fault = undefined
  await expect(store.get({ name: NAME, hash: sha256(new Uint8Array(1)) }, target)).rejects.toThrow(
    'the content of the object does not match the hash in its name',
  )
  expect(readdirSync(folder)).toEqual(['source'])
})

test('a store that is unavailable for a moment is retried', async () => {
  bucket.fault = 'away'
  setTimeout(() => {
    bucket.fault = undefined
  }, 30)
  await store.get({ name: NAME, hash }, target)
  expect(new Uint8Array(readFileSync(target))).toEqual(CONTENT)
})

test('a store that does not respond is abandoned', async () => {
  bucket.fault = 'slow'
  const startedMillis = performance.now()
  await expect(store.get({ name: NAME, hash }, target)).rejects.toThrow(ObjectsUnavailable)
  expect(performance.now() - startedMillis).toBeLessThan(2 * (PATIENCE.tries * PATIENCE.deadlineMillis))
})

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}
