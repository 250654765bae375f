// Starts a service to measure: creates its data folder, configuration and key, and runs its process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const MAIN = join(import.meta.dir, '..', 'src', 'main.ts')

/** The command that runs the source of this checkout. */
export const SOURCE_COMMAND: readonly string[] = [process.execPath, MAIN]

/** The command that runs the service: the binary that QUAI_BINARY names or, if it is not set, the source. */
export function serviceCommand(): readonly string[] {
  const binary = process.env['QUAI_BINARY']
  return binary === undefined ? SOURCE_COMMAND : [binary]
}

/** A plan whose rate limit and quota are checked as usual, but so high that no call is refused. */
export const PLAN = `[plans.max]
included_units = 1_000_000_000_000
requests_per_second = 1_000_000
burst = 1_000_000_000
`

/**
 * Creates a folder with a configuration that has one network, `net`.
 * @param extracts OpenStreetMap extracts, for walks along streets
 */
export function makeConfig(feedPath: string, extracts: readonly string[] = []): { folder: string; file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'quai-bench-'))
  const file = join(folder, 'quai.toml')
  const streets = extracts.length === 0 ? '' : `streets = ${JSON.stringify(extracts)}\n`
  writeFileSync(
    file,
    `data_dir = "data"\n${streets}trusted_proxies = ["127.0.0.1"]\n\n${PLAN}\n[[networks]]\nid = "net"\nname = "Net"\ncity = "Town"\ngtfs = ${JSON.stringify(feedPath)}\n`,
  )
  return { folder, file }
}

/** Runs a command of the service until it ends. Returns its output, duration and peak memory. */
export async function runCommand(
  words: readonly string[],
  command: readonly string[] = serviceCommand(),
): Promise<{ output: string; seconds: number; peakMegabytes: number }> {
  const started = performance.now()
  const child = Bun.spawn([...command, ...words], { stdout: 'pipe', stderr: 'pipe' })
  const [output, talk] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (child.exitCode !== 0) throw new Error(`quai ${words.join(' ')} ended with ${child.exitCode}: ${talk}`)
  const peakMegabytes = (child.resourceUsage()?.maxRSS ?? 0) / 1e6
  return { output, seconds: (performance.now() - started) / 1000, peakMegabytes }
}

/** A service that has answered its first request. */
export interface RunningService {
  readonly base: string
  /** Base URL of the admin port. */
  readonly adminBase: string
  readonly key: string
  readonly pid: number
  /** Time from the start of the process to its first response, in milliseconds. */
  readonly startMillis: number
  stop(): Promise<void>
}

const START_LIMIT_MILLIS = 120_000

/** Options for starting a service. */
export interface StartOptions {
  /** The value of QUAI_CLOCK. */
  readonly clock: string
  readonly workers: number
  readonly port: number
  /** The command that starts the service. If absent, `serviceCommand()` is used. */
  readonly command?: readonly string[] | undefined
}

/** Starts the service and waits for its first response. */
export async function startService(file: string, options: StartOptions): Promise<RunningService> {
  const { command = serviceCommand() } = options
  const account = ['--account', 'bench@localhost.example', '--plan', 'max', '--name', 'bench']
  const key = (await runCommand(['keys', 'create', ...account, '--config', file], command)).output.trim()
  const log = join(dirname(file), 'serve.log')
  rmSync(log, { force: true }) // otherwise the start of an earlier log would be overwritten, and the rest would stay
  const started = performance.now()
  const child = Bun.spawn(
    [
      ...command,
      'serve',
      '--config',
      file,
      '--port',
      String(options.port),
      '--account-port',
      '0',
      '--admin-port',
      String(options.port + 2),
      '--explorer-port',
      '0',
      '--workers',
      String(options.workers),
    ],
    { stdout: 'ignore', stderr: Bun.file(log), env: { ...process.env, QUAI_CLOCK: options.clock } },
  )
  const base = `http://127.0.0.1:${options.port}`
  for (;;) {
    try {
      if ((await fetch(`${base}/v1/health`)).status === 200) break
    } catch (error) {
      if (performance.now() - started > START_LIMIT_MILLIS || child.exitCode !== null) {
        throw new Error(`the service does not start: ${await Bun.file(log).text()}`, { cause: error })
      }
      await Bun.sleep(2)
    }
  }
  return {
    base,
    adminBase: `http://127.0.0.1:${options.port + 2}`,
    key,
    pid: child.pid,
    startMillis: performance.now() - started,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}
