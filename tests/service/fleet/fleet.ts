// Runs replicas as operators do: as separate processes of the program, with one database. Each replica has its own data
// directory, its own ports, and its own link to the database. A test can interrupt this link.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountOperations } from '../../../src/accounts/account-operations.ts'
import { StoreUnavailable } from '../../../src/accounts/account-store.ts'
import { connectControl } from '../../../src/control/control-socket.ts'
import { DataDirBusy } from '../../../src/system/data-dir-lock.ts'
import { FaultyLink } from '../../databases/faulty-link.ts'
import type { OwnPostgres } from '../../databases/own-postgres.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import type { ProxiedServer } from '../haproxy.ts'
import { commandOf, until } from '../running.ts'

/** Number of ports for each replica: API, account API, admin, explorer. */
const PORTS_EACH = 4

/**
 * Time until all replicas have applied a change that was not confirmed. On a busy machine, a replica may need longer
 * than a second.
 */
const PENDING_MILLIS = 3_000

/** How long a failing operation is repeated. */
const INSIST_MILLIS = 30_000

/** How a fleet is set up. */
export interface FleetOptions {
  readonly databaseUrl: string
  readonly count: number
  /** The first port of the fleet. */
  readonly port: number
  /** Lines for the table `[cluster]`. */
  readonly cluster?: string
  /** How long a replica still responds after it has received SIGTERM; 0 if absent. */
  readonly drainSeconds?: number
  /** Top-level lines for the replicas' configuration. */
  readonly settings?: string
  /** Tables for the replicas' configuration, such as plans. */
  readonly tables?: string
  /** Path of the network's timetable; the small feed if absent. */
  readonly feed?: string
  /** Environment variables for all replicas. */
  readonly env?: Readonly<Record<string, string>>
}

/** One replica, running or not. */
export interface FleetReplica {
  readonly index: number
  readonly base: string
  readonly account: string
  readonly admin: string
  readonly dataDir: string
  readonly link: FaultyLink
  child: Bun.Subprocess | undefined
}

/** The replicas of a test, with their folders. */
export class Fleet {
  readonly folder = mkdtempSync(join(tmpdir(), 'quai-fleet-'))
  readonly replicas: readonly FleetReplica[]
  /** The command that starts replicas from now on. */
  command: readonly string[] = commandOf(process.env['QUAI_BINARY'] === undefined ? 'source' : 'binary')
  private readonly options: FleetOptions

