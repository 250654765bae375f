// Tests journey cursors as clients see them: what may change from page to page, what may not, and the error for a
// damaged cursor.
import { expect, test } from 'bun:test'
import { journeyLines, openJourneys } from './journey-lines.ts'

const TRIPS = Object.fromEntries(
  Array.from({ length: 8 }, (_, at) => [
    `red-${at}`,
    `A ${`${8 + at}`.padStart(2, '0')}:00, B ${`${8 + at}`.padStart(2, '0')}:20`,
  ]),
)
const MORNING = 'when=2026-06-10T09:30:00%2B02:00'
const open = () => openJourneys({ stops: { A: 0, B: 5000 }, trips: TRIPS })

async function opened() {
  const { ask } = await open()
  const page = async (more: string) => {
    const answer = await ask('A', 'B', more)
    expect(answer.status).toBe(200)
    return { lines: journeyLines(answer).flat(), meta: answer.body.meta, headers: answer.headers }
  }
  return { ask, page }
}

const tripsOf = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0])

test('next_cursor continues after the last journey, previous_cursor before the first; limit may change', async () => {
  const { page } = await opened()
  const first = await page(`${MORNING}&limit=2`)
  expect(tripsOf(first.lines)).toEqual(['red-2', 'red-3'])
  expect(first.meta.units).toBe(5)
  expect(first.headers.get('link')).toContain(`cursor=${first.meta.next_cursor}`)
  const second = await page(`limit=3&cursor=${first.meta.next_cursor}`)
  expect(tripsOf(second.lines)).toEqual(['red-4', 'red-5', 'red-6'])
  const back = await page(`limit=2&${MORNING}&cursor=${second.meta.previous_cursor}`)
  expect(tripsOf(back.lines)).toEqual(['red-2', 'red-3'])
  const before = await page(`limit=1&cursor=${back.meta.previous_cursor}`)
  expect(tripsOf(before.lines)).toEqual(['red-1'])
  const again = await page(`limit=6&cursor=${before.meta.next_cursor}`)
  expect(tripsOf(again.lines)[0]).toBe('red-2')
})

test('pages continue past midnight, and past days without service, to the end of the calendar', async () => {
  const { page } = await opened()
  let at = await page(`when=2026-12-30T12:30:00%2B01:00&limit=3`)
  const found = [...tripsOf(at.lines)]
  while (at.meta.next_cursor !== null) {
    at = await page(`limit=3&cursor=${at.meta.next_cursor}`)
    expect(at.lines).not.toEqual([])
    found.push(...tripsOf(at.lines))
  }
  expect(found.map((trip) => trip?.replace(/.*:/, ''))).toHaveLength(3 + 8)
})

test('arrive_by goes in the other direction', async () => {
  const { page } = await opened()
  const by = 'arrive_by=2026-06-10T12:30:00%2B02:00'
  const first = await page(`${by}&limit=2`)
  expect(tripsOf(first.lines)).toEqual(['red-4', 'red-3'])
  expect(tripsOf((await page(`limit=2&cursor=${first.meta.next_cursor}`)).lines)).toEqual(['red-2', 'red-1'])
  expect(tripsOf((await page(`limit=2&${by}&cursor=${first.meta.previous_cursor}`)).lines)).toEqual(['red-6', 'red-5'])
})

test('walking all the way is on the first page only', async () => {
  // A bus leaves every ten minutes and takes three minutes. Walking takes 25 minutes.
  const buses = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`x-${at}`, `A 08:${at}0, B 08:${at}3`]))
  const { ask } = await openJourneys({ stops: { A: 0, B: 1400 }, trips: buses })
  const pagesOf = async (limit: number) => {
    const pages: string[][] = []
    let more = `when=2026-06-10T08:00:00%2B02:00&max_walk=2500&limit=${limit}`
    for (let page = 0; page < 4; page++) {
      const answer = await ask('A', 'B', more)
      pages.push(journeyLines(answer).map(([line = '']) => line.split(' ')[0] ?? ''))
      more = `max_walk=2500&limit=${limit}&cursor=${answer.body.meta.next_cursor}`
    }
    return pages.flat()
  }
  expect((await pagesOf(4)).slice(0, 7)).toEqual(['x-0', 'x-1', 'x-2', 'walk', 'x-3', 'x-4', 'x-5'])
  expect((await pagesOf(2)).slice(0, 6)).toEqual(['x-0', 'x-1', 'x-2', 'x-3', 'x-4', 'x-5'])
})

