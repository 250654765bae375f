// Checks what the service needs besides its sources: its pepper, plans, database and email, the proxy in front of it,
// TLS, the base map, and the object store of a cluster.
import { Database } from 'bun:sqlite'
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTransport } from '../account-api/mailer.ts'
import { accountDatabasePath } from '../accounts/open-account-store.ts'
import { refuseMissingPepper } from '../accounts/open-accounts.ts'
import { openReplicaSession } from '../accounts/postgres-session.ts'
import { checkBackup } from '../accounts/sqlite-restore.ts'
import type { Config, SnapshotStoreConfig } from '../config/config.ts'
import type { Offers } from '../plans/offers.ts'
import { PLANS } from '../plans/plans.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { type Check, type Finding, fault, ok, warning } from './check.ts'
import { endFinding, skewFinding } from './source-checks.ts'

const OLDEST_POSTGRES = 140_000
const OTHERS_MAY = 0o077

/** All checks in this file that apply to a configuration. */
export function serviceChecks(config: Config): Check[] {
  const { tls, mail, cluster, databaseUrl, explorerTiles } = config
  const checks: Check[] = [
    { part: 'pepper', run: async () => [await checkPepper(config)] },
    { part: 'proxy', run: async () => [checkProxy(config)] },
    { part: 'plans', run: async () => [checkPlans(config.offers)] },
    databaseUrl === undefined
      ? { part: 'database', run: async () => [checkSqlite(accountDatabasePath(config.dataDir))] }
      : { part: 'database', run: () => checkPostgres(databaseUrl, cluster?.hasPreparedStatements === false) },
    mail === undefined
      ? {
          part: 'mail',
          run: async () => [
            warning('mail', 'no mail server is configured, so emails are only written to the log. Set [mail]'),
          ],
        }
      : { part: 'mail', run: () => checkMail(mail) },
  ]
  if (tls !== undefined) checks.push({ part: 'tls', run: async () => checkTls(tls, config.audience) })
  if (explorerTiles !== undefined) checks.push({ part: 'tiles', run: async () => [checkTiles(explorerTiles)] })
  const snapshots = cluster?.snapshots
  if (snapshots !== undefined) checks.push({ part: 'store', run: () => checkStore(snapshots) })
  return checks
}

/** Checks the plans that have self_service. Anybody who signs up can choose them, so their prices should be shown. */
export function checkPlans({ selfService, priceTexts }: Offers): Finding {
  const chosen = PLANS.filter((plan) => selfService[plan])
  if (chosen.length === 0) return ok('plans', "only you can change an account's plan: no plan has self_service")
  const unpriced = chosen.filter((plan) => priceTexts[plan] === '')
  const sentence = `owners can choose ${chosen.join(', ')} in the console`
  if (unpriced.length === 0) return ok('plans', sentence)
  return warning('plans', `${sentence}, but the console shows no price for ${unpriced.join(', ')}. Set price_text`)
}

/**
 * Checks that other users cannot read the pepper file. If the file is missing, checks that no existing keys need it.
 */
async function checkPepper(config: Config): Promise<Finding> {
  const path = config.pepperFile
  if (!existsSync(path)) refuseMissingPepper(config)
  const known = existsSync(path) ? false : await hasKeys(config).catch(() => undefined)
  if (known === undefined) return warning('pepper', 'not checked: the database does not answer')
  if (known) return fault('pepper', `${path} is missing, so none of the existing keys works. Restore it from a backup`)
  if (!existsSync(path))
    return ok('pepper', `${path} is created at the first start. Back it up: without it, no key works`)
  const { mode } = statSync(path)
  return (mode & OTHERS_MAY) === 0
    ? ok('pepper', `${path} can only be read by its owner`)
    : warning('pepper', `${path} can be read by other users. Run chmod 600 ${path}`)
}

/** Whether the database has keys that are not revoked. */
async function hasKeys({ dataDir, databaseUrl }: Config): Promise<boolean> {
  if (databaseUrl !== undefined) return await hasPostgresKeys(databaseUrl)
  const path = accountDatabasePath(dataDir)
  if (!existsSync(path)) return false
  const database = new Database(path, { readonly: true })
  try {
    return database.query('SELECT 1 FROM keys WHERE revoked_at IS NULL LIMIT 1').get() !== null
  } finally {
    database.close()
  }
}

async function hasPostgresKeys(databaseUrl: string): Promise<boolean> {
  const session = openReplicaSession(databaseUrl, false)
  try {
    const table = await session.query<{ name: string | null }>(`SELECT to_regclass('quai.keys')::text AS name`)
    if (table.rows[0]?.name == null) return false
    const keys = await session.query('SELECT 1 FROM quai.keys WHERE revoked_at IS NULL LIMIT 1')
    return keys.rows.length > 0
  } finally {
    await session.close()
  }
}

/** Checks trusted_proxies. Behind a proxy that is not trusted, all clients appear to have the proxy's address. */
export function checkProxy({
  baseUrl,
  tls,
  trustedProxies,
}: Pick<Config, 'baseUrl' | 'tls' | 'trustedProxies'>): Finding {
  if (trustedProxies.length > 0) return ok('proxy', `X-Forwarded-For is trusted from ${trustedProxies.join(', ')}`)
  const isBehind = baseUrl.startsWith('https:') && tls === undefined
  if (!isBehind) return ok('proxy', 'trusted_proxies is empty, and no proxy seems to be in front of the service')
  const advice =
    "set trusted_proxies to the proxy's address; otherwise, all clients share the rate limits of one address"
  return warning(
    'proxy',
    `base_url is https and [tls] is not set, so a proxy in front of the service must handle TLS: ${advice}`,
  )
}

