// Tests `quai backup`. Fails if the copy lacks data that was written before the backup, contains data that was written
// after it, contains the text of a key, is readable by other users, or replaces a file.
import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openAccounts } from '../../../src/accounts/open-accounts.ts'
import { openSqliteStore } from '../../../src/accounts/sqlite-account-store.ts'
import { runBackup } from '../../../src/commands/backup.ts'
import { makeConfig } from '../account-config.ts'
import { KeptOutput, makeFolder } from '../account-fixture.ts'

const KEY = {
  email: 'ada@example.org',
  plan: 'max',
  name: 'k',
  scopes: ['transit:read'],
  expiresAtMillis: null,
} as const

test('a backup of a running service has everything that was confirmed, and opens as a separate database', async () => {
  const folder = makeFolder()
  const config = makeConfig(folder)
  const service = await openAccounts(config, { onProblem: () => {} })
  const made = await service.operations.createKey({ ...KEY, scopes: [...KEY.scopes] })
  const file = join(folder, 'backup.db')
  const output = new KeptOutput()
  expect(await runBackup(config, { file }, output)).toBe(0)
  expect(output.out).toBe(`${file}\n`)
  await service.operations.createKey({ ...KEY, scopes: [...KEY.scopes] }) // a key that is not in the backup
  await service.close()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file).includes(made.key)).toBe(false)
  mkdirSync(join(folder, 'restored'))
  copyFileSync(file, join(folder, 'restored', 'quai.db'))
  const restored = openSqliteStore(join(folder, 'restored', 'quai.db'))
  expect((await restored.listKeys()).map((key) => key.id)).toEqual([made.listing.id])
  await restored.close()
})

test('a backup overwrites nothing, leaves nothing incomplete, and needs a database', async () => {
  const folder = makeFolder()
  const config = makeConfig(folder)
  const output = new KeptOutput()
  await expect(runBackup(config, { file: join(folder, 'b') }, output)).rejects.toThrow('quai.db does not exist')
  await (await openAccounts(config, { onProblem: () => {} })).close()
  writeFileSync(join(folder, 'b'), 'mine')
  await expect(runBackup(config, { file: join(folder, 'b') }, output)).rejects.toThrow('already exists')
  expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('mine')
  await expect(runBackup(config, { file: join(folder, 'no', 'b') }, output)).rejects.toThrow('no backup was made')
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  const away = { ...config, databaseUrl: 'postgres://h/d' }
  await expect(runBackup(away, { file: join(folder, 'c') }, output)).rejects.toThrow('pg_dump')
})
