// The rules of the house that a machine can hold: which room may import which, how long files and functions may be,
// what no file may be called, and that nothing is dead, focused or left for later without an issue.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const MAX_FILE_LINES = 400
const MAX_FUNCTION_LINES = 60

/** Which rooms a room may import from, itself included. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  loaders: ['loaders'],
  indexes: ['indexes', 'loaders'],
  src: ['src', 'indexes', 'loaders'],
  tests: ['tests', 'bench', 'src', 'indexes', 'loaders'],
  bench: ['bench', 'tests', 'src', 'indexes', 'loaders'],
}

/** Files that start a process of their own, so that nothing imports them. */
const ENTRY_POINTS =
  /^(src\/main\.ts|src\/build\.ts|src\/assets\.d\.ts|src\/(console|explorer)\/app\/main\.tsx|tests\/run\.ts|bench\/.*|tests\/.*)$/

interface SourceFile {
  readonly path: string
  readonly room: string
  readonly lines: readonly string[]
  readonly text: string
  /** Repository paths of the project files it imports. */
  readonly imports: readonly string[]
}

function readSources(): SourceFile[] {
  const files: SourceFile[] = []
  for (const room of Object.keys(MAY_IMPORT)) {
    for (const entry of readdirSync(join(ROOT, room), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue
      const path = relative(ROOT, join(entry.parentPath, entry.name))
      const text = readFileSync(join(ROOT, path), 'utf8')
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((match) =>
        normalize(join(dirname(path), match[1] ?? '')),
      )
      files.push({ path, room, text, lines: text.split('\n'), imports })
    }
  }
  return files
}

const sources = readSources()

test('each room imports only from the rooms below it', () => {
  const wrong = sources.flatMap((file) =>
    file.imports
      .filter((imported) => !MAY_IMPORT[file.room]?.includes(imported.split('/')[0] ?? ''))
      .filter((imported) => !imported.startsWith('package.json'))
      .map((imported) => `${file.path} imports ${imported}`),
  )
  expect(wrong).toEqual([])
})

test('pages for browsers and the service import nothing of each other', () => {
  const sideOf = (path: string) => /^src\/(console|explorer|pages)\/app\//.exec(path)?.[1] ?? 'service'
  const wrong = sources
    .filter((file) => file.room === 'src')
    .flatMap((file) => file.imports.map((imported) => ({ path: file.path, imported })))
    .filter(({ path, imported }) => {
      const [from, to] = [sideOf(path), sideOf(imported)]
      return from !== to && (from === 'service' || to !== 'pages')
    })
    .map(({ path, imported }) => `${path} imports ${imported}`)
  expect(wrong).toEqual([])
})

test('only entry points and tests import the server', () => {
  const allowed = ['src/server/data-thread.ts']
  const wrong = sources
    .filter(
      (file) => file.room === 'src' && file.imports.includes('src/server/server.ts') && !allowed.includes(file.path),
    )
    .map((file) => file.path)
  expect(wrong).toEqual([])
})

test('no file is longer than 400 lines', () => {
  const long = sources
    .filter((file) => file.lines.length > MAX_FILE_LINES + 1)
    .map((file) => `${file.path}: ${file.lines.length}`)
  expect(long).toEqual([])
})

test('no function is longer than 60 lines', () => {
  const long: string[] = []
  for (const file of sources.filter((each) => each.room !== 'tests' && each.room !== 'bench')) {
    for (const { name, first, length } of listFunctions(file)) {
      if (length > MAX_FUNCTION_LINES) long.push(`${file.path}:${first + 1} ${name} has ${length} lines`)
    }
  }
  expect(long).toEqual([])
})

test('no folder or file is named after nothing', () => {
  const names = /(^|\/)(utils?|helpers?|common|misc|lib|stuff)(\/|\.)/
  expect(sources.filter((file) => names.test(file.path)).map((file) => file.path)).toEqual([])
})

test('nothing is dead: every file is imported or starts a process', () => {
  const imported = new Set(sources.flatMap((file) => file.imports))
  const dead = sources
    .filter((file) => !ENTRY_POINTS.test(file.path) && !imported.has(file.path))
    .map((file) => file.path)
  expect(dead).toEqual([])
})

test('nothing is left for later without an issue, silenced or focused', () => {
  const marks = [/\b(?:TODO|FIXME)\b(?!.*#\d)/, /@ts-(?:ignore|nocheck)/, /\b(?:test|it|describe)\.only\b/]
  const found = sources
    .filter((file) => file.path !== 'tests/architecture.test.ts')
    .flatMap((file) =>
      file.lines.flatMap((line, index) => (marks.some((mark) => mark.test(line)) ? [`${file.path}:${index + 1}`] : [])),
    )
  expect(found).toEqual([])
})

test('every file says at its top what it is for', () => {
  const silent = sources.filter((file) => !/^(\/\/|\/\*\*|#!)/.test(file.text)).map((file) => file.path)
  expect(silent).toEqual([])
})

/** The functions of a formatted file: from a line that opens one to the line that closes its block at the same indent. */
function* listFunctions(file: SourceFile): Generator<{ name: string; first: number; length: number }> {
  const opening =
    /^(\s*)(?:export )?(?:async )?(?:function\*? (\w+)|(?:private |public |protected |static |readonly )*(?:async )?\*?(\w+)\([^;]*\)[^;=]*\{$|const (\w+) = (?:async )?\([^;]*=> \{$)/
  for (const [first, line] of file.lines.entries()) {
    const match = opening.exec(line)
    if (match === null || /^\s*(?:if|for|while|switch|catch|return)\b/.test(line)) continue
    const indent = match[1] ?? ''
    const end = file.lines.findIndex(
      (each, index) =>
        index > first &&
        each.startsWith(`${indent}}`) &&
        !each.startsWith(`${indent}})`) &&
        !each.startsWith(`${indent}}:`),
    )
    if (end > 0) yield { name: match[2] ?? match[3] ?? match[4] ?? '', first, length: end - first + 1 }
  }
}
