// Tests that a plan is defined in one place: adds a plan to the plan table in a copy of the program, and checks that
// the new plan is offered wherever other plans are. Fails if code elsewhere would have to be changed too.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PLANS } from '../../../src/plans/plans.ts'
import { slowTest } from '../../slow-test.ts'

const ROOT = join(import.meta.dir, '..', '..', '..')
const TABLE = 'src/plans/plans.ts'
const TEAM = `  test_plan: {
    includedUnits: 77_000,
    requestsPerSecond: 7,
    burst: 70,
    overageAvailable: false,
    overageUnitAmountDecimal: '0',
    activeKeyLimit: 3,
  },
`
const copy = mkdtempSync(join(tmpdir(), 'quai-plans-'))

beforeAll(() => {
  for (const part of ['src', 'indexes', 'loaders', 'package.json', 'biome.json', 'tsconfig.json']) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const table = readFileSync(join(copy, TABLE), 'utf8')
  const added = table.replace('\n  max: {\n', `\n${TEAM}  max: {\n`)
  expect(added).not.toBe(table)
  writeFileSync(join(copy, TABLE), added)
  writeFileSync(join(copy, 'quai.toml'), 'data_dir = "data"\n')
})
afterAll(() => rmSync(copy, { recursive: true }))

async function run(...words: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, ...words], { cwd: copy, stdout: 'pipe', stderr: 'ignore' })
  const text = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return text
}
const quai = (...words: string[]) => run('src/main.ts', ...words)

test('help, completions and settings offer it', async () => {
  expect(await quai('keys', 'create', '--help')).toContain('free, pay_as_you_go, starter, pro, test_plan or max')
  expect(await quai('completions', 'bash')).toContain('pro test_plan max')
  const { plans } = JSON.parse(await quai('config', 'schema')).properties
  expect(Object.keys(plans.properties)).toEqual(['free', 'pay_as_you_go', 'starter', 'pro', 'test_plan', 'max'])
  expect(plans.properties.test_plan.properties.included_units.default).toBe(77_000)
})

test('an account may have it, with its number of keys', async () => {
  const key = ['keys', 'create', '--account', 'a@ville.example', '--plan', 'test_plan', '--name']
  for (const name of ['one', 'two', 'three']) expect(await quai(...key, name)).toStartWith('quai_p_')
  expect(JSON.parse(await quai('accounts', 'show', 'a@ville.example', '--json'))).toMatchObject({
    plan: 'test_plan',
    key_limit: 3,
    active_keys: 3,
  })
})

test('it is in the console’s contract', async () => {
  await run('src/build/contracts.ts')
  expect(readFileSync(join(copy, 'src/console/app/contract.ts'), 'utf8')).toContain("'pro' | 'test_plan' | 'max'")
})

slowTest(
  'the program compiles with it',
  async () => {
    await run('x', 'tsc', '--noEmit', '--project', '.')
  },
  120_000,
)

test('no other file names the plans: the console’s contract is generated from them', async () => {
  const naming: string[] = []
  for (const path of new Bun.Glob('{src,indexes,loaders}/**/*.{ts,tsx}').scanSync({ cwd: ROOT })) {
    const text = await Bun.file(join(ROOT, path)).text()
    if (PLANS.filter((plan) => new RegExp(`['"\`]${plan}\\b|\\b${plan}['"\`:]`).test(text)).length > 1)
      naming.push(path)
  }
  expect(naming.toSorted()).toEqual(['src/client/package/contract.ts', 'src/console/app/contract.ts', TABLE])
})
