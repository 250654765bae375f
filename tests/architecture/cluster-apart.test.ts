// A single service loads nothing from src/cluster, src/fleet-live and src/fleet-snapshots: other folders only import
// their types, and load their code on demand. Fails at the first import that a single service would follow.
import { expect, test } from 'bun:test'
import { PRODUCT } from './sources.ts'

/** An import of a file in one of these folders, from its keyword on. */
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
