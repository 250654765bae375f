// Tests the messages about refused settings. Each must name the setting, the value, the allowed values and the remedy,
// and show no secret. Also tests the file `environment` next to the configuration file. Fails if a common mistake is
// accepted silently, or if the message about it only cites a rule.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../../src/config/config.ts'
import { configWarnings } from '../../../src/config/config-document.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-refused-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const NETWORK = '[[networks]]\nid = "cts"\ngtfs = "cts.zip"\n'
const FEED = '[[networks.feeds]]\nid = "t"\nurl = "t.pb"\n'

/** The lines of the error message for a refused configuration, except the first line. */
function complaints(toml: string, env: Record<string, string> = {}): string[] {
  const file = join(folder, 'quai.toml')
  writeFileSync(file, toml)
  try {
    loadConfig({ file, env })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  }
  throw new Error(`this was not rejected:\n${toml}`)
}

const CASES: readonly (readonly [toml: string, message: string])[] = [
  [
    `port = "http"\n${NETWORK}`,
    'port must be a whole number from 0 to 65535, not "http" (port for the API; 0 picks a free port)',
  ],
  [`drain_seconds = -1\n${NETWORK}`, 'drain_seconds must be a whole number from 0 to 300, not -1'],
  [`port = 8082\n${NETWORK}`, 'admin_port is 8082, which port already uses: choose another port'],
  [`${NETWORK}port = 9000\n`, 'networks[0].port is not a setting; port belongs to the whole service: move it above'],
  [
    '[networks]\nid = "a"\n',
    'networks must be a list, not a table (networks to serve): write its name in double brackets',
  ],
  [`trusted_proxies = "127.0.0.1"\n${NETWORK}`, ': write ["127.0.0.1"]'],
  [
    '[[networks]]\nid = "a"\ngtfs = "ftp://user:secret@a.example/key/x.zip"\n',
    'networks[0].gtfs must be a path, or a URL that starts with http:// or https://, not "ftp://…" (',
  ],
  ['[[networks]]\nid = "Le Havre"\ngtfs = "a.zip"\n', 'starting with a letter or digit, not "Le Havre"'],
  ['[[networks]]\nid = "a"\ngtfs = []\n', 'networks[0].gtfs must be a non-empty list, not an empty list'],
  [`[plans.free]\nincluded_units = -5\n${NETWORK}`, 'must be a whole number of 0 or more, not -5'],
  [`cors_origins = ["example.org"]\n${NETWORK}`, 'cors_origins: "example.org" is neither an origin such as'],
  [`cors_origins = ["https://example.org/"]\n${NETWORK}`, '"https://example.org/" is neither an origin such as'],
  [`[mail]\nhost = "h"\nfrom = "Quai"\n${NETWORK}`, 'mail.from "Quai" has no email address: write it as'],
  [
    `${NETWORK}${FEED}headers = { a = "\${KEY}" }\n`,
    'which is not in the environment. Set KEY there, or in a file "environment" next to the configuration',
  ],
]

describe('a rejected setting', () => {
  test.each([...CASES])('%s', (toml, message) => {
    expect(complaints(toml)).toEqual([expect.stringContaining(message)])
  })

  test('is not shown if it may be a secret', () => {
    const [header] = complaints(`${NETWORK}${FEED}headers = { a = "hunter2\\n" }\n`)
    expect(header).toStartWith('networks[0].feeds[0].headers.a must be a header value on one line')
    const [address] = complaints(`base_url = "\${HOST}"\n${NETWORK}`, { HOST: 'hunter2' })
    expect(address).toStartWith('base_url must be a URL that starts with http:// or https:// (')
    const [database] = complaints(`database_url = "mysql://u:hunter2@h/d"\n${NETWORK}`)
    expect([header, address, database].join()).not.toContain('hunter2')
  })

  test('ports may be equal at different addresses, or free ones', () => {
    const file = join(folder, 'ports.toml')
    writeFileSync(file, 'bind = "10.0.0.1"\nport = 8082\naccount_port = 0\nexplorer_port = 0\n')
    expect(loadConfig({ file, env: {} }).adminPort).toBe(8082)
  })

  test('a configuration without a network causes a warning', () => {
    const config = loadConfig({ currentFolder: folder, file: join(folder, 'ports.toml'), env: {} })
    expect(configWarnings(config)).toEqual([expect.stringMatching(/^no network is configured: .* "quai init FEED"$/)])
  })
})

describe('the file "environment"', () => {
  test('has values that the environment lacks', () => {
    const lines = ['# a remark', 'KEY=from file', 'QUOTED="two words"', "OTHER='x'", 'QUAI_PORT=81', '; none', '']
    writeFileSync(join(folder, 'environment'), lines.join('\n'))
    const file = join(folder, 'secrets.toml')
    writeFileSync(file, `${NETWORK}${FEED}headers = { a = "\${KEY}", b = "\${QUOTED}", c = "\${OTHER}" }\n`)
    const load = (env: Record<string, string>) => loadConfig({ file, env })
    expect(load({}).networks[0]?.feeds[0]?.headers).toEqual({ a: 'from file', b: 'two words', c: 'x' })
    expect(load({ KEY: 'mine' }).networks[0]?.feeds[0]?.headers).toMatchObject({ a: 'mine' })
    expect([load({}).port, load({ QUAI_PORT: '82' }).port]).toEqual([81, 82])
    rmSync(join(folder, 'environment'))
  })
})
