// Tests searches that run in slices. Fails if other requests are not answered between slices, or if two searches use
// the working memory at the same time.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import { Networks } from '../../../src/networks/network.ts'
import { findPlaces, findPlacesInSlices } from '../../../src/places/place-hits.ts'
import { isSearching, runAtOnce, runInSlices } from '../../../src/places/sliced-search.ts'
import { SnapshotViews } from '../../../src/rendering/snapshot-view.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { bySize, SEED } from '../../size.ts'
import { openNetwork } from '../api/api-under-test.ts'

const RUNS = bySize({ quick: 200, ci: 500, full: 5_000 })
/** A slice without any time, so that a search pauses after each step. */
const NO_TIME = 0

test('a search that takes longer than its slice pauses after each step, and others run in between', async () => {
  const events: string[] = []
  function* search(): Generator<void, string> {
    for (let step = 0; step < 3; step++) {
      events.push(`step ${step}`)
      yield
    }
    return 'found'
  }
  const found = runInSlices(search(), NO_TIME)
  expect(found).toBeInstanceOf(Promise)
  const tick = () => {
    if (events.length < 6) {
      events.push('other')
      setImmediate(tick)
    }
  }
  setImmediate(tick)
  expect(await found).toBe('found')
  expect(events.slice(0, 5)).toEqual(['step 0', 'step 1', 'other', 'step 2', 'other'])
  expect(runInSlices(search())).toBe('found')
})

test('only one search is unfinished, whether others wait for it or run it to its end', async () => {
  const action = fc.record({
    steps: fc.integer({ min: 0, max: 6 }),
    kind: fc.constantFrom('slices', 'at_once', 'wait'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 8 }), async (actions) => {
      let active: number | undefined
      function* search(number: number, steps: number): Generator<void, number> {
        expect(active).toBeUndefined()
        active = number
        for (let step = 0; step < steps; step++) {
          yield
          expect(active).toBe(number)
        }
        active = undefined
        return number
      }
      const found: (number | Promise<number>)[] = []
      for (const [number, { steps, kind }] of actions.entries()) {
        if (kind === 'wait') await new Promise((resolve) => setImmediate(resolve))
        else if (kind === 'slices') found.push(runInSlices(search(number, steps), NO_TIME))
        else found.push(runAtOnce(search(number, steps)))
      }
      const numbers = actions.flatMap(({ kind }, number) => (kind === 'wait' ? [] : [number]))
      expect(await Promise.all(found)).toEqual(numbers)
    }),
    { numRuns: RUNS, seed: SEED },
  )
})

test('searches wait in the order of their requests; one that cannot wait runs the unfinished one to its end', async () => {
  const ended: string[] = []
  function* search(name: string): Generator<void, string> {
    for (let step = 0; step < 4; step++) yield
    ended.push(name)
    return name
  }
  const found = ['a', 'b', 'c'].map((name) => runInSlices(search(name), NO_TIME))
  expect(isSearching()).toBe(true)
  expect(runAtOnce(search('now'))).toBe('now')
  expect(ended).toEqual(['a', 'now'])
  expect(await Promise.all(found)).toEqual(['a', 'b', 'c'])
  expect(ended).toEqual(['a', 'now', 'b', 'c'])
  expect(isSearching()).toBe(false)
})

test('an error ends only its own search', async () => {
  function* broken(): Generator<void, string> {
    yield
    throw new Error('broken')
  }
  function* sound(): Generator<void, string> {
    yield
    return 'found'
  }
  const first = runInSlices(broken(), NO_TIME)
  const second = runInSlices(sound(), NO_TIME)
  expect(await Promise.resolve(first).catch((error: Error) => error.message)).toBe('broken')
  expect(await second).toBe('found')
  expect(isSearching()).toBe(false)
  expect(runAtOnce(sound())).toBe('found')
})

test('searches of 40 networks in slices find the same places as searches at once', async () => {
  const list = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      openNetwork({
        id: `n${at}`,
        feed: smallFeed({
          'stops.txt': `
            stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
            S,Place de la Paix ${at % 5},48.5800,7.7500,1,
            CA,Place de la Paix ${at % 5},48.5801,7.7501,0,S
            CB,Place de la Paix ${at % 5},48.5799,7.7499,0,S
            G,Gare ${'abcdefgh'[at % 8]},48.5850,7.7350,0,
            P,Rue ${at} du Port,48.5750,7.7700,0,
            T,Stade ${at},48.5900,7.7600,0,
          `,
        }),
      }),
    ),
  )
  const views = new SnapshotViews(new Networks(list), 1_000_000).select(undefined)
  if (!Array.isArray(views)) throw new Error('all networks are ready')
  const texts = ['gare', 'place de la p', 'rue 7', 'gare b', 'paix port', 'prot', 'du', 'la paix 3', 'x']
  const searches = texts.map((text) => ({
    query: parseQuery(text),
    near: undefined,
    limit: 10,
    views,
    isAll: true,
    addresses: undefined,
    counts: undefined,
  }))
  const atOnce = searches.map(findPlaces)
  const inSlices = searches.map((search) => findPlacesInSlices(search, NO_TIME))
  expect(inSlices.some((found) => found instanceof Promise)).toBe(true)
  expect(await Promise.all(inSlices)).toEqual(atOnce)
  expect(atOnce.flat().length).toBeGreaterThan(texts.length)
})
