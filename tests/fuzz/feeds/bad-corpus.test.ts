// Tests a corpus of faulty feeds: feeds that agencies published, and feeds that were made to test validators. Each feed
// must have the outcome in bad-expectations.ts. Runs only if the corpus exists (see `badFeedsFolder` in whole-feed.ts).
// Fails if a fault is not reported, or if the number of dropped rows is not as expected.
import { describe, expect, test } from 'bun:test'
import { listBadFeeds, readBadFeed } from './bad-corpus.ts'
import { MENDED, REFUSED, UNTOUCHED } from './bad-expectations.ts'
import { badFeedsFolder } from './whole-feed.ts'

/**
 * All layered feeds are made from one base feed. Some rows in the base feed are shorter than their header, so every
 * layered feed reports the rule `invalid_row_length`.
 */
const OF_THE_BASE = /^invalid_row_length /

const folder = badFeedsFolder()

describe.skipIf(folder === undefined)('a faulty feed', () => {
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
      const [lost, ...reported] = MENDED[feed.name] ?? [0]
      if (refusal !== undefined) expect([outcome, ...rules]).toEqual(['refused', refusal])
      else {
        expect([outcome, dropped]).toEqual(['loads', lost])
        expect(rules).toEqual(expect.arrayContaining(reported))
        if (reported.length === 0) expect(rules.filter((rule) => !OF_THE_BASE.test(rule))).toEqual([])
      }
    })
  }
})
