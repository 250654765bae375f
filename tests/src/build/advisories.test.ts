// Tests the check for advisories about packages, against a test registry. Fails if a severe advisory about a package in
// the binary is accepted, if an advisory about a development package fails the run, or if an unreachable registry looks
// like the absence of advisories.
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { findAdvisories, versionsInUse } from '../../../src/build/advisories.ts'

const COMMAND = join(import.meta.dir, '../../../src/build/advisories.ts')
const VERSIONS = { elysia: ['1.4.30'], 'some-linter': ['1.0.0', '2.0.0'] }
const SHIPPED = new Set(['elysia'])
const of = (name: string, severity: string) => ({
  [name]: [{ title: 'It breaks', url: 'https://advisories.example/1', severity, vulnerable_versions: '<2' }],
})
let answer: () => Response = () => Response.json({})
let requested: unknown
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    requested = await request.json()
    return answer()
  },
})
const registry = `http://127.0.0.1:${server.port}/`
afterAll(() => server.stop(true))

test('no advisories', async () => {
  answer = () => Response.json({})
  const report = await findAdvisories(registry, VERSIONS, SHIPPED)
  expect(report).toEqual({ lines: ['advisories: none for 2 packages'], isGrave: false })
  expect(requested).toEqual(VERSIONS)
})

test('severe ones in shipped packages count; others are printed', async () => {
  for (const [name, severity, isGrave] of [
    ['elysia', 'critical', true],
    ['elysia', 'high', true],
    ['elysia', 'moderate', false],
    ['some-linter', 'critical', false],
  ] as const) {
    answer = () => Response.json(of(name, severity))
    const report = await findAdvisories(registry, VERSIONS, SHIPPED)
    expect(report.isGrave).toBe(isGrave)
    expect(report.lines).toHaveLength(1)
    expect(report.lines[0]).toContain(
      `${severity}: ${name} <2 (${name === 'elysia' ? 'in the binary' : 'for development only'})`,
    )
  }
})

test('a registry that cannot be queried is reported', async () => {
  answer = () => new Response('', { status: 405 })
  for (const each of [registry, 'http://127.0.0.1:1/']) {
    const { lines, isGrave } = await findAdvisories(each, VERSIONS, SHIPPED)
    expect(isGrave).toBe(false)
    expect(lines[0]).toStartWith(`advisories: not checked, because ${each} cannot be queried`)
  }
})

test('the command reports that it could not query the registry, with the consequence, and does not fail', async () => {
  answer = () => new Response('', { status: 405 })
  for (const [each, why] of [
    [registry, 'status 405'],
    ['http://127.0.0.1:1/', 'Unable to connect'],
  ] as const) {
    const child = Bun.spawn([process.execPath, COMMAND], {
      env: { ...process.env, npm_config_registry: each },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, errors, status] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    expect({ errors, status }).toEqual({ errors: '', status: 0 })
    expect(output).toStartWith(`advisories: not checked, because ${each} cannot be queried: `)
    expect(output).toContain(why)
    expect(output).toEndWith('it is unknown whether the packages have any\n')
  }
}, 120_000)

test('an unexpected response does not count as clean, and does not fail', async () => {
  for (const body of [
    'null',
    '[]',
    '[1]',
    '{"error":"no"}',
    '{"elysia":[1]}',
    '{"elysia":[{"severity":"high"}]}',
    'not json',
  ]) {
    answer = () => new Response(body)
    const { lines, isGrave } = await findAdvisories(registry, VERSIONS, SHIPPED)
    expect(isGrave).toBe(false)
    expect(lines[0]).toStartWith('advisories: not checked')
  }
})

test('versions are those of the lockfile', () => {
  const lockfile = `{ "packages": {
    "a": ["a@1.0.0", "", {}, "sha512-x"],
    "@b/c": ["@b/c@2.1.0", "", {}, "sha512-y"],
    "d/a": ["a@0.9.0", "", {}, "sha512-z"],
  } }`
  expect(versionsInUse(lockfile)).toEqual({ a: ['1.0.0', '0.9.0'], '@b/c': ['2.1.0'] })
})
