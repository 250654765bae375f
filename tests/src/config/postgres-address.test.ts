// Tests the parser of `database_url`. Fails if parts of the URL are confused, or if an error message contains a secret.
import { expect, test } from 'bun:test'
import { userInfo } from 'node:os'
import { parsePostgresAddress } from '../../../src/config/postgres-address.ts'

test('an address is read part by part, with escapes and defaults', () => {
  expect(parsePostgresAddress('postgres://me%40x:p%25%2F%3A%40w@db.example:6000/qu%20ai?sslmode=verify-full')).toEqual({
    hostname: 'db.example',
    port: 6000,
    socketPath: undefined,
    username: 'me@x',
    password: 'p%/:@w',
    database: 'qu ai',
    tls: 'verify-full',
    label: 'qu ai on db.example:6000',
  })
  expect(parsePostgresAddress('postgresql://[::1]')).toEqual({
    hostname: '::1',
    port: 5432,
    socketPath: undefined,
    username: userInfo().username,
    password: '',
    database: userInfo().username,
    tls: 'prefer',
    label: `${userInfo().username} on [::1]:5432`,
  })
  expect(parsePostgresAddress('postgres://quai@localhost/quai?host=/run/postgresql')).toMatchObject({
    socketPath: '/run/postgresql',
    label: 'quai on /run/postgresql',
  })
})

test('errors in an address are reported without its secrets', () => {
  const wrong = [
    'sesame',
    'mysql://quai:sesame@db/quai',
    'postgres://quai:sesame@db:port/quai',
    'postgres://quai:sesame%zz@db/quai',
    'postgres://quai:sesame@db/quai?sslmode=sesame',
    'postgres://quai:sesame@db/quai?password=sesame',
    'postgres://quai:sesame@db/quai?host=sesame',
  ]
  for (const text of wrong) {
    expect(parsePostgresAddress(text)).toEqual({ problem: expect.not.stringContaining('sesame') })
  }
})
