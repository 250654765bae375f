// Tests the filter that selects the networks to search, while networks are added, removed and replaced. Fails if it
// leaves out a network that has the words of a query, or returns a network that is not in the list.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BoundQuery } from '../../../indexes/places/bound-query.ts'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import { buildWordBounds } from '../../../indexes/places/word-bounds.ts'
import { ServedFilter } from '../../../src/places/served-filter.ts'
import type { SnapshotView } from '../../../src/rendering/snapshot-view.ts'
import { allSteps } from '../../indexes/places/all-steps.ts'
import { placesOf } from '../../indexes/places/random-networks.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = bySize({ quick: 100, ci: 300, full: 3_000 })
const WORDS = ['gare', 'port', 'college', 'weir', 'north']

/** A view of a network with one stop, whose name is `word`. To the filter, the view is only an identity. */
interface OneStop {
  readonly view: SnapshotView
  readonly word: string
}

test('after every change of the list, the filter returns the networks of the list that have the word', () => {
  const change = fc.record({
    removed: fc.array(fc.nat(), { maxLength: 4 }),
    added: fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }),
    returns: fc.boolean(),
  })
  const boundsOfWord = new Map(
    WORDS.map((word) => {
      const place = { name: word, importance: 9, town: 4, lat: 0, lon: 0 }
      return [word, buildWordBounds(placesOf({ places: [place], codes: [], middle: [48, 2] }))]
    }),
  )
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 10 }), (changes) => {
      const wordOf = new Map<SnapshotView, string>()
      let read = 0
      const filter = new ServedFilter((view) => {
        read++
        return boundsOfWord.get(wordOf.get(view) ?? '') ?? raise()
      })
      let list: OneStop[] = []
      let gone: OneStop[] = []
      for (const { removed, added, returns } of changes) {
        const back = returns ? gone : []
        gone = []
        for (const at of removed) if (list.length > 0) gone.push(...list.splice(at % list.length, 1))
        list = [...back, ...list, ...added.map((word) => newStop(word, wordOf))]
        const views = list.map(({ view }) => view)
        const finder = allSteps(filter.finderOf(views))
        for (const word of WORDS) {
          const query = new BoundQuery(parseQuery(word), { near: undefined })
          const found = finder.find(query.needed(false), query.codeHash).sort((a, b) => a - b)
          expect(found).toEqual(list.flatMap((stop, at) => (stop.word === word ? [at] : [])))
        }
        const before = read
        expect(allSteps(filter.finderOf(views))).toBe(finder)
        expect(read).toBe(before)
      }
    }),
    { numRuns: RUNS, seed: SEED },
  )
})

function newStop(word: string, wordOf: Map<SnapshotView, string>): OneStop {
  const view = { slug: word } as SnapshotView
  wordOf.set(view, word)
  return { view, word }
}

function raise(): never {
  throw new Error('every view has a word')
}
