// A pgbouncer in transaction mode in front of a database, on a free port.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

const PATH = '/usr/sbin/pgbouncer'

/** Whether pgbouncer is installed. */
export function hasPooler(): boolean {
  return existsSync(PATH)
}

/** A running pooler. */
export interface Pooler {
  readonly url: string
  stop(): Promise<void>
}

/** Starts a pooler in front of the database with this URL. */
export async function startPooler(databaseUrl: string): Promise<Pooler> {
  const { hostname, port, username, pathname } = new URL(databaseUrl)
  const database = pathname.slice(1)
  const folder = mkdtempSync(join(tmpdir(), 'quai-pooler-'))
  const own = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
${database} = host=${hostname} port=${port} dbname=${database} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
unix_socket_dir =
server_login_retry = 1
logfile = ${join(folder, 'log')}
`,
    { mode: 0o644 },
  )
  Bun.spawnSync(['chmod', '-R', 'a+rwX', folder])
  const as = userInfo().uid === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : []
  const child = Bun.spawn([...as, PATH, file], { stdout: 'ignore', stderr: 'ignore' })
  await untilOpen(own)
  return {
    url: `postgres://${username}@127.0.0.1:${own}/${database}`,
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })
      socket.terminate()
      return
    } catch {
      await Bun.sleep(50)
    }
  }
  throw new Error('pgbouncer did not open its port')
}

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
