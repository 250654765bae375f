// Tests that a service without a cluster loads no code from src/cluster, src/fleet-live or src/fleet-snapshots. Fails
// if another folder imports code from these folders directly. Other folders may import types from them, or load their
// code on demand.
import { expect, test } from 'bun:test'
import { PRODUCT } from './sources.ts'

/** Matches an import from one of the three folders, starting at the keyword `import` or `export`. */
const IMPORT =
  /(import(?: type)?|export)\b([^'"]*?)(?:from\s*)?\(?\s*'(\.{1,2}\/(?:[^']*\/)?(?:cluster|fleet-live|fleet-snapshots)\/[^']+)'/g

test('other rooms import cluster code only on demand', () => {
  const found = PRODUCT.filter(({ path }) => !/^src\/(cluster|fleet-live|fleet-snapshots)\//.test(path)).flatMap(
    ({ path, text }) => [...text.matchAll(IMPORT)].map(([whole, word]) => ({ path, whole, word })),
  )
  const isOnDemand = (whole: string) => /import\s*\(/.test(whole)
  const wrong = found.filter(({ word, whole }) => word !== 'import type' && !isOnDemand(whole))
  expect(wrong).toEqual([])
  expect(found.filter(({ whole }) => isOnDemand(whole)).length).toBeGreaterThanOrEqual(3)
})
