// A shell in a temporary folder, for the commands in documents. Variables that a command sets remain set in later
// commands. `quai` and `npx` run the repository's programs. `bun` is the Bun executable that runs the tests, and it
// also stands in for `node` and `npm` if they are not installed. A service that a command starts runs until the shell
// is closed.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './running.ts'

const ROOT = join(import.meta.dir, '..', '..')
/** Maximum duration of one command. */
const COMMAND_MILLIS = 60_000
const SERVE = /^(quai|bun src\/main\.ts) serve\b/
/** Lines that run before and after each command, to restore and save the shell's variables. */
const AROUND = [
  'set -a; if [ -f .variables ]; then . ./.variables; fi',
  'status=$?; export -p > .variables; exit $status',
]

/** The exit status of a command, and what it printed. */
export interface TypedLine {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** A folder, with a shell that runs commands in it. */
export class TypedShell {
  readonly folder = mkdtempSync(join(tmpdir(), 'quai-typed-'))
  private readonly services: Bun.Subprocess[] = []
  private readonly env: Record<string, string | undefined>
  private readonly adminPort: number

  /** @param port the first of four ports for services that commands start */
  constructor(port: number) {
    this.adminPort = port + 1
    const programs = join(this.folder, 'programs')
    mkdirSync(programs)
    const main = join(ROOT, 'src', 'main.ts')
    const quai = process.env['QUAI_BINARY'] ?? `${process.execPath}" "${main}`
    const scripts = {
      quai: `exec "${quai}" "$@"`,
      bun: `exec "${process.execPath}" "$@"`,
      npx: `name=$1; shift; exec "${ROOT}/node_modules/.bin/$name" "$@"`,
      ...(Bun.which('node') === null ? { node: `exec "${process.execPath}" "$@"` } : {}),
      ...(Bun.which('npm') === null ? { npm: `exec "${process.execPath}" "$@"` } : {}),
    }
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(programs, name), 0o755)
    }
    symlinkSync(join(ROOT, 'src'), join(this.folder, 'src'))
    this.env = {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('QUAI_'))),
      PATH: `${programs}:${process.env['PATH']}`,
      QUAI_PORT: String(port),
      QUAI_ADMIN_PORT: String(this.adminPort),
      QUAI_ACCOUNT_PORT: String(port + 2),
      QUAI_EXPLORER_PORT: String(port + 3),
      QUAI_WORKERS: '1',
    }
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Runs a command. Waits until it ends or, if it starts a service, until the service is ready. */
  async type(line: string): Promise<TypedLine> {
    if (SERVE.test(line)) return await this.serve(line)
    const [before = '', after = ''] = AROUND
    const child = Bun.spawn(['sh', '-c', `${before}\n${line}\n${after}`], {
      cwd: this.folder,
      env: this.env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: COMMAND_MILLIS,
    })
    const [stdout, stderr, status] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    return { status, stdout, stderr }
  }

  private async serve(line: string): Promise<TypedLine> {
    const log = this.path(`serve-${this.services.length}.log`)
    const child = Bun.spawn(['sh', '-c', `exec ${line}`], {
      cwd: this.folder,
      env: this.env,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: Bun.file(log),
    })
    this.services.push(child)
    const ready = `http://127.0.0.1:${this.adminPort}/readyz`
    await until(async () => child.exitCode !== null || (await isOk(ready)), `${line} is ready`)
    return { status: child.exitCode ?? 0, stdout: '', stderr: await Bun.file(log).text() }
  }

  /** Ends the services that commands have started, and removes the folder. */
  async close(): Promise<void> {
    for (const service of this.services) service.kill('SIGINT')
    await Promise.all(this.services.map((service) => service.exited))
    rmSync(this.folder, { recursive: true })
  }
}

/** Whether a request to a URL succeeds; false also if nothing listens there. */
async function isOk(url: string): Promise<boolean> {
  return await fetch(url).then(
    (answer) => answer.ok,
    () => false,
  )
}
