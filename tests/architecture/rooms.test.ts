// Checks which rooms (top-level folders of the repository) import from which. Fails if a room imports from a room that
// `MAY_IMPORT` does not allow, if the imports between folders form a cycle, or if a file is neither imported nor an
// entry point.
import { expect, test } from 'bun:test'
import { findFolderCycles } from './folder-cycles.ts'
import { PRODUCT, SOURCES, toSource } from './sources.ts'

const MAX_FILES_IN_SRC = 12

/** Room → the rooms from which it may import, including itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  loaders: ['loaders'],
  indexes: ['indexes', 'loaders'],
  src: ['src', 'indexes', 'loaders'],
  tests: ['tests', 'bench', 'src', 'indexes', 'loaders'],
  bench: ['bench', 'tests', 'src', 'indexes', 'loaders'],
}

/**
 * Files that need not be imported: the entry points of processes and pages, type declarations, and everything in tests/
 * and bench/.
 */
const ENTRY_POINTS =
  /^(src\/main\.ts|src\/build\.ts|src\/release\.ts|src\/assets\.d\.ts|src\/(console|explorer)\/app\/main\.tsx|src\/client\/package\/main\.ts|tests\/run\.ts|bench\/.*|tests\/.*)$/

test('each room imports only from the rooms below it', () => {
  const wrong = SOURCES.flatMap((file) =>
    file.imports
      .filter((imported) => !MAY_IMPORT[file.room]?.includes(imported.split('/')[0] ?? ''))
      .filter((imported) => !imported.startsWith('package.json'))
      .map((imported) => `${file.path} imports ${imported}`),
  )
  expect(wrong).toEqual([])
})

test('folders do not form import cycles', () => {
  expect(findFolderCycles(PRODUCT)).toEqual([])
})

test('folder cycles are found, even through type imports; a subfolder that only its parent imports counts as part of it', () => {
  const apart = [
    toSource('src/a/one.ts', "import { two } from '../b/two.ts'\nimport { part } from './parts/part.ts'"),
    toSource('src/a/parts/part.ts', "import type { Whole } from '../whole.ts'"),
    toSource('src/a/whole.ts', ''),
    toSource('src/b/two.ts', ''),
    toSource('src/c/three.ts', "import { one } from '../a/one.ts'"),
  ]
  expect(findFolderCycles(apart)).toEqual([])
  const closed = [...apart, toSource('src/b/closing.ts', "import type { Three } from '../c/three.ts'")]
  expect(findFolderCycles(closed)).toEqual([['src/a', 'src/b', 'src/c']])
  const partTaken = [...apart, toSource('src/b/taking.ts', "import { part } from '../a/parts/part.ts'")]
  expect(findFolderCycles(partTaken)).toEqual([['src/a', 'src/a/parts', 'src/b']])
})

test('src itself holds only entry points: at most 12 files, which no room imports', () => {
  const loose = PRODUCT.map((file) => file.path).filter((path) => /^src\/[^/]+$/.test(path))
  expect(loose.length).toBeLessThanOrEqual(MAX_FILES_IN_SRC)
  const wrong = PRODUCT.filter((file) => !loose.includes(file.path)).flatMap((file) =>
    file.imports.filter((imported) => loose.includes(imported)).map((imported) => `${file.path} imports ${imported}`),
  )
  expect(wrong).toEqual([])
})

test('browser pages, the client and the service do not import each other', () => {
  const sideOf = (path: string) =>
    /^src\/(?:(console|explorer|pages)\/app|(client)\/package)\//
      .exec(path)
      ?.slice(1)
      .find((side) => side !== undefined) ?? 'service'
  const wrong = SOURCES.filter((file) => file.room === 'src')
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
  const wrong = SOURCES.filter(
    (file) => file.room === 'src' && file.imports.includes('src/server/server.ts') && !allowed.includes(file.path),
  ).map((file) => file.path)
  expect(wrong).toEqual([])
})

test('there is no dead code: every file is imported or starts a process', () => {
  const imported = new Set(SOURCES.flatMap((file) => file.imports))
  const dead = SOURCES.filter((file) => !ENTRY_POINTS.test(file.path) && !imported.has(file.path)).map(
    (file) => file.path,
  )
  expect(dead).toEqual([])
})
