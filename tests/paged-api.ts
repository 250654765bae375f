// Opens the API for tests of journey pages, with and without its upper bound on `limit`.
import type { FeedSource } from '../loaders/gtfs/feed.ts'
import { JourneyPlanning } from '../src/journeys/journey-planning.ts'
import { SnapshotViews } from '../src/rendering/snapshot-view.ts'
import type { PagesGround, ReceivedPage } from './checked-pages.ts'
import { openApi } from './src/api/api-under-test.ts'

const PLAN_MILLIS = 60_000
const LONG = 10_000

/** Opens the API with one feed. */
export async function openPages(
  slug: string,
  feed: FeedSource,
): Promise<Pick<PagesGround, 'ask' | 'askLong' | 'slug'>> {
  let planning: JourneyPlanning | undefined
  let isLong = false
  const api = await openApi({
    networks: [{ id: slug, feed }],
    planners: {
      plan: async (_key, question) => {
        if (planning === undefined) throw new Error('the API is not open yet')
        return planning.answer(isLong ? { ...question, limit: LONG } : question, PLAN_MILLIS)
      },
    },
  })
  planning = new JourneyPlanning(new SnapshotViews(api.networks, 0))
  const ask = async (query: string): Promise<ReceivedPage> => {
    const { status, body, text } = await api.get(`/v1/journeys?${query}`)
    if (status !== 200) throw new Error(`${query}: ${text}`)
    return body
  }
  const askLong = async (query: string): Promise<ReceivedPage> => {
    isLong = true
    try {
      return await ask(query)
    } finally {
      isLong = false
    }
  }
  return { ask, askLong, slug }
}
