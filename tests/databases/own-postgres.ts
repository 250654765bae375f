// PostgreSQL servers for a single test. The test can restart them, promote a standby, and restore a backup. If the
// tests run as root, the servers run as the user postgres.
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { FaultyLink } from './faulty-link.ts'

const START_MILLIS = 60_000

/** One PostgreSQL server. */
export interface OwnServer {
  readonly port: number
  readonly folder: string
}

/** A primary, its standby and its backups, with all their data in one folder. */
export class OwnPostgres {
  readonly folder = mkdtempSync(join(tmpdir(), 'quai-postgres-'))
  primary: OwnServer
  private readonly bin = findBin()
  private readonly settings: readonly string[]
  private readonly env: Readonly<Record<string, string>>
  private serverCount = 0
  /** The proxy through which the standby replicates from the primary. */
  private replication: FaultyLink | undefined
  private standby: OwnServer | undefined

  private constructor(settings: readonly string[], env: Readonly<Record<string, string>>) {
    this.settings = settings
    this.env = env
    if (isRoot()) chownSync(this.folder, ...postgresIds())
    this.primary = this.newServer()
  }

  /**
   * Starts the primary.
   * @param settings configuration settings for all servers
   * @param env environment variables for all servers
   */
  static async start(
    settings: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<OwnPostgres> {
    const postgres = new OwnPostgres(settings, env)
    const { folder } = postgres.primary
    await postgres.run(
      'initdb',
      '-D',
      folder,
      '-U',
      'quai',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    )
    writeFileSync(
      join(folder, 'pg_hba.conf'),
      'host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n',
    )
    await postgres.launch(postgres.primary)
    return postgres
  }

  /** The URL of a database on the current primary. */
  url(database = 'postgres'): string {
    return `postgres://quai@127.0.0.1:${this.primary.port}/${database}`
  }

  /** Kills the primary and starts it again. */
  async restart(): Promise<void> {
    await this.kill()
    await this.launch(this.primary)
  }

  /** Stops the primary as abruptly as a crash of its machine would. */
  async kill(): Promise<void> {
    await this.run('pg_ctl', '-D', this.primary.folder, '-m', 'immediate', '-w', 'stop')
  }

  /** Starts the primary again after `kill`. */
  async launchAgain(): Promise<void> {
    await this.launch(this.primary)
  }

  /** Makes a full backup of the primary in its current state. */
  async backUp(): Promise<OwnServer> {
    const backup = this.newServer()
    const source = `host=127.0.0.1 port=${this.primary.port} user=quai`
    await this.run('pg_basebackup', '-D', backup.folder, '-d', source, '-X', 'stream', '--checkpoint=fast', '--no-sync')
    return backup
  }

  /** Replaces the primary with a server that has the data of a backup. The address stays the same. */
  async restore(backup: OwnServer): Promise<void> {
    await this.kill()
    this.primary = { ...backup, port: this.primary.port }
    await this.launch(this.primary)
  }

  /** Starts a standby that replicates from the primary. */
  async follow(isSynchronous: boolean): Promise<void> {
    const { primary } = this
    this.replication = new FaultyLink({ hostname: '127.0.0.1', port: primary.port })
    const standby = this.newServer()
    const source = `host=127.0.0.1 port=${this.replication.port} user=quai application_name=standby`
    await this.run(
      'pg_basebackup',
      '-D',
      standby.folder,
      '-d',
      source,
      '-R',
      '-X',
      'stream',
      '--checkpoint=fast',
      '--no-sync',
    )
    this.standby = standby
    await this.launch(standby)
    await this.query(`ALTER SYSTEM SET synchronous_standby_names = '${isSynchronous ? 'standby' : ''}'`)
    await this.query('SELECT pg_reload_conf()')
    if (isSynchronous) await this.until(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)
  }

  /**
   * Kills the primary and promotes its standby.
   * @param lagMillis how long the standby is cut off from the primary before the kill
   * @param beforeDeath runs just before the kill
   */
  async failOver(lagMillis: number, beforeDeath: () => Promise<void> = async () => {}): Promise<void> {
    const { standby, replication } = this
    if (standby === undefined || replication === undefined) throw new Error('there is no standby')
    if (lagMillis > 0) replication.set('refused')
    await Bun.sleep(lagMillis)
    await beforeDeath()
    await this.kill()
    replication.stop()
    this.primary = standby
    this.standby = undefined
    await this.run('pg_ctl', '-D', standby.folder, '-w', 'promote')
    await this.query(`ALTER SYSTEM SET synchronous_standby_names = ''`)
    await this.query('SELECT pg_reload_conf()')
  }

  /** Runs a statement on the primary. */
  async query<Row>(text: string, database?: string): Promise<Row[]> {
    const sql = new SQL(this.url(database), { max: 1, connectionTimeout: 5 })
    try {
      return [...(await sql.unsafe(text))]
    } finally {
      await sql.close({ timeout: 0 })
    }
  }

  /** Stops all servers and removes the folder. */
  async remove(): Promise<void> {
    this.replication?.stop()
    for (const name of readdirSync(this.folder)) {
      const folder = join(this.folder, name)
      await this.run('pg_ctl', '-D', folder, '-m', 'immediate', 'stop').catch(() => {}) // it may already be stopped
    }
    rmSync(this.folder, { recursive: true, force: true })
  }

  private newServer(): OwnServer {
    const number = this.serverCount++
    return { port: findPort(), folder: join(this.folder, `server-${number}`) }
  }

  private async launch({ folder, port }: OwnServer): Promise<void> {
    const options = [
      `-p ${port}`,
      '-c listen_addresses=127.0.0.1',
      `-c unix_socket_directories=${this.folder}`,
      ...this.settings.map((setting) => `-c ${setting}`),
    ]
    const seconds = String(START_MILLIS / 1_000)
    await this.run(
      'pg_ctl',
      '-D',
      folder,
      '-w',
      '-t',
      seconds,
      '-s',
      '-l',
      `${folder}.log`,
      '-o',
      options.join(' '),
      'start',
    )
  }

  private async until(text: string): Promise<void> {
    const giveUpMillis = performance.now() + START_MILLIS
    while ((await this.query(text)).length === 0) {
      if (performance.now() > giveUpMillis) throw new Error(`timed out waiting for: ${text}`)
      await Bun.sleep(50)
    }
  }

  private async run(program: string, ...words: readonly string[]): Promise<void> {
    const as = isRoot() ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : []
    // The program `env` sets the variables only for the servers, not for this process.
    const settings = Object.entries(this.env).map(([name, value]) => `${name}=${value}`)
    const child = Bun.spawn([...as, 'env', ...settings, join(this.bin, program), ...words], {
      cwd: '/',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const [output, status] = await Promise.all([new Response(child.stderr).text(), child.exited])
    if (status !== 0) throw new Error(`${program} ended with ${status}: ${output.slice(-500)}`)
  }
}

/** Whether PostgreSQL is installed on this machine. */
export function hasOwnPostgres(): boolean {
  return [...new Bun.Glob('*/bin/initdb').scanSync({ cwd: '/usr/lib/postgresql', onlyFiles: false })].length > 0
}

/**
 * A free port below the range that the system uses for outgoing connections. An outgoing connection could take a port
 * from that range while a server is stopped.
 */
function findPort(): number {
  for (;;) {
    const port = 21_000 + Math.floor(Math.random() * 10_000)
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
      return port
    } catch {
      // The port is in use: try another.
    }
  }
}

function findBin(): string {
  const [found] = [...new Bun.Glob('*/bin/initdb').scanSync({ cwd: '/usr/lib/postgresql', onlyFiles: false })]
    .sort()
    .reverse()
  if (found === undefined) throw new Error('no PostgreSQL server is installed in /usr/lib/postgresql')
  return join('/usr/lib/postgresql', found, '..')
}

function isRoot(): boolean {
  return userInfo().uid === 0
}

function postgresIds(): [uid: number, gid: number] {
  const read = (flag: string) => Number(Bun.spawnSync(['id', flag, 'postgres']).stdout.toString())
  return [read('-u'), read('-g')]
}
