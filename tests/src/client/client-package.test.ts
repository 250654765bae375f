// Tests the TypeScript client's package: its contents and size, whether it is reproducible, and its declarations.
// Correct uses of the client must compile, and each of fifty wrong uses must not. Also tests the calls that the client
// refuses before it sends a request.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packClient } from '../../../src/client/client-package.ts'
import { QuaiClient } from '../../../src/client/package/main.ts'
import { dataDocument } from '../../api-documents.ts'

const ROOT = join(import.meta.dir, '..', '..', '..')
const MOST_BYTES = 12_000
const WRONG_USES = 50

const folder = mkdtempSync(join(tmpdir(), 'quai-client-package-'))
const installed = join(folder, 'node_modules', 'quai-client')
beforeAll(async () => {
  mkdirSync(installed, { recursive: true })
  writeFileSync(join(folder, 'client.tgz'), await packClient())
  await Bun.$`tar -xzf ${join(folder, 'client.tgz')} -C ${installed} --strip-components=1`.quiet()
})
afterAll(() => rmSync(folder, { recursive: true }))

test('is small and reproducible', async () => {
  const packed = await packClient()
  expect(packed.length).toBeLessThanOrEqual(MOST_BYTES)
  expect(Buffer.from(packed).equals(readFileSync(join(folder, 'client.tgz')))).toBe(true)
})

test('has a module, its declarations, a manifest, a README and the license', async () => {
  const listed = await Bun.$`tar -tvzf ${join(folder, 'client.tgz')}`.text()
  expect(listed.match(/^-rw-r--r-- 0\/0 .* package\/(\S+)$/gm)?.map((line) => line.split('package/')[1])).toEqual([
    'package.json',
    'README.md',
    'LICENSE',
    'quai-client.js',
    'quai-client.d.ts',
  ])
  const manifest = await Bun.file(join(installed, 'package.json')).json()
  const { version } = await Bun.file(join(ROOT, 'package.json')).json()
  expect(manifest).toMatchObject({ name: 'quai-client', version, type: 'module', license: 'MIT' })
  expect(manifest.dependencies).toBeUndefined()
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'))
  expect(readFileSync(join(installed, 'quai-client.js'), 'utf8')).not.toMatch(/\bimport\b/)
})

/** The declarations must contain every operation, parameter and schema of the API document. */
test('declares everything in the document', async () => {
  const { paths, components } = await dataDocument()
  const declared = readFileSync(join(installed, 'quai-client.d.ts'), 'utf8')
  const operations: { operationId: string; parameters: { name: string }[] }[] = Object.values(Object(paths)).map(
    (methods) => Object(methods).get,
  )
  expect(operations.length).toBeGreaterThan(25)
  const missing = operations.flatMap(({ operationId, parameters }) => {
    const named = `export interface ${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Parameters {`
    const [, members = ''] = declared.split(named)
    const own = members.slice(0, members.indexOf('\n}'))
    const absent = parameters.map(({ name }) => name).filter((name) => !new RegExp(`readonly ${name}\\??:`).test(own))
    return [
      ...absent.map((name) => `${operationId} ${name}`),
      ...(declared.includes(`  ${operationId}(`) ? [] : [operationId]),
    ]
  })
  const schemas = Object.keys(components.schemas).filter((name) => !new RegExp(`export \\w+ ${name}\\b`).test(declared))
  expect([missing, schemas]).toEqual([[], []])
})

const flags = {
  target: 'ES2022',
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  // Declaration files are checked too, since those of the package must compile.
  skipLibCheck: false,
}

/** Type-checks files that use the installed package; returns the compiler's messages. */
async function check(compilerOptions: object, files: readonly string[]): Promise<string> {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const { stdout, exitCode } = await Bun.$`${join(ROOT, 'node_modules/.bin/tsc')} --project ${folder}`.nothrow().quiet()
  return stdout.toString() + (exitCode === 0 ? '' : `exit code ${exitCode}`)
}

describe('its declarations', () => {
  const uses = readFileSync(join(import.meta.dir, 'client-uses.ts'), 'utf8')

  test.each([
    { module: 'NodeNext', moduleResolution: 'NodeNext' },
    { module: 'ESNext', moduleResolution: 'bundler' },
  ])(
    'accept correct uses and reject each wrong one: %j',
    async (resolution) => {
      writeFileSync(join(folder, 'uses.ts'), uses.replaceAll('../../../src/client/package/main.ts', 'quai-client'))
      expect(await check({ ...flags, ...resolution }, ['uses.ts'])).toBe('')
      expect(uses.match(/^ *\/\/ @ts-expect-error$/gm)?.length).toBeGreaterThanOrEqual(WRONG_USES)
    },
    60_000,
  )
})

/** The API reference has a sample for each operation, and each sample must compile. */
test('match the samples of the reference', async () => {
  const { paths } = await dataDocument()
  const samples: { source: string }[] = Object.values(Object(paths)).flatMap((methods) => {
    return Object(methods).get['x-codeSamples']
  })
  expect(samples.length).toBe(Object.keys(paths).length)
  const files = samples.map(({ source }, at) => {
    writeFileSync(join(folder, `sample-${at}.ts`), source)
    return `sample-${at}.ts`
  })
  writeFileSync(join(folder, 'console.d.ts'), 'declare const process: { env: { QUAI_KEY?: string } }')
  expect(await check({ ...flags, module: 'ESNext', moduleResolution: 'bundler' }, [...files, 'console.d.ts'])).toBe('')
}, 60_000)

describe('the client rejects', () => {
  test.each([
    [
      { baseUrl: 'api.example.org' },
      'baseUrl is "api.example.org"; it must be an address such as https://api.example.org',
    ],
    [{ baseUrl: 'ftp://api.example.org' }, 'it must be an address such as'],
    [{ baseUrl: 'https://api.example.org/v1/' }, 'leave out /v1'],
    [{ baseUrl: 'https://api.example.org?key=x' }, 'baseUrl must have no query'],
    [{ baseUrl: 'https://a:b@api.example.org' }, 'no password'],
    [{ baseUrl: 'http://api.example.org', key: 'quai_p_x' }, 'keys are only sent over HTTPS'],
    [
      { baseUrl: 'https://api.example.org', key: 'quai p' },
      '"key" is not valid: the key is empty, or contains a space or another character',
    ],
    [{ baseUrl: 'https://api.example.org', key: '' }, '"key" is not valid: the key is empty'],
    [{ baseUrl: 'https://api.example.org', maxWaitSeconds: -1 }, 'maxWaitSeconds is -1'],
    [{ baseUrl: 'https://api.example.org', maxWaitSeconds: Number.NaN }, 'maxWaitSeconds is NaN'],
  ])('%j', (options, message) => {
    expect(() => new QuaiClient(options)).toThrow(message)
    expect(() => new QuaiClient(options)).toThrow(TypeError)
  })

  test('no key for this machine, and none over HTTP if that is allowed', () => {
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080']) {
      expect(() => new QuaiClient({ baseUrl: `http://${host}`, key: 'quai_p_x' })).not.toThrow()
    }
    expect(() => new QuaiClient({ baseUrl: 'http://api.internal', key: 'quai_p_x', allowHttp: true })).not.toThrow()
  })

  test.each(['', '.', '..'])('the id "%s", which would lead to another route', async (stop_id) => {
    const quai = new QuaiClient({ baseUrl: 'https://api.example.org' })
    expect(quai.getStop({ stop_id })).rejects.toThrow(
      `"stop_id" is "${stop_id}"; it must be an id from a response, and not empty`,
    )
  })
})
