// Tests the live data that a thread gets if it starts late. It must get the newest version of each part, in whatever
// order messages arrived. Fails if a message about a new snapshot replaces newer data with older, if a part is lost
// because the last message marked it as unchanged, or if a removed network still has its data when it is added again.
import { expect, test } from 'bun:test'
import { KeptNetworks } from '../../../src/networks/kept-networks.ts'
import type { NetworkMessage, PackedLive } from '../../../src/networks/network-messages.ts'

const CAPABILITIES = { trips: true, alerts: true, vehicles: 'none' } as const

const settings = { id: 'n', name: 'N', city: '', attribution: [] }

function network(live?: PackedLive): NetworkMessage {
  const base = { settings, snapshot: undefined, lastError: undefined }
  return live === undefined ? base : { ...base, live }
}

/** A message whose alerts contain its version, or are marked as unchanged. */
function message(version: number, alerts: 'new' | 'same'): PackedLive {
  const base = { version, capabilities: CAPABILITIES, feeds: [], overlay: undefined, vehicles: undefined }
  return alerts === 'same' ? { ...base, alerts } : { ...base, alerts: { json: `${version}` } }
}

/** The version and the alerts that a thread would get if it started now. */
function kept(networks: KeptNetworks): readonly unknown[] {
  const live = networks.list()[0]?.live
  return [live?.version, typeof live?.alerts === 'object' ? live.alerts.json : live?.alerts]
}

test('live data of an overtaken snapshot message does not replace newer data', () => {
  const networks = new KeptNetworks([network()])
  networks.replaceLive('n', message(2, 'new'))
  networks.keep(network(message(1, 'new')))
  expect(kept(networks)).toEqual([2, '2'])
})

test('what a newer message leaves unchanged is taken from an older one that arrives later', () => {
  const networks = new KeptNetworks([network()])
  networks.replaceLive('n', message(2, 'same'))
  networks.keep(network(message(1, 'new')))
  expect(kept(networks)).toEqual([2, '1'])
})

test('an unchanged part is sent whole', () => {
  const networks = new KeptNetworks([network(message(1, 'new'))])
  networks.replaceLive('n', message(2, 'same'))
  expect(kept(networks)).toEqual([2, '1'])
})

test('a network that returns starts fresh: a late message of its former feeds is ignored', () => {
  const networks = new KeptNetworks([network(message(7, 'new'))])
  networks.select([])
  networks.replaceLive('n', message(8, 'new'))
  networks.select(['n'])
  networks.keep(network(message(1, 'new')))
  expect(kept(networks)).toEqual([1, '1'])
})
