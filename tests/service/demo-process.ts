// Runs `quai demo` as a process, with a generated city and its live feeds. Gives tests its URL and its key.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './running.ts'

const MAIN = join(import.meta.dir, '..', '..', 'src', 'main.ts')
const START_MILLIS = 90_000
/** The time at which the demo's clock starts: a Wednesday morning, when many vehicles run. */
const START_TIME = '2026-06-10T08:00:00+02:00'

/** For each live feed, one path whose response contains data from the feed. */
const LIVE_PATHS = [
  '/stops/valmont:area:gare-centrale/departures',
  '/networks/valmont/alerts',
  '/vehicles/nearby?near=47.2075,0.6088',
]

/** A running demo. */
export interface DemoProcess {
  /** Base URL of the API, without a trailing slash. */
  readonly base: string
  readonly key: string
  /** Creates a key for a new account. */
  makeKey(account: string, plan: string): Promise<string>
  stop(): Promise<void>
}

/**
 * Starts a demo in a temporary folder, by default from source.
 * @param corsOrigins origins whose pages may call the API
 */
export async function startDemo(
  port: number,
  { command = [process.execPath, MAIN], corsOrigins }: { command?: readonly string[]; corsOrigins?: string } = {},
): Promise<DemoProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'quai-demo-'))
  const child = Bun.spawn([...command, 'demo', '--data', join(folder, 'data'), '--port', String(port)], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
    env: {
      ...process.env,
      QUAI_CLOCK: START_TIME,
      QUAI_WORKERS: '1',
      QUAI_ACCOUNT_PORT: '0',
      QUAI_ADMIN_PORT: '0',
      QUAI_EXPLORER_PORT: '0',
      QUAI_CORS_ORIGINS: corsOrigins,
    },
  })
  const talk = new Response(child.stderr).text()
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
    rmSync(folder, { recursive: true })
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MILLIS)
  let greeting = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    greeting += decoder.decode(chunk, { stream: true })
    if (greeting.includes('Ctrl-C')) break
  }
  clearTimeout(timer)
  const key = /^ {2}KEY=(\S+)$/m.exec(greeting)?.[1]
  if (key !== undefined) {
    const base = `http://localhost:${port}`
    await until(() => isLive(base, key), 'the demo has read its live feeds')
    const config = join(folder, 'data', 'quai.toml')
    return { base, key, makeKey: (account, plan) => makeKey([...command], { account, plan, config }), stop }
  }
  await stop()
  throw new Error(`the demo did not start: ${await talk}`)
}

/** Whether each live feed has been read. `/v1/status` cannot be polled for this, since it is cached for 30 seconds. */
async function isLive(base: string, key: string): Promise<boolean> {
  for (const path of LIVE_PATHS) {
    const answer = await fetch(`${base}/v1${path}`, { headers: { Authorization: `Bearer ${key}` } })
    const { meta } = (await answer.json()) as { meta: { freshness: string } }
    if (meta.freshness !== 'realtime') return false
  }
  return true
}

async function makeKey(
  command: readonly string[],
  { account, plan, config }: { account: string; plan: string; config: string },
): Promise<string> {
  const words = ['keys', 'create', '--account', account, '--plan', plan, '--name', plan, '--config', config]
  return (await Bun.$`${command} ${words}`.quiet().text()).trim()
}
