// Runs the service as its users do, for checks from outside: imports a feed, creates a key, serves, sends queries over
// HTTP, and stops. QUAI_BINARY names a compiled binary to run instead of the sources.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const START_MILLIS = 60_000
const STOP_MILLIS = 5_000
const POLL_MILLIS = 25

/** A running service with one network. */
export interface QuaiProcess {
  /** The body of a response, parsed from JSON; throws for any status but 200. */
  get(path: string): Promise<unknown>
  /** The status and body of a response, whatever the status is. */
  request(path: string): Promise<{ readonly status: number; readonly body: unknown }>
  /** Waits until the admin port reports that the service is ready. */
  untilReady(): Promise<void>
  /** Ends the process and removes its folder. */
  stop(): Promise<void>
}

const COMMAND =
  process.env['QUAI_BINARY'] === undefined
    ? [process.execPath, join(import.meta.dir, '..', 'src', 'main.ts')]
    : [resolve(process.env['QUAI_BINARY'])]

/** Data that the service loads in addition to a feed. */
export interface QuaiExtras {
  /** Path of an address file. */
  readonly addresses?: string
}

/** Imports the feed as the network `id` into a temporary folder and serves it; throws on failure. */
export async function startQuai(feed: string, id: string, { addresses }: QuaiExtras = {}): Promise<QuaiProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'quai-real-'))
  try {
    const config = join(folder, 'quai.toml')
    const network = `[[networks]]\nid = "${id}"\nname = "${id}"\ncity = "Testville"\n`
    const files = addresses === undefined ? '' : `addresses = [${JSON.stringify(resolve(addresses))}]\n`
    const settings = `data_dir = "data"\nbind = "127.0.0.1"\n${files}`
    writeFileSync(config, `${settings}${network}gtfs = ${JSON.stringify(resolve(feed))}\n`)
    await run(['import', '--config', config])
    const account = ['--account', 'boards@example.org', '--plan', 'max', '--name', 'boards']
    const key = (await run(['keys', 'create', ...account, '--config', config])).trim()
    const [port, accountPort, adminPort] = await Promise.all([freePort(), freePort(), freePort()])
    const ports = [
      '--port',
      `${port}`,
      '--account-port',
      `${accountPort}`,
      '--admin-port',
      `${adminPort}`,
      '--explorer-port',
      '0',
    ]
    const server = Bun.spawn([...COMMAND, 'serve', '--config', config, '--workers', '1', ...ports], {
      stdout: 'ignore',
      stderr: Bun.file(join(folder, 'serve.log')),
    })
    const stop = async () => {
      server.kill('SIGTERM')
      const slow = setTimeout(() => server.kill('SIGKILL'), STOP_MILLIS)
      await server.exited
      clearTimeout(slow)
      rmSync(folder, { recursive: true, force: true })
    }
    const base = `http://127.0.0.1:${port}`
    try {
      await until200(`${base}/v1/health`, () => server.exitCode !== null)
    } catch (error) {
      const log = await Bun.file(join(folder, 'serve.log')).text()
      await stop()
      throw new Error(`${error instanceof Error ? error.message : error}: ${log.slice(-500)}`)
    }
    return {
      get: (path) => getJson(base + path, key),
      request: (path) => request(base + path, key),
      untilReady: () => until200(`http://127.0.0.1:${adminPort}/readyz`, () => server.exitCode !== null),
      stop,
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

async function run(words: readonly string[]): Promise<string> {
  const command = Bun.spawn([...COMMAND, ...words], { stdout: 'pipe', stderr: 'pipe' })
  const [output, talk] = await Promise.all([new Response(command.stdout).text(), new Response(command.stderr).text()])
  if ((await command.exited) === 0) return output
  throw new Error(`quai ${words[0]} ended with ${command.exitCode}: ${(talk + output).trim().slice(-500)}`)
}

async function getJson(url: string, key: string): Promise<unknown> {
  const { status, body } = await request(url, key)
  if (status !== 200) throw new Error(`${status} for ${url}: ${JSON.stringify(body).slice(0, 300)}`)
  return body
}

async function request(url: string, key: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  const body: unknown = await answer.json()
  return { status: answer.status, body }
}

async function until200(url: string, hasEnded: () => boolean): Promise<void> {
  const deadline = performance.now() + START_MILLIS
  while (performance.now() < deadline) {
    if (hasEnded()) throw new Error('quai serve ended before it answered')
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.status === 200) return
    await Bun.sleep(POLL_MILLIS)
  }
  throw new Error(`quai serve did not answer within ${START_MILLIS / 1000} s`)
}

/** Finds a free port on the loopback interface. */
function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer()
    server.on('error', failed)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address !== null && typeof address === 'object' ? found(address.port) : failed(new Error('no free port')),
      )
    })
  })
}
