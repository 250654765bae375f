// Follows the guide for installing on a server, line by line, in an empty Debian: the release package, the settings,
// the checks, the start, a key, a first departure board, the removal. Fails if a command from the guide does not work,
// if the package needs something that only developers' machines have, if systemd reports problems with the unit, or if
// the settings, the unit and the commands use different folders. Each test continues where the previous one ended.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile, prepareParts } from '../../src/build/compile.ts'
import { writeDebianPackage } from '../../src/build/debian-package.ts'
import { VERSION } from '../../src/system/version.ts'
import { aroundTheClockZip } from '../feeds/around-the-clock-feed.ts'
import { REAL_FEEDS, SIZE } from '../size.ts'
import { DebianRoot, prepareDebian, type TypedCommand, whyNoDebian } from './debian-root.ts'
import { serverCommands } from './guide-commands.ts'

const PREPARE_MILLIS = 300_000
const COMMAND_MILLIS = 90_000
const FEED_PORT = 8_090
const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64'
const UNIT = 'lib/systemd/system/quai.service'
const READY = 'curl -s -o /dev/null --retry 60 --retry-delay 1 --retry-all-errors --fail http://localhost:8082/readyz'
const ASK = 'curl -s -H "Authorization: Bearer $KEY"'
const STOP = 'kill -TERM $MAINPID; wait $MAINPID'
const ENABLED = 'etc/systemd/system/multi-user.target.wants/quai.service'
const REAL_FEED = REAL_FEEDS === undefined ? undefined : join(REAL_FEEDS, 'strasbourg-cts-2026.zip')

const missing = SIZE === 'quick' ? 'ci and full' : whyNoDebian()
if (missing !== undefined) console.log(`left out: the guide to a server in an empty Debian (${missing})`)

const folder = mkdtempSync(join(tmpdir(), 'quai-debian-server-'))
let root: DebianRoot
let feedUrl = ''
let stopId = ''

/** A command from the guide, with this machine's values instead of the sample values. */
function fill(command: string): string {
  return command
    .replace(/quai_[\d.]+_amd64\.deb/, `quai_${VERSION}_${ARCHITECTURE}.deb`)
    .replace('https://operator.example/gtfs.zip', feedUrl)
    .replace('city:stop:1234', stopId)
    .replace('/quai-2026-11-20.db', '/quai-$(date +%F).db')
}

async function typed(line: string): Promise<TypedCommand> {
  const { status, output } = await root.type(line)
  expect({ line, status, output: status === 0 ? '' : output }).toEqual({ line, status: 0, output: '' })
  return { status, output }
}

/** Builds the release package with the binary that QUAI_BINARY names, or with a binary built from these sources. */
async function makePackage(file: string): Promise<void> {
  const given = process.env['QUAI_BINARY']
  const binary = given ?? join(folder, 'quai')
  if (given === undefined) await compile(binary, await prepareParts())
  const work = mkdtempSync(join(folder, 'package-'))
  chmodSync(work, 0o755)
  await writeDebianPackage(file, work, { version: VERSION, architecture: ARCHITECTURE, binary })
}

