// The service as a user runs it, for tests: two networks on disk, one of which is refused, a key, the process.
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'

const MAIN = join(import.meta.dir, '..', '..', 'src', 'main.ts')
const START_MILLIS = 30_000

/** How the service is started: from source, or as the binary, which is copied to a folder with nothing else in it. */
export function commandOf(kind: 'source' | 'binary'): string[] {
  if (kind === 'source') return [process.execPath, MAIN]
  const binary = process.env['QUAI_BINARY']
  if (binary === undefined) throw new Error('QUAI_BINARY names no binary')
  const copy = join(mkdtempSync(join(tmpdir(), 'quai-binary-')), 'quai')
  cpSync(binary, copy)
  return [copy]
}

/** What a command printed, and how it ended. */
export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A folder with a configuration and feeds, and the commands run in it. */
export class ServiceFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'quai-service-'))
  private readonly command: readonly string[]

  constructor(command: readonly string[]) {
    this.command = command
    mkdirSync(join(this.folder, 'ville'))
    for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(this.folder, 'ville', name), dedent(text))
    mkdirSync(join(this.folder, 'late'))
    writeFileSync(join(this.folder, 'late', 'stops.txt'), 'stop_id\nA\n')
    writeFileSync(
      join(this.folder, 'quai.toml'),
      `data_dir = "data"
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
`,
    )
  }

  /** The newest snapshot of a network, or undefined. */
  snapshots(network: string): string[] {
    return [...new Bun.Glob(`data/snapshots/${network}/*.snapshot`).scanSync({ cwd: this.folder })]
      .sort()
      .map((path) => join(this.folder, path))
  }

  async run(...words: string[]): Promise<Ended> {
    const child = Bun.spawn([...this.command, ...words], {
      cwd: this.folder,
      stdout: 'pipe',
      stderr: 'pipe',
      env: this.env({}),
    })
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    return { status: child.exitCode, stdout, stderr }
  }

  /** Makes a key; its text. */
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
    if (made.status !== 0) throw new Error(`no key was made: ${made.stderr}`)
    return made.stdout.trim()
  }

  /** Starts the service and waits for its first answer. Service time stands still at 2026-06-10 08:00:00 in Paris. */
  async serve(options: { readonly workers: number; readonly port: number }): Promise<Serving> {
    const { workers, port } = options
    const child = Bun.spawn(
      [
        ...this.command,
        'serve',
        '--port',
        String(port),
        '--admin-port',
        String(port + 1),
        '--workers',
        String(workers),
      ],
      { cwd: this.folder, stdout: 'ignore', stderr: 'pipe', env: this.env({ QUAI_CLOCK: '2026-06-10T06:00:00Z,x0' }) },
    )
    const talk = new Response(child.stderr).text()
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
    return { base: `http://127.0.0.1:${port}`, child, talk }
  }

  private env(more: Record<string, string>): Record<string, string | undefined> {
    return { ...process.env, QUAI_CLOCK: undefined, ...more }
  }
}

/** A service that answers. */
export interface Serving {
  readonly base: string
  readonly child: Bun.Subprocess
  /** What it said, once it has ended. */
  readonly talk: Promise<string>
}

/** Ends a service by a signal; its exit status. */
export async function end(serving: Serving, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
  serving.child.kill(signal)
  await serving.child.exited
  return serving.child.exitCode
}

/** Until something holds; fails after some seconds. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const started = performance.now()
  while (!(await holds())) {
    if (performance.now() - started > START_MILLIS) throw new Error(`waited in vain until ${what}`)
    await Bun.sleep(10)
  }
}
