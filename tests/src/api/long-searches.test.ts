// Tests searches for places over HTTP that take longer than a slice of work. Their responses must equal those of short
// searches, and the service must send a 304 without a search. Also tests an error in a later slice. Fails if such an
// error is not answered and logged like any other.
import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { StopSearch } from '../../../indexes/places/place-search.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { KEY, openApi } from './api-under-test.ts'

/** More than LEAST_FILTERED, so that searches run in slices. */
const NETWORKS = 33
const PATH = '/v1/places?q=gare&limit=5'
/** Longer than a slice. The mocked clock advances by this time at each reading. */
const STEP_MILLIS = 5

const api = await openApi({
  networks: Array.from({ length: NETWORKS }, (_, at) => ({ id: `n${at}`, feed: smallFeed() })),
})
api.app.listen({ port: 0, hostname: '127.0.0.1' })
const base = `http://127.0.0.1:${api.app.server?.port}`
const get = async (headers: Record<string, string> = {}) => {
  const response = await fetch(base + PATH, { headers: { authorization: KEY, ...headers } })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) }
}

let now = 0
beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => (now += STEP_MILLIS))
})
afterEach(() => jest.restoreAllMocks())

test('a long search is answered like a short one, and not run if the client has its result', async () => {
  const later = await get()
  expect(later.status).toBe(200)
  const { data } = later.body
  expect(data.length).toBe(5)
  jest.restoreAllMocks()
  const atOnce = await get()
  expect(atOnce.body.data).toEqual(data)
  const search = jest.spyOn(StopSearch.prototype, 'search')
  const unchanged = await get({ 'if-none-match': later.headers.get('etag') ?? '' })
  expect(unchanged.status).toBe(304)
  expect(search).not.toHaveBeenCalled()
})

test('an error in a later slice returns 500 with the logged request id, and charges nothing', async () => {
  const { search } = StopSearch.prototype
  let count = 0
  jest.spyOn(StopSearch.prototype, 'search').mockImplementation(function (this: StopSearch, ...of) {
    if (++count === 3) throw new Error('secret inside')
    return search.apply(this, of)
  })
  const { units } = api.gate
  const answer = await get()
  expect(answer.status).toBe(500)
  expect(answer.body).toMatchObject({ reason: 'internal_error' })
  expect(answer.text).not.toContain('secret')
  expect(api.logged.at(-1)?.message).toBe('request failed')
  expect(api.logged.at(-1)?.fields['request_id']).toBe(answer.headers.get('x-request-id'))
  expect(api.gate.units).toBe(units)
  expect(api.gate.held).toBe(0)
  jest.restoreAllMocks()
  expect((await get()).status).toBe(200)
})
