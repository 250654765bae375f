// Objects in an S3-compatible store that is slow, wrong and absent. It fails if other bytes than those of the name are returned,
// if a store that does not answer is waited for, and if a short failure is not tried again.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { hashOf, ObjectStore, ObjectsUnavailable } from '../../../src/fleet-snapshots/object-store.ts'
import { ObjectBucket } from '../../databases/object-bucket.ts'

const PATIENCE = { deadlineMillis: 500, tries: 3, waitMillis: 20 }
const CONTENT = crypto.getRandomValues(new Uint8Array(50_000))
const NAME = 'snapshots/ville/content.zst'

let bucket: ObjectBucket
let store: ObjectStore
let hash = ''
beforeAll(async () => {
  bucket = await ObjectBucket.start()
  store = new ObjectStore(bucket.config, PATIENCE)
  hash = await hashOf(CONTENT)
  await store.put(NAME, CONTENT)
})
afterEach(() => {
  bucket.fault = undefined
})
afterAll(async () => {
  await bucket.stop()
})

test('an object is what was put there, and is gone after its removal', async () => {
  expect(await store.get(NAME, hash)).toEqual(CONTENT)
  await store.put('snapshots/ville/other.zst', CONTENT)
  await store.remove('snapshots/ville/other.zst')
  await store.remove('snapshots/ville/other.zst')
  await expect(store.get('snapshots/ville/other.zst', hash)).rejects.toThrow('status 404')
})

test('wrong bytes are no answer', async () => {
  bucket.fault = 'corrupt'
  await expect(store.get(NAME, hash)).rejects.toThrow(ObjectsUnavailable)
  bucket.fault = undefined
  await expect(store.get(NAME, await hashOf(new Uint8Array(1)))).rejects.toThrow('its content is not that of its name')
})

test('a store that is away for a moment is asked again', async () => {
  bucket.fault = 'away'
  setTimeout(() => {
    bucket.fault = undefined
  }, 30)
  expect(await store.get(NAME, hash)).toEqual(CONTENT)
})

test('a store that does not answer is given up', async () => {
  bucket.fault = 'slow'
  const startedMillis = performance.now()
  await expect(store.get(NAME, hash)).rejects.toThrow(ObjectsUnavailable)
  expect(performance.now() - startedMillis).toBeLessThan(2 * (PATIENCE.tries * PATIENCE.deadlineMillis))
})
