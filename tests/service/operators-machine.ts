// An operator's machine, for tests: a folder in which the program is installed as `quai` and commands are run. Unlike
// in other tests, services use the real clock. The standard error of a service is written to a log file.
import { chmodSync, cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ended } from './running.ts'
import { until } from './running.ts'

const MAIN = join(import.meta.dir, '..', '..', 'src', 'main.ts')
/** The environment of the operator's shell, without the `QUAI_*` variables of the tests. */
const ENVIRONMENT = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('QUAI_')))

/** The ports of a service. */
interface Ports {
  readonly port: number
  readonly adminPort: number
}

/** A folder with the program in it. */
export class OperatorsMachine {
  readonly folder: string
  private readonly started: Bun.Subprocess[] = []

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'quai-operator-'))
    this.install()
  }

  /**
   * Installs the binary that QUAI_BINARY names, or else a launcher for the sources. Replaces the previously installed
   * program.
   * @param main main file of another version, whose sources are launched instead
   */
  install(main?: string): void {
    const aside = this.path('quai.new')
    const binary = process.env['QUAI_BINARY']
    if (binary !== undefined && main === undefined) cpSync(binary, aside)
    else writeFileSync(aside, `#!/bin/sh\nexec "${process.execPath}" "${main ?? MAIN}" "$@"\n`)
    chmodSync(aside, 0o755)
    renameSync(aside, this.path('quai'))
  }

  path(...names: string[]): string {
    return join(this.folder, ...names)
  }

  /** Writes the settings: ports and threads for the test, followed by the given TOML. */
  writeSettings({ port, adminPort, workers }: Ports & { readonly workers: number }, rest: string): void {
    const ports = `port = ${port}\nadmin_port = ${adminPort}\naccount_port = 0\nexplorer_port = 0`
    writeFileSync(this.path('quai.toml'), `data_dir = "data"\n${ports}\nworkers = ${workers}\n${rest}`)
  }

  /** Runs `./quai` with these arguments until it ends. */
  async quai(...words: string[]): Promise<Ended> {
    const child = Bun.spawn([this.path('quai'), ...words], {
      cwd: this.folder,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: ENVIRONMENT,
    })
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    return { status: child.exitCode, stdout, stderr }
  }

  /**
   * Starts `./quai serve` and waits until it is ready.
   * @param env additional environment variables
   */
  async serve(ports: Ports, env = {}): Promise<RunningService> {
    const log = this.path(`serve-${this.started.length + 1}.log`)
    const child = Bun.spawn([this.path('quai'), 'serve'], {
      cwd: this.folder,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: Bun.file(log),
      env: { ...ENVIRONMENT, ...env },
    })
    this.started.push(child)
    const service = new RunningService(child, log, ports)
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}: ${service.log()}`)
      return (await service.probe('/readyz')) === 200
    }, 'the service is ready')
    return service
  }

  /** Ends services that are still running, and removes the folder. */
  remove(): void {
    for (const child of this.started) child.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A service that is ready. */
export class RunningService {
  readonly child: Bun.Subprocess
  readonly base: string
  private readonly admin: string
  private readonly logPath: string

  constructor(child: Bun.Subprocess, logPath: string, ports: Ports) {
    this.child = child
    this.logPath = logPath
    this.base = `http://127.0.0.1:${ports.port}`
    this.admin = `http://127.0.0.1:${ports.adminPort}`
  }

  /** What the service has logged since its start. */
  log(): string {
    return readFileSync(this.logPath, 'utf8')
  }

  /** Requests a probe on the admin port. Returns its status; undefined if the port is closed. */
  async probe(path: string): Promise<number | undefined> {
    return await fetch(this.admin + path).then(
      (answer) => answer.status,
      () => undefined,
    )
  }

  /**
   * Requests the value of one sample in the metrics; NaN if it is absent.
   * @param sample name and labels, as they are written in the metrics
   */
  async metric(sample: string): Promise<number> {
    const text = await (await fetch(`${this.admin}/metrics`)).text()
    const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
    return Number(line?.slice(sample.length) ?? Number.NaN)
  }

  /** Sends a request to the API; returns status and body. */
  async request(path: string, key?: string) {
    const headers = new Headers(key === undefined ? [] : [['authorization', `Bearer ${key}`]])
    const answer = await fetch(this.base + path, { headers })
    return { status: answer.status, body: JSON.parse(await answer.text()) }
  }

  /** Ends the service as systemd does; returns its exit status. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM')
    await this.child.exited
    return this.child.exitCode
  }
}
