// Tests help and completions, both of which are generated from the command table. Fails if a command has no example, if
// an example is not a valid command line, or if a shell's completions differ from the commands and options that exist.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COMMANDS, GROUPS } from '../../../src/commands/command-table.ts'
import { completionScript, runCompletions, SHELLS } from '../../../src/commands/completions.ts'
import { runConfigCheck } from '../../../src/commands/config.ts'
import { PLANS } from '../../../src/plans/plans.ts'
import { KeptOutput } from '../account-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-command-line-'))
afterAll(() => rmSync(folder, { recursive: true }))
const MAIN = join(import.meta.dir, '..', '..', '..', 'src', 'main.ts')

/** Runs a command line; returns its exit status and what it printed. */
async function typed(...words: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([process.execPath, MAIN, ...words], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { status: await child.exited, stdout, stderr }
}

describe('examples', () => {
  for (const row of COMMANDS) {
    test(`quai ${row.words}: each example is a line of this command, with existing flags`, () => {
      expect(row.examples.length).toBeGreaterThan(0)
      for (const example of row.examples) {
        expect(example).toContain(`quai ${row.words}`)
        const [own = ''] = example.split(' | ')
        const flags = own.match(/(?<= )--[a-z-]+/g) ?? []
        const known = (row.options ?? []).map(([option]) => option.replace(/^!/, '').split(' ')[0])
        expect(flags.filter((flag) => !known.includes(flag))).toEqual([])
      }
    })
  }
})

test('help starts with examples and ends with the exit status', async () => {
  const [whole, group, one, wrong] = await Promise.all([
    typed('--help'),
    typed('keys', '--help'),
    typed('keys', 'create', '--help'),
    typed('srve'),
  ])
  for (const { status, stdout } of [whole, group, one]) {
    expect(status).toBe(0)
    expect(stdout).toStartWith('Examples:\n  quai ')
  }
  for (const { stdout } of [whole, one]) expect(stdout).toMatch(/\nExit status: 0 success, 1 [^\n]+, 2 [^\n]+\.\n$/)
  expect([wrong.status, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toContain('Did you mean serve?')
})

/** The completions that bash offers for a line whose last word is being typed. */
async function offered(script: string, line: readonly string[]): Promise<string[]> {
  const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _quai; printf '%s\\n' "\${COMPREPLY[@]}"`
  const child = Bun.spawn(['bash', '-c', program, 'bash', script, ...line], { cwd: folder, stdout: 'pipe' })
  const text = await new Response(child.stdout).text()
  return text
    .split('\n')
    .filter((word) => word !== '')
    .sort()
}

test('bash completes commands, options, their values and files', async () => {
  const script = join(folder, 'quai.bash')
  writeFileSync(script, completionScript('bash'))
  writeFileSync(join(folder, 'city.zip'), '')
  const firsts = [...new Set(COMMANDS.map(({ words }) => words.split(' ')[0] ?? ''))]
  const cases: [line: string[], words: string[]][] = [
    [['quai', ''], [...firsts, '--help', '--version'].sort()],
    [['quai', 'ke'], ['keys']],
    [
      ['quai', 'keys', ''],
      ['create', 'list', 'revoke'],
    ],
    [['quai', 'config', 'c'], ['check']],
    [['quai', 'keys', 'create', '--pl'], ['--plan']],
    [['quai', 'keys', 'create', '--plan', ''], [...PLANS].sort()],
    [['quai', 'keys', 'create', '--name', ''], []],
    [
      ['quai', 'accounts', 'set-plan', 'me@example.org', 'p'],
      ['pay_as_you_go', 'pro'],
    ],
    [['quai', 'accounts', 'set-plan', 'p'], []],
    [['quai', 'accounts', 'set-plan', '--config', 'x.toml', 'me@example.org', 's'], ['starter']],
    [['quai', 'check', 'ci'], ['city.zip']],
    [['quai', 'serve', '--config', 'ci'], ['city.zip']],
    [['quai', 'completions', ''], [...SHELLS].sort()],
    [['quai', 'ledger', 'verify', '--j'], ['--json']],
    [['quai', 'nothing', ''], []],
  ]
  expect(await Promise.all(cases.map(([line]) => offered(script, line)))).toEqual(cases.map(([, words]) => words))
})

test('zsh and fish complete every command and option', () => {
  for (const shell of ['zsh', 'fish'] as const) {
    const script = completionScript(shell)
    for (const { words, options = [] } of COMMANDS) {
      for (const word of words.split(' ')) expect(script).toContain(word)
      for (const [flags] of options) {
        const [flag = ''] = flags.replace(/^!/, '').split(' ')
        expect(script).toContain(shell === 'fish' ? `-l ${flag.slice(2)}` : `${flag}[`)
      }
    }
    for (const group of Object.keys(GROUPS)) expect(script).toContain(group)
    // An unpaired quotation mark in any line would break the script.
    for (const line of script.split('\n').filter((each) => !each.startsWith('#'))) {
      expect(line.replaceAll("'\\''", '').split("'").length % 2).toBe(1)
    }
  }
})

test('an unsupported shell is rejected', () => {
  const io = new KeptOutput()
  expect([runCompletions('csh', io), io.out]).toEqual([2, ''])
  expect(io.err).toContain('bash, zsh, fish')
})

test('config check reports the same in JSON as in text', () => {
  const file = join(folder, 'quai.toml')
  const check = (toml: string) => {
    writeFileSync(file, toml)
    const io = new KeptOutput()
    const status = runConfigCheck({ file, env: { QUAI_PROT: '1' } }, io, { json: true })
    return { status, found: JSON.parse(io.out), err: io.err }
  }
  expect(check('[[networks]]\nid = "a"\ngtfs = "a.zip"\n')).toEqual({
    status: 0,
    found: {
      is_usable: true,
      file,
      networks: ['a'],
      warnings: ['the environment variable QUAI_PROT is not a setting; did you mean QUAI_PORT?'],
      problem: null,
    },
    err: '',
  })
  const wrong = check('prot = 1\n')
  expect(wrong).toMatchObject({ status: 2, found: { is_usable: false, networks: [] } })
  expect(wrong.found.problem).toContain('did you mean "port"?')
})
