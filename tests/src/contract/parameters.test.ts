// Tests every parameter of every route at its bounds, beyond them, empty, repeated, and with nonsense. The expectations
// come from the API's table of common parameters and its list of routes, not from the service's own table.
import { describe, expect, test } from 'bun:test'
import { ROUTE_LIST } from '../../../src/contract/routes.ts'
import { openApi } from '../api/api-under-test.ts'
import {
  badWays,
  IGNORED,
  question,
  REQUIRED,
  statusOf,
  TAKES,
  WITHOUT_VEHICLES,
} from '../api/parameter-expectations.ts'

const api = await openApi()

test('the table covers every route and every parameter of the service', () => {
  const shapeOf = (path: string) => path.replace(/ville:(stop|line|journey|trip):[\w:]+/, ':id').replace(/ville/, ':id')
  const shapes = Object.keys(TAKES).map(shapeOf)
  const known = ROUTE_LIST.map((route) => route.path.replace(/:\w+/, ':id'))
  expect(shapes.sort()).toEqual(known.sort())
  for (const [path, takes] of Object.entries(TAKES)) {
    const route = ROUTE_LIST.find((each) => each.path.replace(/:\w+/, ':id') === shapeOf(path))
    const names = Object.keys(route?.parameters ?? {}).filter((name) => name !== 'lang' && name !== 'cursor')
    expect({ path, names: names.sort() }).toEqual({ path, names: Object.keys(takes).sort() })
  }
})

for (const [path, takes] of Object.entries(TAKES)) {
  const goodStatus = WITHOUT_VEHICLES.test(path) ? 404 : 200
  describe(path, () => {
    test('responds without parameters, and ignores unknown ones', async () => {
      for (const more of ['', ...IGNORED]) {
        const answer = await api.get(question(path, '', more))
        expect({ more, status: answer.status }).toEqual({ more, status: goodStatus })
      }
    })

    for (const [name, expectation] of Object.entries(takes)) {
      const { good, reason } = expectation
      test(`${name}: allowed values`, async () => {
        for (const value of good) {
          const answer = await api.get(question(path, name, `${name}=${value}`))
          expect({ value, status: answer.status, detail: answer.body.detail }).toMatchObject({
            value,
            status: statusOf(path, `${name}=${value}`),
          })
        }
      })

      test(`${name}: rejected values`, async () => {
        for (const more of badWays(name, expectation)) {
          const { status, body } = await api.get(question(path, name, more))
          expect({ more, status, reason: body.reason, param: body.param }).toEqual({
            more,
            status: 400,
            reason,
            param: name,
          })
          expect(body.detail).toStartWith(`The parameter "${name}" `)
        }
      })
    }

    for (const pair of REQUIRED[path] ?? []) {
      const name = pair.split('=')[0] ?? ''
      test(`${name}: is required`, async () => {
        const { status, body } = await api.get(question(path, name, ''))
        expect({ status, reason: body.reason, param: body.param }).toEqual({
          status: 400,
          reason: 'transit_query_invalid',
          param: name,
        })
      })
    }
  })
}

test('an unknown network in a list is not found', async () => {
  for (const path of ['/v1/stops/nearby', '/v1/departures/nearby', '/v1/vehicles/nearby', '/v1/alerts']) {
    const { status, body } = await api.get(question(path, 'networks', 'networks=ville,elsewhere'))
    expect({ path, status, reason: body.reason }).toEqual({ path, status: 404, reason: 'not_found' })
  }
})

test('every invalid parameter is named, and the first decides the code', async () => {
  const { body } = await api.get('/v1/departures/nearby?limit=0&near=x&horizon=91&radius=1500')
  expect(body.errors.map((error: { param: string; reason: string }) => [error.param, error.reason])).toEqual([
    ['near', 'invalid_location'],
    ['horizon', 'transit_query_invalid'],
    ['limit', 'transit_query_invalid'],
  ])
  expect(body).toMatchObject({ param: 'near', reason: 'invalid_location', code: 'TRNS3-2400' })
})

test('coordinates in the wrong order get a hint', async () => {
  const swapped = await api.get('/v1/stops/nearby?near=120.5,48.5')
  expect(swapped.body.detail).toContain('lon,lat; swap')
  expect((await api.get('/v1/stops/nearby?near=120.5,148.5')).body.detail).not.toContain('swap')
  const box = await api.get('/v1/networks/ville/stops?bbox=48.5,120.5,48.6,120.6')
  expect(box.body.detail).toContain('lat,lon; swap')
})

test('a long value is not repeated in full', async () => {
  const { body } = await api.get(`/v1/stops/ville:stop:CA/departures?limit=${'7'.repeat(3000)}`)
  expect(body.detail.length).toBeLessThan(200)
})
