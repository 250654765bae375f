// Checks the repository's documents. Fails on a dead link, a path that does not exist, a command or setting that this
// version does not have, a README of more than 150 lines, or a word that the glossary replaces.
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { COMMANDS } from '../../src/commands/command-table.ts'
import { loadConfig } from '../../src/config/config.ts'

const ROOT = join(import.meta.dir, '../..')
const README_LINES = 150
/** Words that the glossary forbids or replaces with a plainer word. */
const WRONG_WORDS = /\b(told|mourn|haste|fares|goOn)\b/i
const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm
/** Matches the target of a Markdown link `[text](target)`, unless the target is a URL or an absolute path. */
const LINK = /\]\((?!https?:|\/)([^)#]*)(?:#([^)]*))?\)/g
/**
 * Matches a path in backticks that starts with one of the repository's top-level code folders. Excludes paths with
 * placeholders.
 */
const NAMED_PATH = /`((?:src|indexes|loaders|tests|bench)\/[^`\s<>*{]*)`/g

const folder = mkdtempSync(join(tmpdir(), 'quai-documents-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The Markdown files in the repository. */
const documents = ['*.md', ...['src', 'bench', 'tests', 'indexes', 'loaders'].map((room) => `${room}/**/*.md`)]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)])
  .sort()
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

/** The code blocks in one of these languages, from all documents. */
function blocksIn(...languages: readonly string[]) {
  return documents.flatMap(({ path, text }) =>
    [...text.matchAll(FENCE)]
      .filter(([, language = '']) => languages.includes(language))
      .map(([, , code = '']) => ({ path, code })),
  )
}

test('the README is short enough for a newcomer', () => {
  const readme = documents.find(({ path }) => path === 'README.md')
  expect(readme?.text.split('\n').length).toBeLessThanOrEqual(README_LINES)
})

test('links lead to files and headings that exist', () => {
  const dead = documents.flatMap(({ path, text }) =>
    [...text.matchAll(LINK)]
      .filter(([, target = '', heading]) => !isThere(path, target, heading))
      .map(([link]) => `${path}: ${link.slice(1)}`),
  )
  expect(dead).toEqual([])
})

/**
 * Whether the target of a link exists: the file, and the heading if one is given. Guides link to each other without
 * `.md`, as on the website.
 */
function isThere(path: string, target: string, heading: string | undefined): boolean {
  const file = target === '' ? join(ROOT, path) : join(ROOT, dirname(path), target)
  const found = [file, `${file}.md`].find((each) => existsSync(each))
  if (found === undefined) return false
  if (heading === undefined) return true
  const headings = [...readFileSync(found, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
  )
  return headings.includes(heading)
}

test('paths in backticks exist', () => {
  const gone = documents.flatMap(({ path, text }) =>
    [...text.matchAll(NAMED_PATH)]
      .map(([, named = '']) => named)
      .filter((named) => !existsSync(join(ROOT, named)))
      .map((named) => `${path}: ${named}`),
  )
  expect(gone).toEqual([])
})

test('commands exist, with the options shown', () => {
  const lines = blocksIn('console', 'sh')
    .flatMap(({ path, code }) =>
      code
        .replaceAll('\\\n', ' ')
        .split('\n')
        .map((line) => ({ path, line })),
    )
    .map(({ path, line }) => ({ path, line: line.replace(/\s#.*$/, '').replace(/^\$ /, '') }))
    .filter(({ line }) => /^(quai|bun src\/main\.ts) /.test(line))
  expect(lines.length).toBeGreaterThan(15)
  const wrong = lines.filter(({ line }) => !isCommand(line.replace(/^(quai|bun src\/main\.ts) /, '')))
  expect(wrong).toEqual([])
})

test('commands mentioned in sentences exist too', () => {
  const named = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/`quai ([a-z][^`]*)`/g)].map(([, line = '']) => ({ path, line: line.replaceAll('\n', ' ') })),
  )
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(({ line }) => !isCommand(line))).toEqual([])
})

/** Whether a command line starts with a command that this version has, and uses only options of that command. */
function isCommand(line: string): boolean {
  if (line === '--help') return true
  const row = COMMANDS.find(({ words }) => line === words || line.startsWith(`${words} `))
  const flags = new Set((row?.options ?? []).map(([names]) => /--[a-z-]+/.exec(names)?.[0]))
  return row !== undefined && (line.match(/--[a-z-]+/g) ?? []).every((flag) => flags.has(flag))
}

test('scripts exist in package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
  const missing = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\bbun run ([a-z:]+)/g)]
      .map(([, script = '']) => script)
      .filter((script) => !Object.hasOwn(scripts, script))
      .map((script) => `${path}: ${script}`),
  )
  expect(missing).toEqual([])
})

test('settings are valid as shown', () => {
  const env = { OPERATOR_KEY: 'k', SMTP_PASSWORD: 'p', DATABASE_PASSWORD: 'p', S3_KEY: 'k', S3_SECRET: 's' }
  const network = '[[networks]]\nid = "a"\ngtfs = "a.zip"\n'
  const blocks = blocksIn('toml')
  expect(blocks.length).toBeGreaterThan(8)
  for (const [at, { path, code }] of blocks.entries()) {
    const file = join(folder, `${at}.toml`)
    writeFileSync(file, code.startsWith('[[networks.') ? network + code : code)
    expect({ path, code, read: loadConfig({ file, env }).port }).toEqual({ path, code, read: 8080 })
  }
})

test('terms match the glossary', () => {
  const wrong = documents.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => (WRONG_WORDS.test(line) ? [`${path}:${at + 1}: ${line}`] : [])),
  )
  expect(wrong).toEqual([])
})
