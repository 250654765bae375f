// Tests the reports and commands that operators of a cluster use: the list of replicas, metrics, changes to the plans
// of all replicas, forgetting a replica, commands on a machine without a replica, and starts that are refused.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../../databases/test-postgres.ts'
import { commandOf, type Ended, until } from '../running.ts'
import { Fleet, type FleetReplica } from './fleet.ts'

sayWhatIsLeftOut()

const PORT = 19_740
const TEST_MILLIS = 60_000

let database: TestDatabase
let fleet: Fleet

/** A replica's entry in `/cluster.json`. */
interface Row {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly is_ready: boolean
  readonly version_lag: number
  readonly config_differs: boolean
  readonly units_held: number
}

describe.skipIf(POSTGRES === undefined)('operators of a cluster', () => {
  beforeAll(async () => {
    database = await makeDatabase()
    const tables = '[plans.free]\nincluded_units = 500\nrequests_per_second = 0\n'
    fleet = new Fleet({ databaseUrl: database.url, count: 2, port: PORT, tables })
    await fleet.start()
  }, 120_000)

  afterAll(async () => {
    await fleet.remove()
    await database.remove()
  })

  test(
    'see all replicas on each admin port, in commands and in metrics',
    async () => {
      const key = await fleet.makeKey('see@ville.example', 'free')
      for (const { base } of fleet.replicas)
        await until(async () => (await call(base, key)) === 200, 'the first units are granted')
      const seen = await untilRows(({ rows }) => rows.every(({ version_lag }) => version_lag === 0))
      expect(seen.map(({ name, state, is_ready, config_differs }) => [name, state, is_ready, config_differs])).toEqual([
        ['r0', 'serving', true, false],
        ['r1', 'serving', true, false],
      ])
      expect(seen.every(({ units_held }) => units_held > 0)).toBe(true)
      const page = await (
        await fetch(`${fleet.replicas[0].admin}/cluster`, { headers: { Accept: 'text/html' } })
      ).text()
      for (const { id } of seen) expect(page).toContain(id)
      const listed = await run(fleet.replicas[1], 'replicas', 'list', '--json')
      expect(JSON.parse(listed.stdout).replicas.map(({ id }: Row) => id)).toEqual(seen.map(({ id }) => id))
      expect((await run(fleet.replicas[1], 'replicas', 'list')).stdout).toMatch(/^ID +NAME +STATE +READY/)
      const metrics = await (await fetch(`${fleet.replicas[0].admin}/metrics`)).text()
      expect(metrics).toContain('quai_cluster_replicas{state="serving"} 2\n')
      expect(metrics).toMatch(/\nquai_grants_held_units [1-9]/)
      expect(metrics).toMatch(/\nquai_grant_wait_seconds_count [1-9]/)
      expect(Number(/\nquai_cluster_tick_age_seconds (\S+)/.exec(metrics)?.[1])).toBeLessThan(5)
    },
    TEST_MILLIS,
  )

  test(
    'change the plans of all replicas with one command',
    async () => {
      const key = await fleet.makeKey('plans@ville.example', 'free')
      const limits = async ({ base }: FleetReplica) => {
        const answer = await fetch(`${base}/v1/networks`, { headers: { Authorization: `Bearer ${key}` } })
        return answer.headers.get('RateLimit-Policy')
      }
      for (const replica of fleet.replicas) expect(await limits(replica)).toContain('"units";q=500')
      for (const replica of fleet.replicas) replaceText(replica, 'included_units = 500', 'included_units = 700')
      const applied = await run(fleet.replicas[0], 'plans', 'apply')
      expect(applied).toMatchObject({ status: 0, stderr: "the cluster now uses the configuration's plans\n" })
      for (const replica of fleet.replicas) expect(await limits(replica)).toContain('"units";q=700')
      const again = await run(fleet.replicas[1], 'plans', 'apply')
      expect(again).toMatchObject({ status: 0, stderr: "the cluster already uses the configuration's plans\n" })
    },
    TEST_MILLIS,
  )

  test(
    'see after SIGHUP that plans are not applied; a replica with other plans gets no traffic until they are',
    async () => {
      const [, replica] = fleet.replicas
      replaceText(replica, 'included_units = 700', 'included_units = 900')
      replica.child?.kill('SIGHUP')
      await until(() => fleet.output(replica).includes('quai plans apply'), 'the reload is answered')
      await fleet.end(replica)
      fleet.spawn(replica)
      await until(
        () => fleet.output(replica).includes("differ from the cluster's plans"),
        'the start reports the difference',
      )
      await untilRows(({ rows }) => rows.some(({ name, is_ready }) => name === 'r1' && !is_ready))
      expect((await run(replica, 'plans', 'apply')).status).toBe(0)
      await fleet.untilReady(replica)
      const rows = await untilRows(({ rows }) => rows.some(({ config_differs }) => config_differs))
      expect(rows).toHaveLength(2)
    },
    TEST_MILLIS,
  )

  test(
    'forget a replica: it exits, its units are free, and a new start joins again',
    async () => {
      const [, replica] = fleet.replicas
      const before = (await report()).find(({ name }) => name === 'r1')
      if (before === undefined) throw new Error('r1 is not in the report')
      expect(await run(fleet.replicas[0], 'replicas', 'forget', before.id)).toMatchObject({ status: 0 })
      await until(() => replica.child?.exitCode != null, 'the forgotten replica has exited')
      expect(replica.child?.exitCode).toBe(1)
      expect(fleet.output(replica)).toContain('this replica was removed from the cluster (forgotten)')
      expect(await run(fleet.replicas[0], 'replicas', 'forget', before.id)).toMatchObject({ status: 1 })
      fleet.spawn(replica)
      await fleet.untilReady(replica)
      const after = (await report()).find(({ name }) => name === 'r1')
      expect(after?.id).not.toBe(before.id)
    },
    TEST_MILLIS,
  )

  test(
    'create and revoke keys while no replica runs, and learn which replicas have not applied the change yet',
    async () => {
      const elsewhere = beside('elsewhere')
      const made = await runIn(
        elsewhere,
        'keys',
        'create',
        '--account',
        'a@ville.example',
        '--plan',
        'free',
        '--name',
        'a',
      )
      expect(made).toMatchObject({ status: 0 })
      const key = made.stdout.trim()
      for (const { base } of fleet.replicas) expect(await call(base, key)).toBe(200)
      const [listed] = JSON.parse((await runIn(elsewhere, 'keys', 'list', '--json')).stdout).filter(
        (one: { account: string }) => one.account === 'a@ville.example',
      )
      const revoked = await runIn(elsewhere, 'keys', 'revoke', listed.id)
      expect(revoked.status).toBe(0)
      expect(revoked.stderr).not.toContain('propagation')
      for (const { base } of fleet.replicas) expect(await call(base, key)).toBe(401)
      fleet.replicas[1].link.set('silent')
      const unseen = await runIn(elsewhere, 'keys', 'create', '--account', 'a@ville.example', '--name', 'b')
      fleet.replicas[1].link.set('passes')
      expect(unseen).toMatchObject({ status: 0 })
      expect(unseen.stderr).toContain('these replicas have not confirmed it yet: r1\n')
    },
    TEST_MILLIS,
  )

  test(
    'see why a start fails',
    async () => {
      const place = beside('refused')
      rmSync(join(place, '..', 'pepper-of-refused'))
      const missing = await runIn(place, 'serve')
      expect(missing.status).toBe(2)
      expect(missing.stderr).toContain('quai pepper make FILE')
      expect(await runIn(place, 'pepper', 'make', '../pepper-of-refused')).toMatchObject({ status: 0 })
      expect(readFileSync(join(place, '..', 'pepper-of-refused'), 'utf8')).toMatch(/^[0-9a-f]{8} [0-9a-f]{64}\n$/)
      expect(await runIn(place, 'pepper', 'make', '../pepper-of-refused')).toMatchObject({ status: 1 })
      writeFileSync(join(place, '..', 'pepper-of-refused'), readFileSync(join(fleet.folder, 'pepper')))
      const clock = await runIn(place, 'serve')
      expect(clock.status).toBe(2)
      expect(clock.stderr).toContain('QUAI_CLOCK')
      const text = readFileSync(join(place, 'quai.toml'), 'utf8')
      writeFileSync(join(place, 'quai.toml'), text.replace(/\[cluster\]\nname = "r0"\n/, ''))
      const alone = await runIn(place, 'serve')
      expect(alone.status).toBe(1)
      expect(alone.stderr).toContain('replicas of a cluster (r0, r1) are using the database')
    },
    TEST_MILLIS,
  )
})

