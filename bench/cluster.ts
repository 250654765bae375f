// `bun bench/cluster.ts` measures the load that ten replicas put on PostgreSQL, as the processor time of all PostgreSQL
// processes. Each replica serves keys that call it every second: 100 keys in the first run, and 1 000 in the second.
// Meanwhile, all replicas together serve 10 000 keys that each call every half minute, on changing replicas. Before the
// measurement starts, each replica has served each key at least once. Needs Debian's PostgreSQL.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openPostgresStore } from '../src/accounts/postgres-account-store.ts'
import { OwnPostgres } from '../tests/databases/own-postgres.ts'
import type { ReplicaDone, ReplicaTask } from './cluster-replica.ts'
import { showFigure } from './figures.ts'

const REPLICAS = Number(process.env['QUAI_BENCH_REPLICAS'] ?? 10)
/**
 * For each run: the number of keys that call each replica once per second, and the maximum share of a core that the
 * database may use.
 */
const LEVELS = [
  { keys: 100, bar: 0.05 },
  { keys: 1_000, bar: 0.25 },
] as const
const RARE_KEYS = 10_000
const RARE_SECONDS = 30
/** Warm-up time, after which each replica has a stable grant of units for each account. */
const WARM_MILLIS = Number(process.env['QUAI_BENCH_WARM_SECONDS'] ?? 100) * 1_000
const MEASURE_MILLIS = Number(process.env['QUAI_BENCH_SECONDS'] ?? 60) * 1_000
const CLOCK_TICKS_PER_SECOND = 100
const PEPPER = `p1 ${'5a'.repeat(32)}\n`

const folder = mkdtempSync(join(tmpdir(), 'quai-bench-cluster-'))
const postgres = await OwnPostgres.start()
try {
  for (const { keys, bar } of LEVELS) {
    const database = `keys_${keys}`
    await postgres.query(`CREATE DATABASE ${database}`)
    await makeAccounts(postgres.url(database), keys)
    await measure(database, keys, bar)
  }
} finally {
  await postgres.remove()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(database: string, keys: number, bar: number): Promise<void> {
  const replicas = Array.from({ length: REPLICAS }, (_, ordinal) => startReplica(database, keys, ordinal))
  await Promise.all(replicas.map((each) => each.untilReady()))
  await Bun.sleep(WARM_MILLIS)
  const before = { seconds: databaseSeconds(), wal: await walBytes(), atMillis: performance.now() }
  await Bun.sleep(MEASURE_MILLIS)
  const spanSeconds = (performance.now() - before.atMillis) / 1_000
  const share = (databaseSeconds() - before.seconds) / spanSeconds
  const wal = ((await walBytes()) - before.wal) / spanSeconds / 1e6
  const done = await Promise.all(replicas.map((each) => each.end()))
  const sum = (of: (each: ReplicaDone) => number) => done.reduce((total, each) => total + of(each), 0)
  const [{ units }] = await postgres.query<{ units: number }>(
    'SELECT sum(units)::float8 AS units FROM quai.usage',
    database,
  )
  console.log(
    `${REPLICAS} replicas × ${keys} keys per second: ${sum(({ charged }) => charged)} units charged, ${units} in the ledger, ${sum(({ waited }) => waited)} calls waited, ${sum(({ refused }) => refused)} refused; WAL ${wal.toFixed(2)} MB/s`,
  )
  if (units !== sum(({ charged }) => charged)) throw new Error('the ledger differs from what was charged')
  showFigure({
    name: `database processor time, ${REPLICAS} replicas × ${keys} keys per second`,
    value: share,
    unit: 'cores',
    atMost: bar,
  })
}

/** Creates accounts. Each account has one key, which has the same id as the account. */
async function makeAccounts(url: string, keys: number): Promise<void> {
  await (await openPostgresStore(url)).close()
  const sql = new SQL(url, { max: 1 })
  await sql.unsafe(`CREATE TEMPORARY TABLE ids AS SELECT 'key_' || lpad(to_hex(n), 8, '0') AS id
    FROM generate_series(1, ${keys + RARE_KEYS}) n`)
  await sql.unsafe(`INSERT INTO quai.accounts (id, email, email_folded, plan, verified, overage_enabled, spend_cap_cents, created_at)
    SELECT id, id || '@bench.example', id || '@bench.example', 'max', true, false, 0, ${Date.now()} FROM ids`)
  await sql.unsafe(`INSERT INTO quai.keys (id, account_id, name, scopes, audience, prefix, last_four, digest, pepper_id, created_at)
    SELECT id, id, 'bench', 'transit:read', 'localhost', 'quai_p_benc', 'hmrk', encode(sha256(id::bytea), 'hex'), 'p1', ${Date.now()} FROM ids`)
  await sql.unsafe('VACUUM ANALYZE quai.accounts, quai.keys')
  await sql.close()
}

function startReplica(database: string, keys: number, ordinal: number) {
  const home = join(folder, `${database}-${ordinal}`)
  mkdirSync(home)
  const configFile = join(home, 'quai.toml')
  writeFileSync(join(home, 'pepper'), PEPPER, { mode: 0o600 })
  writeFileSync(
    configFile,
    `data_dir = "data"\ndatabase_url = "${postgres.url(database)}"\npepper_file = "pepper"\nworkers = 1
[plans.max]\nincluded_units = 100000000\n[cluster]\nname = "r${ordinal}"\n`,
  )
  const task: ReplicaTask = {
    configFile,
    ordinal,
    steadyKeys: keys,
    rareKeys: RARE_KEYS,
    rarePerSecond: RARE_KEYS / RARE_SECONDS / REPLICAS,
    firstSeconds: (0.6 * WARM_MILLIS) / 1_000,
  }
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'cluster-replica.ts')], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, QUAI_BENCH_REPLICA: JSON.stringify(task) },
  })
  const lines = readLines(child.stdout)
  return {
    async untilReady(): Promise<void> {
      const { value } = await lines.next()
      if (value !== 'ready') throw new Error(`replica ${ordinal} printed ${value} instead of ready`)
    },
    async end(): Promise<ReplicaDone> {
      await child.stdin.end()
      const { value } = await lines.next()
      return JSON.parse(value ?? '')
    },
  }
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** Processor seconds of the PostgreSQL server and all its child processes, including those that have ended. */
function databaseSeconds(): number {
  const [pid = ''] = readFileSync(join(postgres.primary.folder, 'postmaster.pid'), 'utf8').split('\n')
  let ticks = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const fields = readStat(name)
    if (name === pid) ticks += fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
    else if (fields[1] === pid) ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / CLOCK_TICKS_PER_SECOND
}

/** The fields that follow the process name in /proc/<pid>/stat; empty if the process has just ended. */
function readStat(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

async function walBytes(): Promise<number> {
  const [{ bytes }] = await postgres.query<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes`,
  )
  return bytes
}
