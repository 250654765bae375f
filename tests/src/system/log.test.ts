// Tests the content of log lines. Fails if a line contains a key, in whatever form a client sent it, or if an error is
// logged without its message.
import { expect, test } from 'bun:test'
import { keyPrefix, makeApiKey } from '../../../src/keys/api-key.ts'

const LOG = new URL('../../../src/system/log.ts', import.meta.url).pathname

test('a line shows only the first characters of a key, in any field and in an error, and keeps the error text', async () => {
  const key = makeApiKey()
  const script = `
    const { openLog } = await import(${JSON.stringify(LOG)})
    const key = process.argv.at(-1)
    openLog('data-0').error(
      { request_id: key, path: '/v1/stops/' + key + '/departures', error: new Error('no stop ' + key), headers: { key } },
      'request with ' + key + ' failed',
    )`
  const child = Bun.spawn([process.execPath, '-e', script, key], { stdout: 'pipe', stderr: 'pipe' })
  const line = await new Response(child.stderr).text()
  expect(line).not.toContain(key.slice(keyPrefix(key).length))
  const lead = `${keyPrefix(key)}…`
  expect(JSON.parse(line)).toMatchObject({
    thread: 'data-0',
    request_id: lead,
    path: `/v1/stops/${lead}/departures`,
    error: { type: 'Error', message: `no stop ${lead}` },
    headers: '[Redacted]',
    msg: `request with ${lead} failed`,
  })
})