async function call(base: string, key: string): Promise<number> {
  return (await fetch(`${base}/v1/networks`, { headers: { Authorization: `Bearer ${key}` } })).status
}

async function report(): Promise<readonly Row[]> {
  const answer = await fetch(`${fleet.replicas[0].admin}/cluster.json`)
  expect(answer.status).toBe(200)
  const { replicas }: { readonly replicas: readonly Row[] } = JSON.parse(await answer.text())
  return replicas
}

async function untilRows(isSo: (seen: { readonly rows: readonly Row[] }) => boolean): Promise<readonly Row[]> {
  let rows: readonly Row[] = []
  await until(async () => {
    rows = await report()
    return isSo({ rows })
  }, 'the report shows it')
  return rows
}

async function run(replica: FleetReplica, ...words: string[]): Promise<Ended> {
  return await runIn(fleet.folderOf(replica), ...words)
}

/**
 * Creates a folder with the first replica's configuration, but with its own data directory and its own copy of the
 * pepper. Returns the folder.
 */
function beside(name: string): string {
  const folder = join(fleet.folder, name)
  mkdirSync(folder)
  const text = readFileSync(join(fleet.folderOf(fleet.replicas[0]), 'quai.toml'), 'utf8')
  writeFileSync(join(folder, 'quai.toml'), text.replace('../pepper', `../pepper-of-${name}`))
  writeFileSync(join(fleet.folder, `pepper-of-${name}`), readFileSync(join(fleet.folder, 'pepper')))
  return folder
}

async function runIn(cwd: string, ...words: string[]): Promise<Ended> {
  const kind = process.env['QUAI_BINARY'] === undefined ? 'source' : 'binary'
  const child = Bun.spawn([...commandOf(kind), ...words], { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { status: child.exitCode, stdout, stderr }
}

function replaceText(replica: FleetReplica, before: string, after: string): void {
  const path = join(fleet.folderOf(replica), 'quai.toml')
  writeFileSync(path, readFileSync(path, 'utf8').replace(before, after))
}
