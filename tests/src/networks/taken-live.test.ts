// What a thread makes of the live thread's messages when they come in another order than they were made: a snapshot's
// message waits until all threads are ready, others do not. It fails by alerts that are lost, or that come back.
import { expect, test } from 'bun:test'
import type { PackedLive } from '../../../src/networks/network-messages.ts'
import { type ToldNetwork, takeLive } from '../../../src/networks/taken-live.ts'

function network(): ToldNetwork {
  const settings = { id: 'n', name: 'N', city: '', attribution: [] }
  return { settings, current: undefined, lastError: undefined, liveVersion: 0, overlayVersion: 0, alertVersion: 0 }
}

/** The message of a version with alerts for a snapshot, with none, or with the same as before. */
function message(version: number, alerts: string | 'none' | 'same'): PackedLive {
  const base = { version, feeds: [], overlay: undefined, vehicles: undefined }
  if (alerts === 'same') return { ...base, alerts }
  const json = JSON.stringify({ snapshotId: alerts, rows: [] })
  return { ...base, alerts: alerts === 'none' ? undefined : { json } }
}

/** The snapshot of the alerts after each message. */
function heldAfter(...messages: readonly PackedLive[]) {
  const told = network()
  return messages.map((each) => {
    takeLive(told, each)
    return [told.liveVersion, told.live?.alerts?.snapshotId]
  })
}

test('in order, the same are the same, and none are none', () => {
  expect(heldAfter(message(1, 'none'), message(2, 'old'), message(3, 'same'), message(4, 'none'))).toEqual([
    [1, undefined],
    [2, 'old'],
    [3, 'old'],
    [4, undefined],
  ])
})

test('alerts that a later message calls the same are taken though it came before theirs', () => {
  expect(heldAfter(message(1, 'old'), message(3, 'same'), message(2, 'new'))).toEqual([
    [1, 'old'],
    [3, 'old'],
    [3, 'new'],
  ])
})

test('alerts that were overtaken by others are not taken', () => {
  expect(heldAfter(message(3, 'newest'), message(2, 'new'), message(1, 'none'))).toEqual([
    [3, 'newest'],
    [3, 'newest'],
    [3, 'newest'],
  ])
})
