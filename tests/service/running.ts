// Runs the service as a user does, for tests: makes a folder with two networks, one of which is refused at import,
// creates keys, and starts the process.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportReport } from '../../src/imports/import-report.ts'
import { lastImportPath } from '../../src/networks/snapshot-store.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'

const MAIN = join(import.meta.dir, '..', '..', 'src', 'main.ts')
const START_MILLIS = 90_000
/** Value of QUAI_CLOCK that keeps service time at 08:00:00 in Paris. */
const SERVICE_TIME = '2026-06-10T06:00:00Z,x0'

/** The command that starts the service: from source, or as a binary that is copied to an otherwise empty folder. */
export function commandOf(kind: 'source' | 'binary'): string[] {
  if (kind === 'source') return [process.execPath, MAIN]
  const binary = process.env['QUAI_BINARY']
  if (binary === undefined) throw new Error('QUAI_BINARY is not set; set it to the path of a binary')
  if (copyOfBinary === undefined) {
    copyOfBinary = join(mkdtempSync(join(tmpdir(), 'quai-binary-')), 'quai')
    cpSync(binary, copyOfBinary)
  }
  return [copyOfBinary]
}

/**
 * Path of the copied binary, once it exists. All tests in this process share the copy, since the binary is about a
 * hundred megabytes.
 */
let copyOfBinary: string | undefined

/** The output of a command, and its exit status. */
export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const TWO_NETWORKS = `data_dir = "data"
[[networks]]
id = "ville"
name = "Ville"
city = "Ville"
gtfs = "ville"
[[networks]]
id = "late"
name = "Late"
city = "Late"
gtfs = "late"
`

/** A folder with a configuration and feeds, in which commands run. */
export class ServiceFolder {
  readonly folder: string
  private readonly command: readonly string[]

  /** @param config if given, the folder has this configuration and no feeds */
  constructor(command: readonly string[], config?: string, folder = mkdtempSync(join(tmpdir(), 'quai-service-'))) {
    this.command = command
    this.folder = folder
    writeFileSync(join(folder, 'quai.toml'), config ?? TWO_NETWORKS)
    if (config !== undefined) return
    mkdirSync(join(folder, 'ville'))
    for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(folder, 'ville', name), dedent(text))
    mkdirSync(join(folder, 'late'))
    writeFileSync(join(folder, 'late', 'stops.txt'), 'stop_id\nA\n')
  }

  /** Paths of the network's snapshots, sorted. */
  snapshots(network: string): string[] {
    return [...new Bun.Glob(`data/snapshots/${network}/*.snapshot`).scanSync({ cwd: this.folder })]
      .sort()
      .map((path) => join(this.folder, path))
  }

  /** The report of the network's last import, not counting imports that found the snapshot up to date. */
  lastImport(network: string): ImportReport | undefined {
    const path = lastImportPath(join(this.folder, 'data'), network)
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
  }

  /** Starts a command. As in `serve`, its clock stands still at 08:00 in Paris. */
  spawn(...words: string[]): Bun.Subprocess<'ignore', 'pipe', 'pipe'> {
    return this.spawnCommand([...this.command, ...words])
  }

  private spawnCommand(command: readonly string[]): Bun.Subprocess<'ignore', 'pipe', 'pipe'> {
    return Bun.spawn([...command], {
      cwd: this.folder,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: this.env({ QUAI_CLOCK: SERVICE_TIME }),
    })
  }

  async run(...words: string[]): Promise<Ended> {
    return await ended(this.spawn(...words))
  }

  /** Runs a command that may write at most `kilobytes` to any one file; without a limit if undefined. */
  async runLimited(kilobytes: number | undefined, ...words: string[]): Promise<Ended> {
    if (kilobytes === undefined) return await this.run(...words)
    const shell = ['bash', '-c', `ulimit -f ${kilobytes} && exec "$@"`, 'limited']
    return await ended(this.spawnCommand([...shell, ...this.command, ...words]))
  }

  /** Creates a key and returns it as a string. */
  async makeKey(name: string, ...more: string[]): Promise<string> {
    const made = await this.run(
      'keys',
      'create',
      '--account',
      'a@ville.example',
      '--plan',
      'max',
      '--name',
      name,
      ...more,
    )
    if (made.status !== 0) throw new Error(`no key was created: ${made.stderr}`)
    return made.stdout.trim()
  }

  /**
   * Starts the service. Waits for its first response, and until each network is served or has failed. `clock` is a
   * value of QUAI_CLOCK; by default, service time stands still at 2026-06-10 08:00:00 in Paris. By default, the account
   * API gets a free port.
   */
  async serve(options: {
    readonly workers: number
    readonly port: number
    readonly accountPort?: number
    readonly clock?: string
  }): Promise<Serving> {
    const { workers, port, accountPort = 0, clock = SERVICE_TIME } = options
    const child = Bun.spawn(
      [
        ...this.command,
        'serve',
        '--port',
        String(port),
        '--account-port',
        String(accountPort),
        '--admin-port',
        String(port + 1),
        '--workers',
        String(workers),
      ],
      { cwd: this.folder, stdout: 'ignore', stderr: 'pipe', env: this.env({ QUAI_CLOCK: clock }) },
    )
    let output = ''
    const talk = (async () => {
      const decoder = new TextDecoder()
      for await (const chunk of child.stderr) output += decoder.decode(chunk, { stream: true })
      return output
    })()
    const started = performance.now()
    for (;;) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/v1/health`)
        if (answer.status === 200) break
      } catch (error) {
        if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}: ${await talk}`)
        if (performance.now() - started > START_MILLIS) throw error
        await Bun.sleep(5)
      }
    }
    const serving = { base: `http://127.0.0.1:${port}`, child, talk, output: () => output }
    await until(async () => child.exitCode !== null || (await isSettled(port + 1)), 'every network was tried')
    return serving
  }

  private env(more: Record<string, string>): Record<string, string | undefined> {
    return { ...process.env, QUAI_CLOCK: undefined, QUAI_EXPLORER_PORT: '0', ...more }
  }
}

/** A running service. */
export interface Serving {
  readonly base: string
  readonly child: Bun.Subprocess
  /** The service's output so far. */
  output(): string
  /** The whole output of the process; resolves when the process has ended. */
  readonly talk: Promise<string>
}

/** Whether each network is served or has failed. The port opens before that, so an open port is not enough. */
async function isSettled(adminPort: number): Promise<boolean> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
  const states = [...text.matchAll(/^quai_(?:network_served|import_failing)\{network="([^"]+)"\} ([01])$/gm)]
  const names = new Set(states.map(([, name]) => name))
  return [...names].every((name) => states.some(([, of, value]) => of === name && value === '1'))
}

/** Ends a service with a signal; returns its exit status. */
export async function end(serving: Serving, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
  serving.child.kill(signal)
  await serving.child.exited
  return serving.child.exitCode
}

/** Waits until a condition holds; fails after 90 seconds. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const started = performance.now()
  while (!(await holds())) {
    if (performance.now() - started > START_MILLIS) throw new Error(`timed out waiting until ${what}`)
    await Bun.sleep(10)
  }
}

async function ended(child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>): Promise<Ended> {
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status: child.exitCode, stdout, stderr }
}