function checkSqlite(path: string): Finding {
  if (!existsSync(path)) return ok('database', `${path} is created at the first start`)
  checkBackup(path, path)
  return ok('database', `${path} is intact`)
}

async function checkPostgres(databaseUrl: string, isPooled: boolean): Promise<Finding[]> {
  const session = openReplicaSession(databaseUrl, isPooled)
  try {
    const { rows } = await session.query<{ version: number; may_create: boolean; now: string; connections: number }>(
      `SELECT current_setting('server_version_num')::int AS version,
         CASE WHEN EXISTS (SELECT FROM pg_namespace WHERE nspname = 'quai') THEN has_schema_privilege('quai', 'CREATE')
           ELSE has_database_privilege(current_database(), 'CREATE') END AS may_create,
         to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS now,
         current_setting('max_connections')::int AS connections`,
    )
    const { version, may_create, now, connections } = rows[0]
    const major = Math.floor(version / 10_000)
    const found: Finding[] = []
    if (version < OLDEST_POSTGRES)
      found.push(fault('database', `the database is PostgreSQL ${major}. Use PostgreSQL 14 or later`))
    if (!may_create)
      found.push(
        fault(
          'database',
          'the user in database_url is not allowed to create tables. Make this user the owner of the database',
        ),
      )
    const skew = skewFinding('database', now, TRUE_CLOCK.nowMillis())
    if (skew !== undefined) found.push(skew)
    return found.length > 0
      ? found
      : [ok('database', `PostgreSQL ${major} answers; it allows ${connections} connections`)]
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [fault('database', `${why}. Check that the database runs, or correct database_url`)]
  } finally {
    await session.close()
  }
}

async function checkMail(mail: NonNullable<Config['mail']>): Promise<Finding[]> {
  const transport = await openTransport(mail)
  try {
    await transport.verify()
    return [
      ok('mail', `${mail.host}:${mail.port} accepts ${mail.user === '' ? 'connections' : `logins as ${mail.user}`}`),
    ]
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [fault('mail', `${mail.host}:${mail.port}: ${why}. Correct [mail]`)]
  } finally {
    transport.close()
  }
}

/** Checks the base-map file. Without it, the map has no background. */
function checkTiles(path: string): Finding {
  const isFile = existsSync(path) && statSync(path).isFile()
  return isFile
    ? ok('tiles', `${path} exists`)
    : fault('tiles', `${path} is not a file. Correct explorer_tiles, or remove this setting for a plain background`)
}

/**
 * Checks that the two files are a certificate and its private key. Also checks that the certificate is valid for the
 * service's name and does not expire soon.
 */
export function checkTls({ certFile, keyFile }: NonNullable<Config['tls']>, audience: string): Finding[] {
  const certificate = openPem('tls.cert_file', certFile, (bytes) => new X509Certificate(bytes))
  const key = openPem('tls.key_file', keyFile, createPrivateKey)
  if (!certificate.checkPrivateKey(key))
    return [fault('tls', `${keyFile} is not the private key of ${certFile}. Correct tls.cert_file or tls.key_file`)]
  const found: Finding[] = []
  const isFor = isIP(audience) === 0 ? certificate.checkHost(audience) : certificate.checkIP(audience)
  if (isFor === undefined)
    found.push(
      warning('tls', `${certFile} is not for ${audience}, the host of base_url. Correct tls.cert_file or base_url`),
    )
  const end = endFinding('tls', {
    what: `the certificate in ${certFile}`,
    endMillis: Date.parse(certificate.validTo),
    advice: 'Renew it',
  })
  if (end !== undefined) found.push(end)
  return found.length > 0 ? found : [ok('tls', `${certFile} is valid until ${certificate.validTo}`)]
}

/** Reads a file that a setting in [tls] names. If this fails, the error names the setting and the remedy. */
function openPem<Opened>(setting: string, path: string, open: (bytes: Buffer) => Opened): Opened {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) throw new Error(`${path} does not exist. Correct ${setting}`)
    if (isErrno(error, 'EISDIR')) throw new Error(`${path} is a folder. Correct ${setting}`)
    if (isErrno(error, 'EACCES', 'EPERM'))
      throw new Error(`${path} cannot be read by this user. Change its permissions, or correct ${setting}`)
    throw error
  }
  try {
    return open(bytes)
  } catch {
    throw new Error(`${path} is not a valid PEM file for this setting. Correct ${setting}`)
  }
}

/** Checks the object store: writes an object, reads it and removes it. */
async function checkStore(config: SnapshotStoreConfig): Promise<Finding[]> {
  const { ObjectStore } = await import('../fleet-snapshots/object-store.ts')
  const store = new ObjectStore(config, { deadlineMillis: 5_000, tries: 1, waitMillis: 0 })
  const folder = mkdtempSync(join(tmpdir(), 'quai-doctor-'))
  const [sent, got] = [join(folder, 'sent'), join(folder, 'got')]
  const bytes = randomBytes(1_000)
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const name = `doctor/${hash}.zst`
  try {
    writeFileSync(sent, bytes)
    await store.put(name, sent)
    await store.get({ name, hash }, got)
    await store.remove(name)
    return [ok('store', `${config.endpoint} stores, returns and removes objects in ${config.bucket}`)]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
