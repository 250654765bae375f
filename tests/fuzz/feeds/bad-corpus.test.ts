// Feeds with faults, as they were published or made to test validators: each ends as an operator would want, by a list of
// expectations. Runs where real feeds are given; it fails where a fault passes unsaid or costs more than it must.
import { describe, expect, test } from 'bun:test'
import { listBadFeeds, readBadFeed } from './bad-corpus.ts'
import { MENDED, REFUSED, UNTOUCHED } from './bad-expectations.ts'
import { badFeedsFolder } from './whole-feed.ts'

/** The layers' base has rows shorter than their header, and so has each feed made of it. */
const OF_THE_BASE = /^invalid_row_length /

const folder = badFeedsFolder()

describe.skipIf(folder === undefined)('a feed with faults', () => {
  const feeds = folder === undefined ? [] : listBadFeeds(folder)

  test('has an expectation', () => {
    const known = [...Object.keys(REFUSED), ...Object.keys(MENDED), ...UNTOUCHED]
    expect(feeds.map(({ name }) => name).sort()).toEqual(known.sort())
  })

  for (const feed of feeds) {
    test(feed.name, async () => {
      const { outcome, rules, dropped, faults } = await readBadFeed(feed)
      expect(faults).toEqual([])
      const refusal = REFUSED[feed.name]
      const [lost, ...told] = MENDED[feed.name] ?? [0]
      if (refusal !== undefined) expect([outcome, ...rules]).toEqual(['refused', refusal])
      else {
        expect([outcome, dropped]).toEqual(['loads', lost])
        expect(rules).toEqual(expect.arrayContaining(told))
        if (told.length === 0) expect(rules.filter((rule) => !OF_THE_BASE.test(rule))).toEqual([])
      }
    })
  }
})
