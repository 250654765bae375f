// Tests the explorer's port while the service stops. Fails if a response allows its client to keep using the
// connection.
import { afterAll, expect, test } from 'bun:test'
import { openExplorerListener } from '../../../src/explorer/explorer-listener.ts'
import { makeConfig } from '../account-config.ts'

const listener = openExplorerListener(makeConfig('/nowhere', { explorer_port: 0 }), () => undefined)
afterAll(() => listener.close())

test('while draining, each response closes its connection', async () => {
  const ask = async () => (await fetch(`http://127.0.0.1:${listener.port}/`)).headers.get('connection')
  listener.show(1)
  expect(await ask()).not.toBe('close')
  listener.closeConnections()
  expect(await ask()).toBe('close')
  expect(await ask()).toBe('close')
})
