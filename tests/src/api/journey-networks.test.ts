// Tests journeys when there are several networks: which network is used, and which units are charged and released.
// Fails if a journey uses the wrong network, or if units are charged for an error.
import { describe, expect, test } from 'bun:test'
import { Problem } from '../../../src/http/problem.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { openApi } from './api-under-test.ts'

const [G, P, T] = ['ville:stop:G', 'ville:stop:P', 'ville:stop:T'] as const

describe('networks', () => {
  const half = smallFeed({
    'stops.txt': `
      stop_id,stop_name,stop_lat,stop_lon
      CA,Centre,48.5801,7.7501
      CB,Centre bis,48.5799,7.7499
      G,Gare,48.5850,7.7350
      P,Port,48.5845,7.7360
      T,Stade,48.5840,7.7450`,
  })
  const far = smallFeed({
    'stops.txt': `
      stop_id,stop_name,stop_lat,stop_lon
      CA,Loin,43.5801,7.7501
      CB,Loin bis,43.5799,7.7499
      G,Lointaine,43.5850,7.7350
      P,Porto,43.5750,7.7700
      T,Stadio,43.5900,7.7600`,
  })
  const many = openApi({
    networks: [
      { id: 'ville', feed: smallFeed() },
      { id: 'half', feed: half },
      { id: 'far', feed: far },
      { id: 'late' },
    ],
  })
  const askMany = async (from: string, to: string, more = '') =>
    (await many).get(`/v1/journeys?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}&${more}`)

  test('the smallest with both ends, or the requested one', async () => {
    const [from, to] = ['48.585,7.735', '48.58,7.75']
    expect((await askMany(from, to)).body.meta.network).toBe('half')
    expect((await askMany(from, to, 'network=ville')).body.meta.network).toBe('ville')
    expect((await askMany(from, to, 'network=ville')).body.data[0].source).toBe('ville')
    // The smaller network does not reach Port du Rhin.
    expect((await askMany(from, '48.575,7.77')).body.meta.network).toBe('ville')
    expect((await askMany(G, to)).body.meta.network).toBe('ville')
    expect((await askMany('half:stop:G', to)).body.meta.network).toBe('half')
  })

  test('without a common one, the location is invalid', async () => {
    for (const [from, to, more] of [
      [G, 'far:stop:P', ''],
      [G, 'half:stop:G', ''],
      ['48.58,7.75', '43.58,7.75', ''],
      [G, P, 'network=far'],
    ] as const) {
      const { status, body } = await askMany(from, to, more)
      expect({ from, to, status, reason: body.reason }).toEqual({ from, to, status: 400, reason: 'invalid_location' })
    }
    expect((await askMany(G, 'far:stop:P')).body.detail).toContain('are in different networks')
  })

  test('words are searched in the other end’s networks', async () => {
    const networkOf = async (from: string, to: string) => (await askMany(from, to)).body.meta?.network
    expect(await networkOf('ville:stop:T', 'gare')).toBe('ville')
    expect(await networkOf('half:stop:T', 'gare')).toBe('half')
    // The network `half` has a stop with exactly this name, and `far` has one called Porto. `far` is used because the
    // other end of the journey is in `far`.
    expect(await networkOf('far:stop:G', 'port')).toBe('far')
    expect(await networkOf('port', 'far:stop:G')).toBe('far')
    expect(await networkOf('43.59,7.76', 'port')).toBe('far')
  })

  test('words at both ends are the places that fit together best', async () => {
    const loin = await askMany('lointaine', 'port')
    expect([loin.body.meta.network, loin.body.data[0].sections.at(-1).to_place.name]).toEqual(['far', 'Porto'])
    const ville = await askMany('port du rhin', 'centre')
    expect(ville.body.meta.network).toBe('ville')
  })

  test('without a common network, the response says how the words were understood', async () => {
    for (const [from, to] of [
      ['far:stop:G', 'port du rhin gare'],
      ['far:stop:G', 'gare'],
    ] as const) {
      const { status, body } = await askMany(from, to)
      expect([status, body.reason]).toEqual([400, 'invalid_location'])
    }
    const { body } = await askMany('far:stop:G', 'gare')
    expect(body.detail).toContain('"from" matches "Lointaine" in far')
    expect(body.detail).toMatch(/"to" matches "Gare" in (ville|half)/)
    const nothing = await askMany('far:stop:G', 'zzzz')
    expect([nothing.body.reason, nothing.body.param]).toEqual(['invalid_location', 'to'])
  })

  test('an id of another kind is an invalid location, never words', async () => {
    for (const id of ['ville:line:A', 'ville:vehicle:1', 'half:alert:gare', 'nowhere:line:gare']) {
      for (const [from, to, param] of [
        [id, P, 'from'],
        [P, id, 'to'],
      ] as const) {
        const { status, body } = await askMany(from, to)
        expect({ id, status, reason: body.reason, param: body.param }).toEqual({
          id,
          status: 400,
          reason: 'invalid_location',
          param,
        })
        expect(body.detail).toContain('id of a')
      }
    }
  })

  test('swapped coordinates get a hint', async () => {
    expect((await askMany('7.735,48.585', P)).body.detail).toContain('swap them')
    expect((await askMany(P, '7.735,48.585')).body.detail).toContain('swap them')
    expect((await askMany(P, '17.735,48.585')).body.detail).not.toContain('swap them')
  })

  test('an unknown one is not found, and one without data is not ready', async () => {
    const unknown = await askMany(G, P, 'network=nowhere')
    expect([unknown.status, unknown.body.reason]).toEqual([404, 'not_found'])
    for (const answer of [await askMany(G, P, 'network=late'), await askMany('late:stop:G', P)]) {
      expect([answer.status, answer.body.reason]).toEqual([503, 'not_ready'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  test('each has its planner', async () => {
    const { body } = await (await many).get('/v1/networks')
    const words = body.data.map((each: { capabilities: { journeys: string } }) => each.capabilities.journeys)
    expect(new Set(words)).toEqual(new Set(['service']))
  })
})

describe('words', () => {
  const stops = (rows: string) => smallFeed({ 'stops.txt': `stop_id,stop_name,stop_lat,stop_lon${rows}` })
  // CB is the town hall near G, and P is the town hall near T. The network `annex` is smaller and has the same stops,
  // but with longer names.
  const api = openApi({
    networks: [
      {
        id: 'ville',
        feed: stops(`
          CA,Centre,48.600,7.60
          CB,Mairie,48.600,7.61
          G,Gare,48.605,7.61
          P,Mairie,48.600,7.90
          T,Stade,48.605,7.90`),
      },
      {
        id: 'annex',
        feed: stops(`
          CA,Centre bis,48.600,7.60
          CB,Mairie annexe,48.600,7.61
          G,Gare annexe,48.605,7.61
          P,Port annexe,48.605,7.62
          T,Stade annexe,48.606,7.62`),
      },
    ],
  })
  const endsOf = async (from: string, to: string) => {
    const when = encodeURIComponent('2026-06-10T05:00:00+02:00')
    const { body } = await (await api).get(`/v1/journeys?from=${from}&to=${to}&when=${when}&max_walk=2500`)
    const [first] = body.data
    const [start, end] = [first?.sections[0].from_place, first?.sections.at(-1).to_place]
    return [body.meta?.network, start?.stop_id, end?.stop_id]
  }

  test('are the place with that name near the other end', async () => {
    expect(await endsOf('ville:stop:G', 'mairie')).toEqual(['ville', G, 'ville:stop:CB'])
    expect(await endsOf('ville:stop:T', 'mairie')).toEqual(['ville', T, P])
    expect(await endsOf('mairie', '48.605,7.9')).toEqual(['ville', P, undefined])
  })

  test('at both ends are the second place near the first', async () => {
    expect(await endsOf('stade', 'mairie')).toEqual(['ville', T, P])
    expect(await endsOf('gare', 'mairie')).toEqual(['ville', G, 'ville:stop:CB'])
  })

  test('prefer a full match to a smaller network with partial ones', async () => {
    expect((await endsOf('gare', 'stade'))[0]).toBe('ville')
    expect((await endsOf('gare annexe', 'stade annexe'))[0]).toBe('annex')
  })
})

describe('units', () => {
  const service = openApi()

  test('five for a response, with or without journeys; none for an error', async () => {
    const cases = [
      [`from=${G}&to=${P}`, 200, 5],
      [`from=${T}&to=${G}`, 200, 5],
      [`from=${G}&to=${G}`, 200, 5],
      [`from=x&to=${G}`, 400, 0],
      [`from=${G}`, 400, 0],
      [`from=${G}&to=${P}&limit=9`, 400, 0],
      [`from=${G}&to=${P}&planner=native`, 404, 0],
      [`from=${G}&to=${P}&network=nope`, 404, 0],
    ] as const
    const api = await service
    for (const [query, status, units] of cases) {
      const before = api.gate.units
      const answer = await api.get(`/v1/journeys?${query}`)
      expect({ query, status: answer.status, units: api.gate.units - before }).toEqual({ query, status, units })
      expect(answer.body.meta?.units ?? 0).toBe(units)
      expect([api.gate.held, api.gate.heldForLater]).toEqual([0, 0])
    }
  })

  test('none if the planner times out or crashes; the reservation is released', async () => {
    const outcomes = [
      [async () => ({ kind: 'timeout' }) as const, 503, 'planner_timeout'],
      [async () => new Problem('planner_timeout'), 503, 'planner_timeout'],
      [async () => new Problem('overloaded'), 503, 'overloaded'],
      [async () => ({ kind: 'not_ready' }) as const, 503, 'not_ready'],
      [async () => Promise.reject(new Error('broken')), 500, 'internal_error'],
    ] as const
    for (const [plan, status, reason] of outcomes) {
      const other = await openApi({ planners: { plan } })
      const answer = await other.get(`/v1/journeys?from=${G}&to=${P}`)
      expect([answer.status, answer.body.reason, other.gate.units, other.gate.held]).toEqual([status, reason, 0, 0])
      if (status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })
})
