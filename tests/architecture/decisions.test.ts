// Tests that decisions are short and complete, and that they are all in one folder. Fails if a decision is too long or
// lacks one of its four parts, if a decision file is not listed in the folder's README, or if the README of a code
// folder contains decisions.
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dir, '..', '..')
const FOLDER = join(ROOT, 'src/docs/decisions')
const LONGEST_LINES = 10
const PARTS = ['Question', 'Choice', 'Alternatives', 'Consequences']

const files = readdirSync(FOLDER).filter((name) => name !== 'README.md')
const index = readFileSync(join(FOLDER, 'README.md'), 'utf8')

test('each file has a date and an area in its name, and is listed once', () => {
  expect(files.filter((name) => !/^20\d\d-\d\d-\d\d-[a-z-]+\.md$/.test(name))).toEqual([])
  const listed = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, name = '']) => name)
  expect(listed.toSorted()).toEqual(files.toSorted())
})

test('each decision has its four parts in at most ten lines', () => {
  const wrong = files.flatMap((name) => {
    const [, ...decisions] = readFileSync(join(FOLDER, name), 'utf8').split(/^## /m)
    return decisions.flatMap((text) => {
      const lines = text.split('\n').filter((line) => line !== '')
      const parts = lines.flatMap((line) => /^- (\w+): /.exec(line)?.[1] ?? [])
      const isRight = lines.length <= LONGEST_LINES && Bun.deepEquals(parts, PARTS)
      return isRight ? [] : [`${name}: ${lines[0]} (${lines.length} lines, ${parts.join(', ')})`]
    })
  })
  expect(wrong).toEqual([])
})

test('folders link to the decisions instead of keeping their own', () => {
  for (const folder of ['src', 'indexes', 'loaders']) {
    const text = readFileSync(join(ROOT, folder, 'README.md'), 'utf8')
    expect(text).not.toMatch(/^#+ Decisions/m)
    const link = /\]\(([^)]*decisions\/README\.md)\)/.exec(text)?.[1] ?? ''
    expect(existsSync(join(ROOT, folder, link)) && dirname(link) !== '.').toBe(true)
  }
})
