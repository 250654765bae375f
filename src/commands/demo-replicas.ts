// `quai demo --replicas N`: runs N replicas that serve the demo city, the PostgreSQL server that they share, and a load
// balancer in front of them. When the command ends, everything stops. A replica that exits earlier is restarted.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectControl } from '../control/control-socket.ts'
import { startBalancer } from '../demo/balancer.ts'
import { NoPostgres, startLocalPostgres } from '../demo/local-postgres.ts'
import { makePepperFile } from '../keys/pepper.ts'
import { ownCommand } from '../system/own-command.ts'
import { PortUnavailable } from '../system/ports.ts'
import type { CommandIo } from './command-io.ts'

/** The data that the replicas serve. */
export interface DemoCity {
  /** The `[[networks]]` tables for the configuration file, with absolute paths. */
  readonly networks: string
  /** The value of the setting `streets`, with an absolute path. */
  readonly streets: string
  /** An area and an account that the printed examples use. */
  readonly area: string
  readonly account: string
}

const MOST_REPLICAS = 20
const USAGE = 2
/** Difference between the port numbers of two successive replicas. */
const PORTS_EACH = 10
const RESTART_MILLIS = 2_000
const LOOK_MILLIS = 200
const READY_MILLIS = 120_000
/** How long to wait for the base map. It is built from the streets, which a replica reads after its start. */
const MAP_MILLIS = 30_000

interface Replica {
  readonly name: string
  readonly folder: string
  readonly port: number
  readonly admin: string
  readonly explorer: string
  child: Bun.Subprocess | undefined
}

/** Parses a number of replicas; undefined if the text is not a whole number in the allowed range. */
export function parseReplicas(text: string): number | undefined {
  const count = Number(text)
  return Number.isInteger(count) && count >= 2 && count <= MOST_REPLICAS ? count : undefined
}

/**
 * Runs the demo until it is stopped; returns the exit status.
 * @param port the port of the load balancer; the replicas use ports above it
 */
