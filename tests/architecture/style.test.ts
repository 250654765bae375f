// Tests the style rules that a machine can check: length limits for files and functions, forbidden words and file
// names, and which files may read the time. Also forbids TODOs without an issue, silenced checks and focused tests.
// Fails with a list of the places that break a rule.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-api'
import { listFunctions } from './functions.ts'
import { nodesOf, PRODUCT, placeOf, SOURCES, toSource } from './sources.ts'

const MAX_FILE_LINES = 400
const MAX_FUNCTION_LINES = 60

/** The only files that may read the time: the clock, the browser pages, and the client package. */
const READS_THE_TIME = /^src\/(system\/clock\.ts$|(console|explorer|pages)\/app\/|client\/package\/)/

test('no file is longer than 400 lines', () => {
  const long = SOURCES.filter((file) => file.lines.length > MAX_FILE_LINES + 1 && !isGenerated(file.text)).map(
    (file) => `${file.path}: ${file.lines.length}`,
  )
  expect(long).toEqual([])
})

/** Whether a file with this text was written by `bun run contracts`. */
function isGenerated(text: string): boolean {
  return text.split('\n', 2)[1]?.startsWith('// Written by `bun run contracts`') === true
}

test('no function is longer than 60 lines', () => {
  const long = PRODUCT.flatMap(listFunctions)
    .filter(({ lineCount }) => lineCount > MAX_FUNCTION_LINES)
    .map(({ place, lineCount }) => `${place} has ${lineCount} lines`)
  expect(long).toEqual([])
})

test('multi-line signatures count as part of a function, and parameters are counted', () => {
  const text = [
    'class Search {',
    '  scan(',
    '    first: number,',
    '    last: number,',
    '  ): number {',
    '    return 1',
    '  }',
    '}',
  ]
  const made = toSource('src/made.ts', [...text, 'const each = (a: number) => {', '  return a', '}'].join('\n'))
  expect(listFunctions(made)).toEqual([
    { place: 'src/made.ts:2 scan', lineCount: 6, parameterCount: 2 },
    { place: 'src/made.ts:9 each', lineCount: 3, parameterCount: 1 },
  ])
})

test('only the clock reads the time', () => {
  const readers = PRODUCT.filter((file) => !READS_THE_TIME.test(file.path)).flatMap((file) =>
    [...nodesOf(file)]
      .filter((node) => ts.isPropertyAccessExpression(node) && node.getText() === 'Date.now')
      .map((node) => placeOf(file, node)),
  )
  expect(readers).toEqual([])
})

/**
 * Matches words that have a plainer replacement, including inside names. The database column `told_life` is an
 * exception.
 */
const WRONG_WORDS =
  /\b(?:told|mourn\w*|haste|goOn|goesOn)\b|[a-z]Told(?![a-z])|(?:^|[^A-Za-z_])Told[A-Z]|_TOLD\b|\bTOLD_/

test('names and comments use plain words', () => {
  const wrong = [...PRODUCT, ...SOURCES.filter(({ room }) => room === 'bench')].flatMap(({ path, lines }) =>
    lines.flatMap((line, at) => (WRONG_WORDS.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  )
  expect(wrong).toEqual([])
})

test('no folder or file has a meaningless name such as utils', () => {
  const names = /(^|\/)(utils?|helpers?|common|misc|lib|stuff)(\/|\.)/
  expect(SOURCES.filter((file) => names.test(file.path)).map((file) => file.path)).toEqual([])
})

test('no TODO lacks an issue, and no test is skipped or focused', () => {
  const marks = [/\b(?:TODO|FIXME)\b(?!.*#\d)/, /@ts-(?:ignore|nocheck)/, /\b(?:test|it|describe)\.only\b/]
  const found = SOURCES.filter((file) => file.path !== 'tests/architecture/style.test.ts').flatMap((file) =>
    file.lines.flatMap((line, index) => (marks.some((mark) => mark.test(line)) ? [`${file.path}:${index + 1}`] : [])),
  )
  expect(found).toEqual([])
})

test('every file starts with a comment about its purpose', () => {
  const silent = SOURCES.filter((file) => !/^(\/\/|\/\*\*|#!)/.test(file.text)).map((file) => file.path)
  expect(silent).toEqual([])
})

/**
 * For each rule with `:is()`, the bundler adds a rule with `:-webkit-any()`. The added rule is more specific, so it
 * overrides later rules.
 */
test('no style sheet uses :is()', () => {
  const product = join(import.meta.dir, '../../src')
  const sheets = readdirSync(product, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.css'))
  expect(sheets.length).toBeGreaterThan(0)
  expect(sheets.filter((path) => readFileSync(join(product, path), 'utf8').includes(':is('))).toEqual([])
})
