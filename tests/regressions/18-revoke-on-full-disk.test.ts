// Tests `quai keys revoke` on a full disk, and the next start of the service. Fails if the key is still accepted right
// after the revocation or after a kill -9, if the service doesn't start, or if the database lacks the revocation once
// there is space again.
import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { commandOf, end, ServiceFolder, type Serving, until } from '../service/running.ts'
import { fillUp, makeSmallDisk, type SmallDisk } from '../service/small-disk.ts'
import { slowTest } from '../slow-test.ts'

const PORT = 18_870
const DISK_MEGABYTES = 24
let disk: SmallDisk | undefined
let serving: Serving | undefined

afterEach(async () => {
  if (serving !== undefined && serving.child.exitCode === null) await end(serving, 'SIGKILL')
  disk?.remove()
})

async function ask(key: string): Promise<number> {
  const answer = await fetch(`${serving?.base}/v1/networks`, { headers: { authorization: `Bearer ${key}` } })
  return answer.status
}

async function usedUnits(key: string): Promise<number> {
  const answer = await fetch(`${serving?.base}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })
  return JSON.parse(await answer.text()).data.units
}

test('a key is revoked on a full disk, stays revoked after kill -9, and the database has the revocation once there is room', async () => {
  disk = makeSmallDisk(DISK_MEGABYTES)
  if (!disk.isMounted) return console.log('left out: a full disk (no file system can be mounted here)')
  const { folder: root } = disk
  const folder = new ServiceFolder(commandOf('source'), undefined, root)
  const [first, second, third] = [await folder.makeKey('1'), await folder.makeKey('2'), await folder.makeKey('3')]
  const listed: { id: string }[] = JSON.parse((await folder.run('keys', 'list', '--json')).stdout)
  serving = await folder.serve({ workers: 2, port: PORT })
  expect([await ask(first), await ask(second), await ask(third)]).toEqual([200, 200, 200])
  fillUp(root, 0)
  expect(await folder.run('keys', 'revoke', listed[0].id)).toMatchObject({ status: 0 })
  expect([await ask(first), await ask(second)]).toEqual([401, 200])
  await end(serving, 'SIGKILL')
  expect(await folder.run('keys', 'revoke', listed[1].id)).toMatchObject({ status: 0 }) // no service is running
  rmSync(join(root, 'filler'))
  serving = await folder.serve({ workers: 2, port: PORT })
  expect([await ask(first), await ask(second), await ask(third)]).toEqual([401, 401, 200])
  const path = join(root, 'data', 'quai.db')
  const revokedCount = () => {
    const database = new Database(path, { readonly: true })
    const keys = database.query('SELECT id FROM keys WHERE revoked_at IS NOT NULL').all()
    const events = database.query(`SELECT id FROM events WHERE kind = 'key_revoked'`).all()
    database.close()
    return [keys.length, events.length]
  }
  await until(() => revokedCount()[0] === 2, 'the database has the revocations')
  expect(revokedCount()).toEqual([2, 2])
}, 60_000)

slowTest(
  'a start on the full disk reports it, serves, and the revocation applies',
  async () => {
    disk = makeSmallDisk(DISK_MEGABYTES)
    if (!disk.isMounted) return console.log('left out: a full disk (no file system can be mounted here)')
    const { folder: root } = disk
    const folder = new ServiceFolder(commandOf('source'), undefined, root)
    const [first, second] = [await folder.makeKey('1'), await folder.makeKey('2')]
    const listed: { id: string }[] = JSON.parse((await folder.run('keys', 'list', '--json')).stdout)
    serving = await folder.serve({ workers: 2, port: PORT })
    expect([await ask(first), await ask(second)]).toEqual([200, 200])
    fillUp(root, 0)
    expect(await folder.run('keys', 'revoke', listed[0].id)).toMatchObject({ status: 0 })
    await end(serving, 'SIGKILL')
    fillUp(root, 0)
    serving = await folder.serve({ workers: 2, port: PORT })
    expect([await ask(first), await ask(second)]).toEqual([401, 200])
    expect(serving.output()).toContain('database or disk is full')
    expect(await usedUnits(second)).toBe(3) // the units that both keys together have used
    await end(serving, 'SIGKILL')
    rmSync(join(root, 'filler'))
    serving = await folder.serve({ workers: 2, port: PORT })
    expect([await ask(first), await ask(second)]).toEqual([401, 200])
    expect(await usedUnits(second)).toBe(4)
    expect(await folder.run('ledger', 'verify')).toMatchObject({ status: 0 })
  },
  60_000,
)