  constructor(options: FleetOptions) {
    this.options = options
    writeFileSync(join(this.folder, 'pepper'), `p1 ${'5a'.repeat(32)}\n`, { mode: 0o600 })
    mkdirSync(join(this.folder, 'ville'))
    for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(this.folder, 'ville', name), dedent(text))
    this.replicas = Array.from({ length: options.count }, (_, index) => this.makeReplica(index))
  }

  /** The replicas as servers for a load balancer's configuration. */
  get proxied(): ProxiedServer[] {
    const portOf = (address: string) => Number(new URL(address).port)
    return this.replicas.map(({ base, admin }) => ({ port: portOf(base), check: portOf(admin) }))
  }

  /** Starts all replicas and waits until they are ready. */
  async start(): Promise<void> {
    for (const replica of this.replicas) this.spawn(replica)
    await this.untilAllReady()
  }

  async untilAllReady(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => this.untilReady(replica)))
  }

  /** Starts a replica; does not wait until it is ready. */
  spawn(replica: FleetReplica, more: Readonly<Record<string, string>> = {}): void {
    rmSync(this.logOf(replica, 'current'), { force: true }) // a shorter log would keep the end of the old one
    replica.child = Bun.spawn([...this.command, 'serve'], {
      cwd: this.folderOf(replica),
      stdout: 'ignore',
      stderr: Bun.file(this.logOf(replica, 'current')),
      env: { ...process.env, QUAI_CLOCK: '2026-06-10T06:00:00Z,x0', ...this.options.env, ...more },
    })
  }

  async untilReady(replica: FleetReplica): Promise<void> {
    await until(async () => {
      if (replica.child?.exitCode != null) throw new Error(`replica ${replica.index} ended: ${this.output(replica)}`)
      return await isReady(replica)
    }, `replica ${replica.index} is ready`)
  }

  /** Ends a replica with a signal. Returns its exit status; null if the signal killed it or it was not running. */
  async end(replica: FleetReplica, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const { child } = replica
    child?.kill(signal)
    await child?.exited
    replica.child = undefined
    return child?.exitCode ?? null
  }

  /**
   * Connects to the control socket of a running replica, and waits until the replica responds. Returns the operations
   * that commands use.
   */
  async operations(replica: FleetReplica = this.replicas[0]): Promise<AccountOperations> {
    let found: AccountOperations | undefined
    await until(async () => {
      try {
        found = await connectControl(replica.dataDir)
        return found !== undefined
      } catch (error) {
        if (!(error instanceof DataDirBusy)) throw error // DataDirBusy: the replica is too busy to respond immediately
        return false
      }
    }, `replica ${replica.index} answers commands`)
    if (found === undefined) throw new Error(`replica ${replica.index} answers no commands`)
    return found
  }

  /** Creates an account and a key. Returns the key itself. */
  async makeKey(email: string, plan: 'free' | 'starter' | 'pro' | 'max', replica?: FleetReplica): Promise<string> {
    const operations = await this.operations(replica)
    const wish = { email, plan, name: 'test', scopes: ['transit:read'], expiresAtMillis: null }
    const { key, unconfirmed } = await insist(() => operations.createKey(wish))
    if (unconfirmed !== undefined) await Bun.sleep(PENDING_MILLIS)
    return key
  }

  /** What a replica has logged since its last start. */
  output(replica: FleetReplica): string {
    return readFileSync(this.logOf(replica, 'current'), 'utf8')
  }

  /** Ends all replicas and removes the folder. */
  async remove(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => this.end(replica, 'SIGKILL')))
    for (const { link } of this.replicas) link.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  folderOf({ index }: Pick<FleetReplica, 'index'>): string {
    return join(this.folder, `r${index}`)
  }

  private logOf(replica: FleetReplica, name: string): string {
    return join(this.folderOf(replica), `${name}.log`)
  }

  private makeReplica(index: number): FleetReplica {
    const {
      databaseUrl,
      port,
      cluster = '',
      settings = '',
      tables = '',
      drainSeconds = 0,
      feed = '../ville',
    } = this.options
    const { hostname, port: target } = new URL(databaseUrl)
    const link = new FaultyLink({ hostname, port: Number(target) })
    const first = port + index * PORTS_EACH
    const folder = this.folderOf({ index })
    mkdirSync(folder)
    writeFileSync(
      join(folder, 'quai.toml'),
      `data_dir = "data"
database_url = ${JSON.stringify(link.addressOf(databaseUrl))}
pepper_file = "../pepper"
base_url = "http://api.ville.example"
workers = 1
port = ${first}
account_port = ${first + 1}
admin_port = ${first + 2}
explorer_port = ${first + 3}
drain_seconds = ${drainSeconds}
${settings}
[cluster]
name = "r${index}"
${cluster}
[[networks]]
id = "ville"
name = "Ville"
city = "Ville"
gtfs = ${JSON.stringify(feed)}
${tables}`,
    )
    const at = (offset: number) => `http://127.0.0.1:${first + offset}`
    return { index, base: at(0), account: at(1), admin: at(2), dataDir: join(folder, 'data'), link, child: undefined }
  }
}

/** Units in the ledger for all accounts whose email addresses match an SQL pattern. */
export async function unitsOf(postgres: Pick<OwnPostgres, 'query'>, emails: string): Promise<number> {
  const [{ units }] = await postgres.query<{ units: number }>(
    `SELECT coalesce(sum(u.units), 0)::int AS units FROM quai.usage u JOIN quai.keys k ON k.id = u.key_id
     JOIN quai.accounts a ON a.id = k.account_id WHERE a.email LIKE '${emails}'`,
  )
  return units
}

/** Whether a replica reports that it is ready for requests. */
export async function isReady({ admin }: Pick<FleetReplica, 'admin'>): Promise<boolean> {
  const answer = await fetch(`${admin}/readyz`).catch(() => undefined)
  return answer?.status === 200
}

/**
 * Repeats an operation while it fails because the account store is unavailable, as may happen on a busy machine.
 * Running the operation twice must be safe.
 */
export async function insist<Result>(command: () => Promise<Result>): Promise<Result> {
  const giveUpMillis = performance.now() + INSIST_MILLIS
  for (;;) {
    try {
      return await command()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() > giveUpMillis) throw error
    }
  }
}
