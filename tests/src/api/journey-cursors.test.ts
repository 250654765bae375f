// Cursors of journeys as a client meets them: what may change from page to page, what may not, and what a damaged one gets.
import { expect, test } from 'bun:test'
import { journeyLines, openJourneys } from './asked-journeys.ts'

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

test('next_cursor goes on behind the last journey, previous_cursor before the first; limit may change', async () => {
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

test('pages go on over midnight, and over days without service, to the end of the calendar', async () => {
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

test('arrive_by goes the other way', async () => {
  const { page } = await opened()
  const by = 'arrive_by=2026-06-10T12:30:00%2B02:00'
  const first = await page(`${by}&limit=2`)
  expect(tripsOf(first.lines)).toEqual(['red-4', 'red-3'])
  expect(tripsOf((await page(`limit=2&cursor=${first.meta.next_cursor}`)).lines)).toEqual(['red-2', 'red-1'])
  expect(tripsOf((await page(`limit=2&${by}&cursor=${first.meta.previous_cursor}`)).lines)).toEqual(['red-6', 'red-5'])
})

test('a question that nothing answers has no pages beside it', async () => {
  const { ask } = await openJourneys({ stops: { A: 0, B: 5000, C: 50_000 }, trips: TRIPS })
  const { meta } = (await ask('A', 'C', MORNING)).body
  expect([meta.previous_cursor, meta.next_cursor]).toEqual([null, null])
})

test('another filter, another moment and a damaged cursor are refused, and told apart', async () => {
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
    [`cursor=${cursor}&max_walk=900`, 'cursor', 'other filters'],
    [`cursor=${cursor}&modes=bus`, 'cursor', 'other filters'],
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
    expect({ more, told: [status, body.reason, body.param] }).toEqual({
      more,
      told: [400, 'transit_query_invalid', param],
    })
    expect(body.detail).toContain(word)
  }
})