/** Values of a setting in the installed systemd unit. */
function unitSetting(name: string): string[] {
  const text = readFileSync(root.path(UNIT), 'utf8')
  return [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
}

/**
 * Starts the service with the unit's user, environment, folder and command line. systemd is not process 1 here, so it
 * cannot start units itself.
 */
async function startUnit(): Promise<void> {
  const [[user], [group], [work], [start]] = ['User', 'Group', 'WorkingDirectory', 'ExecStart'].map(unitSetting)
  const [[state], [umask]] = ['StateDirectory', 'UMask'].map(unitSetting)
  expect(unitSetting('StateDirectoryMode')).toEqual(['0700'])
  await typed(`install -d -o ${user} -g ${group} -m 0700 /var/lib/${state}`)
  const as = `setpriv --reuid ${user} --regid ${group} --init-groups --no-new-privs --bounding-set -all`
  const environment = `env -i PATH=/usr/bin ${unitSetting('Environment').join(' ')}`
  await typed(
    `(cd ${work}; umask ${umask}; exec ${as} ${environment} ${start}) > /tmp/quai.log 2>&1 & export MAINPID=$!`,
  )
}

const serviceLog = () => readFileSync(root.path('tmp/quai.log'), 'utf8')

/** Checks that these commands refuse to run as root: they would create files that the service cannot open. */
async function refusesRoot(): Promise<void> {
  const config = '--config /etc/quai/quai.toml'
  const key = 'keys create --account me@example.org --plan max --name root'
  for (const command of [key, 'import', 'restore /root/none.db', 'ledger verify']) {
    const { status, output } = await root.type(`quai ${command} ${config}`)
    expect([command, status, output]).toEqual([command, 1, expect.stringContaining('belongs to the user "quai"')])
    expect(output).toContain('runuser -u quai -- quai')
  }
  expect(readdirSync(root.path('var/lib/quai'))).toEqual([])
  // If the data directory contains a file that the service cannot open, the service must say so when it starts.
  await typed('touch /var/lib/quai/lock && chmod 600 /var/lib/quai/lock')
  const { status, output } = await root.type(`runuser -u quai -- quai serve ${config}`)
  expect([status, output]).toEqual([1, expect.stringContaining('/var/lib/quai/lock cannot be opened by this user')])
  await typed('rm /var/lib/quai/lock')
}

/** Start of a command → the check that runs after the command. */
const AFTER: Readonly<Record<string, (output: string) => void | Promise<void>>> = {
  sha256sum: (output) => expect(output).toBe(`quai_${VERSION}_${ARCHITECTURE}.deb: OK`),
  'apt install': async () => {
    expect((await typed('quai --version')).output).toBe(VERSION)
    expect((await typed('systemd-analyze verify quai.service')).output).toBe('')
    expect((await typed('stat -c "%U %G %a" /etc/quai /var/lib/quai')).output).toBe('root quai 750\nquai quai 700')
  },
  'quai init': async (output) => {
    expect(output).toContain('/… can be served\n  Ville Transit: 1 line, 3 stops')
    expect(output).toContain('wrote /etc/quai/quai.toml')
    expect(readFileSync(root.path('etc/quai/quai.toml'), 'utf8')).toContain('data_dir = "/var/lib/quai"')
    await refusesRoot()
  },
  "echo 'OPERATOR_KEY=1234'": async () => {
    const network = '[[networks]]\nid = "a"\ngtfs = "a.zip"\n[[networks.feeds]]\nid = "t"\nurl = "t.pb"\n'
    root.put('etc/quai/secret.toml', `${network}headers = { key = "\${OPERATOR_KEY}" }\n`)
    const check = 'runuser -u quai -- quai config check --config /etc/quai/secret.toml'
    expect((await typed(check)).output).toContain('is valid: 1 network')
    await typed('chmod 600 /etc/quai/environment')
    expect((await root.type(check)).output).toContain('This user cannot read /etc/quai/environment: run chgrp quai')
    await typed('chmod 640 /etc/quai/environment')
  },
  'runuser -u quai -- quai doctor': (output) => {
    expect(output).toMatch(/, 1 warning, 0 faults$/)
    expect(output).toMatch(/^warning {2}mail /m)
  },
  'systemctl enable quai': (output) => expect(output).toContain(ENABLED),
  'systemctl start quai': startUnit,
  [READY]: () => expect(serviceLog()).toContain(VERSION),
  'echo $KEY': (output) => expect(output).toMatch(/^quai_p_\w+$/),
  [`${ASK} "http://localhost:8080/v1/networks/city/stops`]: (output) => {
    const { data } = JSON.parse(output) as { data: { id: string }[] }
    expect(data).toHaveLength(1)
    stopId = data[0]?.id ?? ''
  },
  [`${ASK} "http://localhost:8080/v1/stops/city:`]: (output) => {
    const { data } = JSON.parse(output) as { data: { stop_id: string; line_code: string }[] }
    expect(data.map(({ stop_id, line_code }) => [stop_id, line_code])).toEqual(Array(3).fill([stopId, '1']))
  },
  'runuser -u quai -- quai config check': (output) => expect(output).toContain('is valid: 1 network'),
  'systemctl reload quai': async () => {
    await typed(unitSetting('ExecReload').join())
    await typed('timeout 20 sh -c "until grep -qi reload /tmp/quai.log; do sleep 0.05; done"')
  },
  'cp -p /var/lib/quai/pepper': async () => {
    expect((await typed('stat -c "%U %a" /backups/*.db /root/quai-pepper')).output).toBe('quai 600\nquai 600')
  },
  'systemctl stop quai': async () => {
    await typed(STOP)
    // Simulates the loss of the database, with everything that was counted and created since the backup.
    rmSync(root.path('var/lib/quai/quai.db'))
  },
  'runuser -u quai -- quai restore': async () => {
    expect((await typed('find /var/lib/quai ! -user quai')).output).toBe('')
  },
  'runuser -u quai -- quai ledger verify': async (output) => {
    expect(output).toEndWith('slots and rows match')
    await typed(READY)
    const { data } = JSON.parse((await typed(`${ASK} http://localhost:8080/v1/usage`)).output)
    expect(data.keys.map(({ name }: { name: string }) => name)).toEqual(['first'])
  },
  'apt purge quai': async (output) => {
    expect(output).toContain('To delete them: rm -r /etc/quai /var/lib/quai')
    const kept = ['etc/quai/quai.toml', 'var/lib/quai/quai.db', 'var/lib/quai/pepper']
    expect(['usr/bin/quai', UNIT, ENABLED, ...kept].filter((path) => existsSync(root.path(path)))).toEqual(kept)
    expect((await root.type('dpkg-query --status quai')).status).toBe(1)
    await typed(STOP)
  },
}

if (missing === undefined) {
  beforeAll(async () => {
    await prepareDebian()
    root = await DebianRoot.open()
    const name = `quai_${VERSION}_${ARCHITECTURE}.deb`
    await makePackage(root.path('root', name))
    await typed(`sha256sum ${name} > SHA256SUMS`)
    await Bun.write(join(folder, 'gtfs.zip'), aroundTheClockZip('Ville'))
    feedUrl = await root.serveFile(join(folder, 'gtfs.zip'), FEED_PORT)
  }, PREPARE_MILLIS)
  afterAll(async () => {
    await root.remove()
    rmSync(folder, { recursive: true })
  })

  const commands = serverCommands()
  test('the guide has exactly the commands that are checked here, and the machine has no other programs', async () => {
    const unused = Object.keys(AFTER).filter((beginning) => !commands.some((command) => command.startsWith(beginning)))
    expect(unused).toEqual([])
    expect((await root.type('command -v node bun npm')).output).toBe('')
  })

  test.skipIf(REAL_FEED === undefined || !existsSync(REAL_FEED))(
    'the timetable of a real city is checked and written as settings',
    async () => {
      root.copy(REAL_FEED ?? '', 'root/city.zip')
      await typed('mkdir first')
      // `init` and `config check` need only the program, so the package is extracted but not yet installed.
      await typed(`dpkg-deb --extract quai_${VERSION}_${ARCHITECTURE}.deb first`)
      const { output } = await typed('cd first && usr/bin/quai init ../city.zip && usr/bin/quai config check; cd ..')
      expect(output).toMatch(/city\.zip can be served\n {2}CTS: 51 lines, 1 351 stops/)
      expect(output).toContain('/root/first/quai.toml is valid: 1 network')
    },
    COMMAND_MILLIS,
  )

  for (const command of commands) {
    test(
      `$ ${command}`,
      async () => {
        const answer = command.startsWith('apt ') ? fill(command).replace('apt', 'apt -y') : fill(command)
        const { output } = await typed(answer)
        const judged = Object.entries(AFTER).filter(([beginning]) => command.startsWith(beginning))
        for (const [, judge] of judged) await judge(output)
      },
      COMMAND_MILLIS,
    )
  }
}
