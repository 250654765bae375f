// Runs a PostgreSQL server for a demo with several replicas. It uses the installed PostgreSQL and a new folder, which
// is removed at the end.
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * Thrown if PostgreSQL is not installed, or if it would have to run as root. The message states the reason and the
 * remedy.
 */
export class NoPostgres extends Error {
  override readonly name = 'NoPostgres'
}

/** A running server. */
export interface LocalPostgres {
  /** Address of the server's database, for `database_url`. */
  readonly url: string
  stop(): Promise<void>
}

const USER = 'quai'
/** The user that runs the server if this process runs as root, because PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 'postgres'
const START_SECONDS = '60'
/** The folder in which Debian installs PostgreSQL. It has one folder per version. */
const DEBIAN = '/usr/lib/postgresql'

/**
 * Starts a server with a new data folder. Throws NoPostgres if PostgreSQL is not installed, or if it would have to run
 * as root.
 */
export async function startLocalPostgres(): Promise<LocalPostgres> {
  const programs = findPrograms()
  const as = findUser()
  const folder = mkdtempSync(join(tmpdir(), 'quai-demo-postgres-'))
  const data = join(folder, 'data')
  if (as !== undefined) chownSync(folder, as.uid, as.gid)
  const run = async (program: string, ...words: readonly string[]) => {
    const command = [...(as?.command ?? []), join(programs, program), ...words]
    const child = Bun.spawn(command, { cwd: '/', stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
    const [output, status] = await Promise.all([child.stderr.text(), child.exited])
    if (status !== 0) throw new Error(`${program} ended with exit status ${status}: ${output.trim()}`)
  }
  await run('initdb', '-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync')
  const port = findFreePort()
  const settings = [`-p ${port}`, '-c listen_addresses=127.0.0.1', `-c unix_socket_directories=${folder}`].join(' ')
  await run('pg_ctl', '-D', data, '-w', '-t', START_SECONDS, '-s', '-l', join(folder, 'log'), '-o', settings, 'start')
  return {
    url: `postgres://${USER}@127.0.0.1:${port}/postgres`,
    async stop() {
      await run('pg_ctl', '-D', data, '-w', '-s', '-m', 'immediate', 'stop')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The folder that contains the programs of the newest installed version. */
function findPrograms(): string {
  const debian = existsSync(DEBIAN) ? [...new Bun.Glob('*/bin/initdb').scanSync({ cwd: DEBIAN, onlyFiles: false })] : []
  const [newest] = debian.sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))
  if (newest !== undefined) return dirname(join(DEBIAN, newest))
  const onPath = Bun.which('initdb')
  if (onPath !== null) return dirname(onPath)
  throw new NoPostgres(
    'a demo with several replicas needs PostgreSQL, and no server is installed; install one with: apt install postgresql (Debian, Ubuntu), dnf install postgresql-server (Fedora) or brew install postgresql (macOS)',
  )
}

/**
 * The user that runs the programs, and the command that switches to this user. Undefined if this process does not run
 * as root.
 */
function findUser(): { readonly uid: number; readonly gid: number; readonly command: readonly string[] } | undefined {
  if (userInfo().uid !== 0) return undefined
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(Bun.spawnSync(['id', flag, UNPRIVILEGED]).stdout.toString()))
  if (!(uid > 0) || Bun.which('setpriv') === null) {
    throw new NoPostgres(
      `PostgreSQL does not run as root, and the demo cannot switch to the user "${UNPRIVILEGED}"; run the demo as another user`,
    )
  }
  return { uid, gid, command: ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] }
}

function findFreePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}