export async function runDemoReplicas(
  { count, port }: { readonly count: number; readonly port: number },
  city: DemoCity,
  io: CommandIo,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'quai-demo-'))
  const ended = Promise.withResolvers<void>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.resolve())
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    io.stderr('quai: starting PostgreSQL\n')
    const postgres = await startLocalPostgres()
    stops.push(() => postgres.stop())
    const replicas = prepare(folder, { count, port, databaseUrl: postgres.url, city })
    const supervisor = supervise(replicas, io)
    stops.push(() => supervisor.stop())
    const backends = replicas.map((each) => ({ port: each.port, readyUrl: `${each.admin}/readyz` }))
    const balancer = startBalancer(port, backends)
    stops.push(() => balancer.stop())
    io.stderr(`quai: starting ${count} replicas\n`)
    await Promise.race([untilReady(replicas), ended.promise])
    await Promise.race([waitForMap(replicas[0]), ended.promise])
    const key = await Promise.race([makeKey(replicas[0], city.account), ended.promise])
    if (key !== undefined) greet({ key, port, folder, replicas, databaseUrl: postgres.url }, city, io)
    await ended.promise
    return 0
  } catch (error) {
    if (!(error instanceof NoPostgres || isPortTaken(error))) throw error
    io.stderr(`quai demo: ${error.message}\n`)
    return error instanceof NoPostgres ? 1 : USAGE
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

function isPortTaken(error: unknown): error is Error {
  return error instanceof PortUnavailable || (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
}

function prepare(
  folder: string,
  of: { readonly count: number; readonly port: number; readonly databaseUrl: string; readonly city: DemoCity },
): Replica[] {
  makePepperFile(join(folder, 'pepper'))
  // Only the explorer of the first replica is used. All replicas allow requests from its pages.
  const explorer = `http://localhost:${of.port + PORTS_EACH + 3}`
  return Array.from({ length: of.count }, (_, at) => {
    const name = `replica-${at + 1}`
    const own = join(folder, name)
    const port = of.port + (at + 1) * PORTS_EACH
    mkdirSync(own)
    writeFileSync(
      join(own, 'quai.toml'),
      `# Written by "quai demo --replicas".
data_dir = "data"
database_url = "${of.databaseUrl}"
pepper_file = "../pepper"
workers = 1
base_url = "http://localhost:${of.port}"
port = ${port}
account_port = ${port + 1}
admin_port = ${port + 2}
explorer_port = ${port + 3}
explorer_url = "${explorer}"
streets = ${of.city.streets}

[cluster]
name = "${name}"

[log]
level = "error"
${of.city.networks}`,
    )
    return { name, folder: own, port, admin: `http://localhost:${port + 2}`, explorer, child: undefined }
  })
}

/** Starts the replicas, and restarts those that exit. */
function supervise(replicas: readonly Replica[], io: CommandIo): { stop(): Promise<void> } {
  let isStopping = false
  const keep = async (replica: Replica) => {
    while (!isStopping) {
      const child = Bun.spawn([...ownCommand(), 'serve'], {
        cwd: replica.folder,
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: Bun.file(join(replica.folder, 'log')),
      })
      replica.child = child
      await child.exited
      if (isStopping) return
      io.stderr(`quai: ${replica.name} ended (${child.signalCode ?? child.exitCode}); restarting it\n`)
      await Bun.sleep(RESTART_MILLIS)
    }
  }
  const kept = replicas.map(keep)
  return {
    async stop() {
      isStopping = true
      for (const { child } of replicas) child?.kill('SIGTERM')
      await Promise.all(kept)
    },
  }
}

async function untilReady(replicas: readonly Replica[]): Promise<void> {
  const giveUpMillis = performance.now() + READY_MILLIS
  for (const { name, admin, folder } of replicas) {
    while (
      !(await fetch(`${admin}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (performance.now() > giveUpMillis) {
        throw new Error(`${name} did not become ready in time; its log: ${await Bun.file(join(folder, 'log')).text()}`)
      }
      await Bun.sleep(LOOK_MILLIS)
    }
  }
}

/**
 * Waits until the explorer has a base map, so that the first visitor gets it. Without a base map, the explorer shows only
 * the lines.
 */
async function waitForMap({ explorer }: Replica): Promise<void> {
  const giveUpMillis = performance.now() + MAP_MILLIS
  while (performance.now() < giveUpMillis) {
    const page = await fetch(explorer).then(
      (answer) => answer.text(),
      () => '',
    )
    if (page.includes('content="/ground-')) return
    await Bun.sleep(LOOK_MILLIS)
  }
}

async function makeKey({ folder }: Replica, email: string): Promise<string> {
  const operations = await connectControl(join(folder, 'data'))
  if (operations === undefined) throw new Error('the first replica does not respond to commands')
  const values = { email, plan: 'max', name: 'demo', scopes: ['transit:read'], expiresAtMillis: null } as const
  return (await operations.createKey({ ...values, scopes: [...values.scopes] })).key
}

function greet(
  of: {
    readonly key: string
    readonly port: number
    readonly folder: string
    readonly replicas: readonly Replica[]
    readonly databaseUrl: string
  },
  { area }: DemoCity,
  io: CommandIo,
): void {
  const { key, port, replicas } = of
  const [first, second] = replicas
  const rows = replicas.map(
    ({ name, port: own, admin, child }) =>
      `  ${name}   API http://localhost:${own}/v1   admin ${admin}   process ${child?.pid}`,
  )
  io.stdout(`
  ${replicas.length} replicas share one PostgreSQL database behind http://localhost:${port}

${rows.join('\n')}
  database    ${of.databaseUrl}
  all of them ${first.admin}/cluster
  map         ${first.explorer}/#key=${key}

A key on the max plan, valid while this demo runs:

  KEY=${key}

Each call goes to the next replica; all share the limits and the usage:

  for n in 1 2 3 4 5 6; do curl -s -o /dev/null -D - -H "Authorization: Bearer $KEY" http://localhost:${port}/v1/stops/${area}/departures | grep -i ratelimit:; done
  curl -s -H "Authorization: Bearer $KEY" http://localhost:${port}/v1/usage

Kill one and call again; it restarts by itself:

  kill -9 ${second.child?.pid}

Press Ctrl-C to stop.
`)
}
