// Tests loading the configuration. Fails if a source of lower precedence wins, if a mistake is accepted, if an error
// message doesn't name the setting, or if a secret is printed.
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runConfigCheck, runConfigPrint, runConfigSchema } from '../../../src/commands/config.ts'
import { type ConfigSources, loadConfig } from '../../../src/config/config.ts'
import { configWarnings, findUnknownEnvironment, listEnvironmentNames } from '../../../src/config/config-document.ts'
import { ConfigError } from '../../../src/config/config-file.ts'
import { KeptOutput, makeFolder } from '../account-fixture.ts'

/** Writes a configuration file to a temporary folder. Returns sources that name it, as `--config` does. */
function fileSources(toml: string, rest: Partial<ConfigSources> = {}): ConfigSources & { folder: string } {
  const folder = makeFolder()
  writeFileSync(join(folder, 'test.toml'), toml)
  return { folder, file: 'test.toml', currentFolder: folder, env: {}, ...rest }
}

/** The error message for an invalid configuration. */
function complaint(sources: ConfigSources): string {
  try {
    loadConfig(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

const NETWORK = `
[[networks]]
id = "cts"
gtfs = "cts.zip"
`

describe('where a value comes from', () => {
  test('flags override the environment, then the file, then defaults', () => {
    const sources = fileSources('port = 1\naccount_port = 2\nadmin_port = 3\n', {
      env: { QUAI_PORT: '10', QUAI_ACCOUNT_PORT: '20', QUAI_EXPLORER_PORT: '' },
      flags: { port: '100', account_port: undefined },
    })
    const { port, accountPort, adminPort, explorerPort } = loadConfig(sources)
    expect([port, accountPort, adminPort, explorerPort]).toEqual([100, 20, 3, 8083])
  })

  test('every setting has an environment variable, and is read from it', () => {
    const values: Record<string, string> = {
      QUAI_TLS_CERT_FILE: 'c.pem',
      QUAI_TLS_KEY_FILE: 'k.pem',
      QUAI_NETWORKS: '[{"id":"a","gtfs":["x.zip",{"source":"y.zip","prefix":"y-"}]}]',
      QUAI_ADDRESSES: 'a.csv, b.csv.gz',
      QUAI_CORS_ORIGINS: '*',
      QUAI_TRUSTED_PROXIES: '10.0.0.0/8',
      QUAI_DATABASE_URL: 'postgres://h/d',
      QUAI_MAIL_FROM: 'a@b.example',
      QUAI_MAIL_SECURE: 'true',
      QUAI_ACCOUNT_PORT: '42',
      QUAI_ADMIN_PORT: '43',
      QUAI_EXPLORER_PORT: '44',
      QUAI_LOG_LEVEL: 'warn',
      QUAI_GROUND: 'false',
      QUAI_GROUND_BUILDINGS: 'false',
      QUAI_METRICS_NETWORK_LIMIT: '7',
      QUAI_LOG_REQUESTS: 'errors',
      QUAI_CURRENCY: 'CHF',
      QUAI_CLUSTER_OUTAGE_SHARE: '0.5',
      QUAI_CLUSTER_PREPARED_STATEMENTS: 'false',
      QUAI_CLUSTER_SNAPSHOTS_VIRTUAL_HOSTS: 'true',
    }
    const guess = (name: string) => {
      if (/_URL$/.test(name)) return 'https://quai.example.org'
      if (/DECIMAL$/.test(name)) return '0.25'
      if (/AVAILABLE$|SELF_SERVICE$/.test(name)) return 'true'
      return /PORT|WORKERS|UNITS|SECOND|MINUTES|BURST/.test(name) ? '41' : 'text'
    }
    const env = Object.fromEntries(listEnvironmentNames().map((name) => [name, values[name] ?? guess(name)]))
    const config = loadConfig({ currentFolder: '/srv', env })
    expect(config).toMatchObject({
      dataDir: '/srv/text',
      bind: 'text',
      port: 41,
      workers: 41,
      audience: 'quai.example.org',
      tls: { certFile: '/srv/c.pem', keyFile: '/srv/k.pem' },
      trustedProxies: ['10.0.0.0/8'],
      corsOrigins: ['*'],
      pepperFile: '/srv/text',
      databaseUrl: 'postgres://h/d',
      cluster: { name: 'text', leaseSeconds: 41, outageShare: 0.5, ringAgeMinutes: 41, hasPreparedStatements: false },
      mail: { host: 'text', port: 41, secure: true, user: 'text', password: 'text', from: 'a@b.example' },
      addresses: [
        { source: '/srv/a.csv', attribution: '' },
        { source: '/srv/b.csv.gz', attribution: '' },
      ],
      networks: [
        {
          id: 'a',
          name: 'a',
          gtfs: [
            { source: '/srv/x.zip', prefix: '' },
            { source: '/srv/y.zip', prefix: 'y-' },
          ],
        },
      ],
    })
    for (const plan of Object.values(config.plans)) {
      expect(plan).toEqual({
        includedUnits: 41,
        requestsPerSecond: 41,
        burst: 41,
        overageAvailable: true,
        overageUnitAmountDecimal: '0.25',
      })
    }
  })

  test('quai.toml in the current folder is read if it exists; a named file must exist', () => {
    const currentFolder = makeFolder()
    expect(loadConfig({ currentFolder, env: {} })).toMatchObject({ file: undefined, port: 8080, networks: [] })
    expect(complaint({ currentFolder, env: {}, file: 'no.toml' })).toContain('does not exist')
    writeFileSync(join(currentFolder, 'quai.toml'), 'port = 1')
    expect(loadConfig({ currentFolder, env: {} })).toMatchObject({ file: join(currentFolder, 'quai.toml'), port: 1 })
  })

  test('paths in the file are relative to its folder, those in flags to the current one', () => {
    const sources = fileSources(`data_dir = "d"\n${NETWORK}`)
    const elsewhere = { ...sources, file: join(sources.folder, 'test.toml'), currentFolder: '/srv' }
    expect(loadConfig(elsewhere)).toMatchObject({
      dataDir: join(sources.folder, 'd'),
      pepperFile: join(sources.folder, 'd', 'pepper'),
      networks: [{ gtfs: [{ source: join(sources.folder, 'cts.zip') }] }],
    })
    expect(loadConfig({ ...elsewhere, flags: { data_dir: 'd' } }).dataDir).toBe('/srv/d')
  })

  test('addresses default to localhost and the port of their listener; the audience is a host name without port', () => {
    const plain = loadConfig({ env: {}, currentFolder: makeFolder(), flags: { port: 9000 } })
    expect(plain).toMatchObject({
      baseUrl: 'http://localhost:9000',
      accountUrl: 'http://localhost:8081',
      accountConsoleUrl: 'http://localhost:8081',
      audience: 'localhost',
      corsOrigins: ['http://localhost:8081', 'http://localhost:8083'],
    })
    const sources = fileSources('base_url = "https://API.Example.org:8443/x"\n[tls]\ncert_file = "c"\nkey_file = "k"')
    expect(loadConfig(sources)).toMatchObject({ audience: 'api.example.org', accountUrl: 'https://localhost:8081' })
  })

  test('the result is deeply frozen and can be posted to a thread', () => {
    const config = loadConfig(fileSources(NETWORK))
    expect(Object.isFrozen(config.networks[0]?.gtfs[0])).toBe(true)
    expect(structuredClone(config)).toEqual(config)
  })
})

describe('rejected', () => {
  test('unknown keys, with the most similar known one', () => {
    const message = complaint(fileSources(`prot = 1\n[plans.fre]\nburst = 1\n${NETWORK}citty = "x"\nzzzzzzzz = 1\n`))
    expect(message).toContain('prot is not a setting; did you mean "port"?')
    expect(message).toContain('plans.fre is not a setting; did you mean "free"?')
    expect(message).toContain('networks[0].citty is not a setting; did you mean "city"?')
    expect(message).toContain('networks[0].zzzzzzzz is not a setting; known settings: id, name,')
  })

  test('invalid values, each with its key and what is allowed', () => {
    const table: [string, string][] = [
      ['port = "8080"', 'port must be a whole number from 0 to 65535'],
      ['port = 70000', 'port must be a whole number from 0 to 65535'],
      ['port = 1.5', 'port must be a whole number'],
      ['workers = 0', 'workers must be a whole number from 1 to 256'],
      ['bind = 1', 'bind must be a non-empty string'],
      ['data_dir = ""', 'data_dir must be a non-empty string'],
      ['base_url = "api.example.org"', 'base_url must be a URL that starts with http:// or https://'],
      ['networks = 1', 'networks must be a list'],
      ['plans = 1', 'plans must be a table'],
      ['[plans.free]\noverage_available = "yes"', 'plans.free.overage_available must be true or false'],
      ['[plans.free]\noverage_unit_amount_decimal = "1e3"', 'plans.free.overage_unit_amount_decimal must be a decimal'],
      ['currency = "euro"', 'currency must be the ISO 4217 code of a currency with cents'],
      ['currency = "JPY"', 'currency must be the ISO 4217 code of a currency with cents'],
      ['[mail]\nhost = "h"', 'mail.from is missing'],
      ['[[networks]]\nid = "a"', 'networks[0].gtfs is missing'],
      ['[[networks]]\ngtfs = "a"', 'networks[0].id is missing'],
      ['[[networks]]\nid = "a"\ngtfs = 5', 'networks[0].gtfs must be a path, a URL, { source, prefix }'],
      ['[[networks]]\nid = "a"\ngtfs = []', 'networks[0].gtfs must be a non-empty list'],
      [
        '[[networks]]\nid = "a"\ngtfs = [{ sourc = "x" }]',
        'networks[0].gtfs[0].sourc is not a setting; did you mean "source"?',
      ],
      ['[[networks]]\nid = "A b"\ngtfs = "a"', 'networks[0].id must be a word'],
      ['[[networks]]\nid = "-a"\ngtfs = "a"', 'networks[0].id must be a word'],
      ['[[networks]]\nid = "ban"\ngtfs = "a"', 'networks[0].id must not be "ban"'],
      [`${NETWORK}${NETWORK}`, 'networks[1].id "cts" is already used'],
      [`${NETWORK}timezone = "Mars/Base"`, 'networks[0].timezone must be an IANA time zone'],
      [`${NETWORK}[[networks.feeds]]\nid = "f"`, 'networks[0].feeds[0].url is missing'],
      [
        `${NETWORK}feeds = [{ id = "f", url = "a" }, { id = "f", url = "b" }]`,
        'networks[0].feeds[1].id "f" is already used',
      ],
      [
        `${NETWORK}feeds = [{ id = "f", url = "a", budget = { limit = 5, window = "week" } }]`,
        '.budget.window must be "minute", "hour"',
      ],
    ]
    for (const [toml, expected] of table) expect(complaint(fileSources(toml))).toContain(expected)
  })

  test('values in the environment and in flags too, by their own names', () => {
    const currentFolder = makeFolder()
    expect(complaint({ currentFolder, env: { QUAI_PORT: '80x' } })).toContain('QUAI_PORT must be a whole number')
    expect(complaint({ currentFolder, env: { QUAI_NETWORKS: '[{' } })).toContain('QUAI_NETWORKS must be a list')
    expect(complaint({ currentFolder, env: {}, flags: { account_port: 'x' } })).toContain('--account-port must be')
  })

  test('a file that is not TOML, with the line', () => {
    expect(complaint(fileSources('port = 1\nbind = "a"\nworkers = \nadmin_port = 5\n'))).toContain(
      'test.toml:3 is not valid TOML',
    )
    expect(complaint(fileSources('port = 1\n\nport = 2\n'))).toContain('test.toml:3 is not valid TOML')
  })
})

describe('secrets', () => {
  const TOML = `
database_url = "postgres://quai:sesame-1@db/quai"
[mail]
host = "smtp"
from = "a@b"
password = "\${MAIL_PASSWORD}"
${NETWORK}
[[networks.feeds]]
id = "f"
url = "https://user:sesame-2@h/t.pb?api_key=sesame-3&x=1"
headers = { Authorization = "Bearer \${TOKEN}", X-Key = "sesame-4", Mixed = "sesame-5\${TOKEN}" }
[[networks.feeds]]
id = "g"
url = "https://user:sesame-6@h/t.pb?token=\${TOKEN}"
`
  const env = { MAIL_PASSWORD: 'sesame-7', TOKEN: 'sesame-8' }

  test('are read from the environment by name', () => {
    const config = loadConfig(fileSources(TOML, { env }))
    expect(config.mail?.password).toBe('sesame-7')
    expect(config.networks[0].feeds[0].headers).toEqual({
      Authorization: 'Bearer sesame-8',
      'X-Key': 'sesame-4',
      Mixed: 'sesame-5sesame-8',
    })
  })

  test('that are missing are named by their key and their name', () => {
    const message = complaint(fileSources(TOML, { env: { MAIL_PASSWORD: 'sesame-7' } }))
    expect(message).toContain(
      `networks[0].feeds[0].headers.Authorization refers to \${TOKEN}, which is not in the environment`,
    )
    expect(message).not.toContain('sesame')
  })

  test('of a header with a line break are rejected, and not repeated', () => {
    const feed = (name: string, value: string) =>
      `${NETWORK}\n[[networks.feeds]]\nid = "f"\nurl = "https://h/t.pb"\nheaders = { ${name} = ${value} }\n`
    const bad = ['"sesame\\r\\nX-Other: 1"', '"sesame\\n"', '"sesame\\u0000"', '"sesame\\u20ac"', `"\${LINES}"`]
    for (const value of bad) {
      const message = complaint(fileSources(feed('X-Key', value), { env: { LINES: 'sesame\r\nX-Other: 1' } }))
      expect(message).toContain('networks[0].feeds[0].headers.X-Key must be a header value')
      expect(message).not.toContain('sesame')
    }
    for (const name of ['"X Key"', '"X-Key:"', '"X\\n"', '""']) {
      expect(complaint(fileSources(feed(name, '"sesame"')))).toContain('which is not a header name')
    }
    const fine = loadConfig(fileSources(feed('"X-Key_1"', '"sésame = 1; 2\\t"'), { env: {} }))
    expect(fine.networks[0]?.feeds[0]?.headers).toEqual({ 'X-Key_1': 'sésame = 1; 2\t' })
  })

  test('of an invalid database address are not repeated', () => {
    for (const address of ['mysql://quai:sesame-9@db/quai', 'postgres://quai:sesame-9@db/quai?password=sesame-9']) {
      const message = complaint(fileSources(`database_url = "${address}"\n${NETWORK}`))
      expect(message).toContain('database_url ')
      expect(message).not.toContain('sesame')
    }
  })

  test('are never printed or shown by a check', () => {
    const output = new KeptOutput()
    const sources = fileSources(TOML, { env: { ...env, QUAI_MAIL_USER: 'shown' } })
    expect(runConfigPrint(sources, {}, output)).toBe(0)
    expect(runConfigPrint(sources, { json: true }, output)).toBe(0)
    expect(runConfigCheck(sources, output)).toBe(0)
    expect(output.out + output.err).not.toContain('sesame')
    expect(output.out).toContain(`Bearer \${TOKEN}`)
    expect(output.out).toContain('?api_key=[redacted]&x=1')
    expect(output.out).toContain('user = "shown"')
  })

  test('printed settings can be read again', () => {
    const output = new KeptOutput()
    runConfigPrint(fileSources(`${NETWORK}city = 'a "b"'\n[plans.max]\nburst = 3\n`), {}, output)
    const again = loadConfig(fileSources(output.out))
    expect(again.networks[0].city).toBe('a "b"')
    expect(again.plans.max.burst).toBe(3)
  })
})

describe('its warnings and its schema', () => {
  test('a console over http on another machine causes a warning', () => {
    const warn = (lines: string) => configWarnings(loadConfig(fileSources(`${lines}\n${NETWORK}`)))
    expect(warn('')).toEqual([])
    expect(warn('account_url = "http://127.0.0.1:9"')).toEqual([])
    expect(warn('account_url = "https://accounts.example.org"')).toEqual([])
    const found = warn('account_url = "http://accounts.example.org"')
    expect(found.map((sentence) => sentence.split(':')[0])).toEqual(['account_console_url is http'])
  })

  test('environment variables that are almost settings', () => {
    expect(findUnknownEnvironment({ QUAI_PROT: '1', QUAI_PORT: '1', QUAI_CLOCK: 'x', HOME: '/' })).toEqual([
      'the environment variable QUAI_PROT is not a setting; did you mean QUAI_PORT?',
    ])
  })

  test('a JSON Schema with every key, its default and its environment variable', () => {
    const output = new KeptOutput()
    expect(runConfigSchema(output)).toBe(0)
    const schema = JSON.parse(output.out)
    expect(schema.required).toEqual([])
    expect(schema.properties.port).toEqual({
      description: 'port for the API; 0 picks a free port',
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 8_080,
      'x-env': 'QUAI_PORT',
    })
    expect(schema.properties.networks.items.required).toEqual(['id', 'gtfs'])
    expect(schema.properties.plans.properties.pro.properties.burst['x-env']).toBe('QUAI_PLANS_PRO_BURST')
  })
})
