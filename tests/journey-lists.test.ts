// Compares the lists that the API returns for small generated networks with the list oracle
// (tests/oracles/journey-list.ts), in both directions and with limits of 3 and 6. Fails if a good journey is missing
// although no rule excludes it, if a list has a journey that a rule excludes, or if the list of three is not the start
// of the list of six.
import { expect, test } from 'bun:test'
import { diceOf } from './board-questions.ts'
import { checkLists, type ListsVerdict } from './checked-lists.ts'
import { textFeed } from './feeds/text-feed.ts'
import { madeLines } from './made-lines.ts'
import { readJourneyOracle } from './oracles/journey-oracle.ts'
import { bySize, SEED } from './size.ts'
import { openApi } from './src/api/api-under-test.ts'
import { journeyFeed } from './src/api/journey-lines.ts'

const FEEDS = bySize({ quick: 12, ci: 30, full: 400 })
const QUESTIONS = 12

test(
  `lists of generated networks follow the rules (seed ${SEED})`,
  async () => {
    const dice = diceOf(SEED)
    const all: ListsVerdict[] = []
    for (let feed = 0; feed < FEEDS; feed++) {
      const files = journeyFeed(madeLines(dice))
      const api = await openApi({ networks: [{ id: 'ville', feed: textFeed(files) }] })
      const ask = async (query: string) => (await api.get(`/v1/journeys?${query}`)).body
      all.push(await checkLists({ oracle: await readJourneyOracle(files), ask, slug: 'ville' }, dice, QUESTIONS))
    }
    expect(all.flatMap(({ faults }) => faults)).toEqual([])
    const reasons = new Set(all.flatMap(({ reasons: of }) => [...of.keys()]))
    for (const reason of ['same', 'long', 'changes', 'night', 'limit'] as const) {
      expect({ reason, isSeen: reasons.has(reason) }).toEqual({ reason, isSeen: true })
    }
  },
  bySize({ quick: 120_000, ci: 300_000, full: 1_800_000 }),
)
