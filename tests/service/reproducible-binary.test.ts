// Builds the binary twice from one commit: in different folders, by different users, in different time zones and
// languages. Fails if the two binaries differ in any byte.
import { afterAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SIZE } from '../size.ts'

const ROOT = join(import.meta.dir, '..', '..')
const TEST_MILLIS = 600_000
/** User id of Debian's `nobody`. If the tests run as root, this user makes one of the two builds. */
const NOBODY = 65_534

/** Where and how to build: the folder, the user, and the environment. */
interface Build {
  readonly folder: string
  readonly user: number | undefined
  readonly env: Readonly<Record<string, string>>
}

const base = mkdtempSync(join(tmpdir(), 'quai-builds-'))
afterAll(() => rmSync(base, { recursive: true, force: true }), TEST_MILLIS)

const isRoot = process.getuid?.() === 0
if (SIZE === 'full' && !isRoot) console.log('left out: a build by another user (only root may start one)')

describe.skipIf(SIZE !== 'full')('one commit', () => {
  test(
    'gives one binary, whoever builds it, anywhere',
    async () => {
      const builds: Build[] = [
        { folder: join(base, 'a'), user: undefined, env: { TZ: 'UTC', LANG: 'C' } },
        {
          folder: join(base, 'elsewhere', 'much', 'deeper'),
          user: isRoot ? NOBODY : undefined,
          env: { TZ: 'Asia/Tokyo', LANG: 'fr_FR.UTF-8' },
        },
      ]
      const hashes: string[] = []
      for (const each of builds) hashes.push(await build(each))
      console.log(`binaries: ${hashes.join(' ')}`)
      expect(hashes[1]).toBe(hashes[0])
    },
    TEST_MILLIS,
  )
})

/** Clones the commit, installs its packages and builds the binary; returns the binary's SHA-256. */
async function build({ folder, user, env }: Build): Promise<string> {
  mkdirSync(dirname(folder), { recursive: true })
  const home = `${folder}-home`
  mkdirSync(home)
  await run(['git', 'clone', '--quiet', ROOT, folder], base)
  if (user !== undefined) await run(['chown', '-R', `${user}:${user}`, base], base)
  const as = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups']
  const ownEnv = { PATH: process.env['PATH'] ?? '', HOME: home, ...env }
  await run([...as, process.execPath, 'install', '--frozen-lockfile'], folder, ownEnv)
  await run([...as, process.execPath, 'run', 'build'], folder, ownEnv)
  return createHash('sha256')
    .update(readFileSync(join(folder, 'dist', 'quai')))
    .digest('hex')
}

async function run(command: readonly string[], cwd: string, env?: Record<string, string>): Promise<void> {
  const child = Bun.spawn([...command], { cwd, stdout: 'pipe', stderr: 'pipe', ...(env === undefined ? {} : { env }) })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${stdout}${stderr}`)
}
