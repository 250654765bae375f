// Starts bare servers (bare-server.ts) as separate processes. They only send copies of the service's responses, or
// bodies of configured lengths, so the service cannot be faster than they are.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunningService } from './service.ts'

/** Bare servers that share a port. */
export interface BareServer {
  readonly base: string
  readonly pids: readonly number[]
  close(): Promise<void>
}

/** Settings of the bare servers: the paths that they serve, their port, and the number of server processes. */
export interface BareOrder {
  readonly paths: readonly string[]
  /** Lengths of the responses by path. If absent, the service's own responses are sent. */
  readonly lengths?: Readonly<Record<string, number>>
  readonly port: number
  readonly processes: number
}

/**
 * Starts the servers. If no lengths are given, first fetches the service's responses, which also warms up the service.
 */
export async function openBareServer(
  service: RunningService,
  { paths, lengths, port, processes }: BareOrder,
): Promise<BareServer> {
  const bodies = lengths ?? (await readBodies(service, paths))
  const folder = mkdtempSync(join(tmpdir(), 'quai-bare-'))
  const file = join(folder, 'bodies.json')
  writeFileSync(file, JSON.stringify(bodies))
  const words = [process.execPath, join(import.meta.dir, 'bare-server.ts'), String(port), file]
  const servers = Array.from({ length: processes }, () => Bun.spawn(words, { stdout: 'pipe', stderr: 'inherit' }))
  const close = async () => {
    for (const server of servers) server.kill()
    await Promise.all(servers.map(({ exited }) => exited))
    rmSync(folder, { recursive: true })
  }
  // A server prints a line as soon as it accepts connections.
  const isOpen = await Promise.all(
    servers.map(async ({ stdout }) => (await stdout.getReader().read()).value !== undefined),
  )
  if (!isOpen.includes(false)) return { base: `http://127.0.0.1:${port}`, pids: servers.map(({ pid }) => pid), close }
  await close()
  throw new Error(`a bare server did not open port ${port}`)
}

/** Fetches the body of the service's response for each path. */
async function readBodies({ base, key }: RunningService, paths: readonly string[]): Promise<Record<string, string>> {
  const bodies: Record<string, string> = {}
  for (const path of paths) {
    const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })
    bodies[path] = await answer.text()
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${bodies[path]}`)
  }
  return bodies
}