test('no link leads to a page without journeys, even from the first page', async () => {
  // Three buses on a single day of the year. Another line runs every day, but elsewhere.
  const { ask } = await openJourneys({
    stops: { A: 0, B: 5000, C: 50_000, D: 60_000 },
    trips: {
      'x-0': 'A 08:00, B 08:20',
      'x-1': 'A 09:00, B 09:20',
      'x-2': 'A 10:00, B 10:20',
      'y-0': 'C 08:00, D 08:20',
    },
    files: {
      'calendar_dates.txt': 'service_id,date,exception_type\nmarket,20260610,1',
      'trips.txt': 'route_id,service_id,trip_id\nx,market,x-0\nx,market,x-1\nx,market,x-2\ny,daily,y-0',
    },
  })
  const linksOf = async (from: string, to: string, more: string) => {
    const { body } = await ask(from, to, more)
    const { previous_cursor, next_cursor } = body.meta
    return [body.data.length, previous_cursor !== null, next_cursor !== null]
  }
  for (const moment of ['when=2026-06-10T07:00:00%2B02:00', 'arrive_by=2026-06-10T11:00:00%2B02:00']) {
    for (const limit of [3, 4]) expect(await linksOf('A', 'B', `${moment}&limit=${limit}`)).toEqual([3, false, false])
    expect(await linksOf('A', 'B', `${moment}&limit=2`)).toEqual([2, false, true])
    const { meta } = (await ask('A', 'B', `${moment}&limit=2`)).body
    expect(await linksOf('A', 'B', `limit=2&cursor=${meta.next_cursor}`)).toEqual([1, true, false])
    expect(await linksOf('A', 'B', `limit=1&cursor=${meta.next_cursor}`)).toEqual([1, true, false])
    expect(await linksOf('C', 'D', `${moment}&limit=3`)).toEqual([1, true, true])
  }
})

test('a query without results has no other pages', async () => {
  const { ask } = await openJourneys({ stops: { A: 0, B: 5000, C: 50_000 }, trips: TRIPS })
  const { meta } = (await ask('A', 'C', MORNING)).body
  expect([meta.previous_cursor, meta.next_cursor]).toEqual([null, null])
})

test('another filter, another time and a damaged cursor are rejected, each with its own reason', async () => {
  const { ask, page } = await opened()
  const { meta } = await page(`${MORNING}&limit=2`)
  const cursor: string = meta.next_cursor
  const swapped = `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`
  const forged = (change: (content: { key: number[]; id: string }) => void) => {
    const content = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    change(content)
    return Buffer.from(JSON.stringify(content)).toString('base64url')
  }
  const refused: readonly (readonly [more: string, param: string, word: string])[] = [
    [`cursor=${cursor}&max_walk=900`, 'cursor', 'different filters'],
    [`cursor=${cursor}&modes=bus`, 'cursor', 'different filters'],
    [`cursor=${cursor}&when=2026-06-10T09:31:00%2B02:00`, 'when', 'first page'],
    [`cursor=${cursor}&when=now`, 'when', 'first page'],
    [`cursor=${cursor}&arrive_by=true`, 'arrive_by', 'first page'],
    [`cursor=${cursor}&arrive_by=2026-06-10T09:30:00%2B02:00`, 'arrive_by', 'first page'],
    [`cursor=${swapped}`, 'cursor', 'cursor'],
    [`cursor=nonsense`, 'cursor', 'does not come from this route'],
    [`cursor=${forged(({ key }) => key.splice(0, 1, 1e300))}`, 'cursor', 'damaged'],
    [`cursor=${forged(({ key }) => key.splice(5, 1, -4))}`, 'cursor', 'damaged'],
    [`cursor=${forged(({ key }) => key.splice(0, 1, key[0] ?? 0 + 60))}`.replace(/$/, 'x'), 'cursor', 'cursor'],
    [`cursor=${forged((content) => Object.assign(content, { id: '' }))}`, 'cursor', 'damaged'],
  ]
  for (const [more, param, word] of refused) {
    const { status, body } = await ask('A', 'B', more)
    expect({ more, reported: [status, body.reason, body.param] }).toEqual({
      more,
      reported: [400, 'transit_query_invalid', param],
    })
    expect(body.detail).toContain(word)
  }
})
