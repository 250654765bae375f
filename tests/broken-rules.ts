// Breaks the journey rules on purpose, one after the other, in a copy of the repository. For each rule, runs its test
// files until a test fails. `bun tests/broken-rules.ts` prints, for each rule, the test that catches it. Arguments
// select rules by a part of their name.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BROKEN_RULES, type BrokenRule } from './journey-rules.ts'
import { SEED } from './size.ts'

/** The files and folders that are copied. Installed packages are linked instead. */
const COPIED = ['src', 'indexes', 'loaders', 'tests', 'package.json', 'tsconfig.json', 'bunfig.toml']
const FAILED = /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/m

/** The result for one rule. */
export interface BrokenVerdict {
  readonly name: string
  /** The file and title of the first test that fails; undefined if no test fails. */
  readonly caughtBy: string | undefined
}

/** Breaks these rules, one after the other. Throws if a test fails before any rule is broken. */
export async function* breakRules(rules: readonly BrokenRule[]): AsyncGenerator<BrokenVerdict> {
  const folder = mkdtempSync(join(tmpdir(), 'quai-broken-'))
  try {
    const root = join(import.meta.dir, '..')
    for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const fault = await findFailure(folder, [...new Set(rules.flatMap(({ tests }) => tests))])
    if (fault !== undefined) throw new Error(`although all rules are in place, this fails: ${fault}`)
    for (const rule of rules) {
      const path = join(folder, rule.file)
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, brokenText(text, rule))
      yield { name: rule.name, caughtBy: await findFailure(folder, rule.tests) }
      writeFileSync(path, text)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The text of a source file with the rule broken. Throws unless the text to be replaced occurs exactly once. */
export function brokenText(text: string, { name, file, from, to }: BrokenRule): string {
  const [before, after, ...more] = text.split(from)
  if (after === undefined || more.length > 0) throw new Error(`${name}: ${file} must contain exactly one ${from}`)
  return `${before}${to}${after}`
}

/**
 * Runs test files one after the other until a test fails. Returns the file and title of that test; undefined if no test
 * fails.
 */
async function findFailure(folder: string, files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const runner = Bun.spawn([process.execPath, 'test', '--bail', '--timeout', '120000', `./${file}`], {
      cwd: folder,
      stdout: 'pipe',
      stderr: 'pipe',
      env: { ...process.env, QUAI_SEED: `${SEED}`, QUAI_SIZE: 'quick' },
    })
    const [out, talk] = await Promise.all([runner.stdout.text(), runner.stderr.text()])
    if ((await runner.exited) === 0) continue
    const [, name] = FAILED.exec(`${out}\n${talk}`) ?? []
    return `${file}: ${name ?? talk.slice(-300)}`
  }
  return undefined
}

if (import.meta.main) {
  const chosen = process.argv.slice(2)
  const rules = BROKEN_RULES.filter(({ name }) => chosen.length === 0 || chosen.some((part) => name.includes(part)))
  console.log(`seed ${SEED}, ${rules.length} rules`)
  const survived: string[] = []
  for await (const { name, caughtBy } of breakRules(rules)) {
    if (caughtBy === undefined) survived.push(name)
    console.log(caughtBy === undefined ? `NOT CAUGHT: ${name}` : `caught: ${name}\n    ${caughtBy}`)
  }
  console.log(`${rules.length - survived.length} of ${rules.length} broken rules are caught`)
  process.exit(survived.length > 0 ? 1 : 0)
}
