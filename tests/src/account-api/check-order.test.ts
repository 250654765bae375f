// Tests the order of the account API's checks: framing, address rate, origin, session, CSRF token, and then the body,
// which must be JSON without unknown members. Also tests the cases themselves: they must fail on a server on which
// Elysia validates bodies first.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ACCOUNT_ROUTE_LIST } from '../../../src/account-api/account-routes.ts'
import { isBody } from '../../../src/account-api/bodies.schema.ts'
import { createAccountServer } from '../../../src/account-api/server.ts'
import { AccountWorld } from './account-world.ts'

/** A route with a body. */
interface BodyRoute {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly isOpen: boolean
  readonly schema: TSchema
}

const ROUTES: readonly BodyRoute[] = ACCOUNT_ROUTE_LIST.filter(({ body }) => isBody(body)).map((route) => ({
  name: route.name,
  method: route.method.toUpperCase(),
  path: route.path.replace(':id', 'key_1'),
  isOpen: route.access === 'open',
  schema: route.body,
}))

/** Valid values for the members of bodies. The body for a route gets the members that the route's schema has. */
const MEMBERS: Readonly<Record<string, unknown>> = {
  email: 'ada@example.org',
  password: 'x',
  current_password: 'x',
  token: 'x',
  code: 'x',
  name: 'one',
  scopes: [],
  overage_enabled: true,
}
const goodBody = ({ schema }: BodyRoute) =>
  Object.fromEntries(Object.entries(MEMBERS).filter(([name]) => name in schema['properties']))
const BAD_BODY = JSON.stringify({ no_such_member: 1 })

/** A request and its expected response: a status and a reason. */
interface Case {
  readonly name: string
  readonly routes: readonly BodyRoute[]
  readonly headers: Readonly<Record<string, string>>
  body(route: BodyRoute): string
  readonly expected: string
}

const folder = mkdtempSync(join(tmpdir(), 'quai-check-order-'))
let world: AccountWorld
/** The headers of a member who is logged in, as the console sends them. */
let loggedIn: Readonly<Record<string, string>>
let cases: readonly Case[]

beforeAll(async () => {
  world = await AccountWorld.open(folder, { flags: { trusted_proxies: ['127.0.0.1'] } })
  const member = await world.member('ada@example.org')
  const cookie = member.cookie ?? ''
  loggedIn = { cookie, 'x-csrf-token': member.csrf ?? '', 'content-type': 'application/json' }
  cases = makeCases(cookie)
})

afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

function makeCases(cookie: string): Case[] {
  const json = { 'content-type': 'application/json' }
  const closed = ROUTES.filter(({ isOpen }) => !isOpen)
  const bad = () => BAD_BODY
  const form = (type: string, text: string): Case => ({
    name: `a body of ${type}`,
    routes: ROUTES,
    headers: { ...loggedIn, 'content-type': type },
    body: () => text,
    expected: '415 unsupported_media_type',
  })
  return [
    {
      name: 'a bad body from another site’s page',
      routes: ROUTES,
      headers: { ...loggedIn, 'sec-fetch-site': 'cross-site' },
      body: bad,
      expected: '403 csrf_failed',
    },
    {
      name: 'a bad body without a session',
      routes: closed,
      headers: json,
      body: bad,
      expected: '401 session_required',
    },
    {
      name: 'a bad body without the CSRF token',
      routes: closed,
      headers: { ...json, cookie },
      body: bad,
      expected: '403 csrf_failed',
    },
    {
      name: 'no JSON without a session',
      routes: closed,
      headers: json,
      body: () => '{',
      expected: '401 session_required',
    },
    form('application/x-www-form-urlencoded', 'email=ada%40example.org&password=x'),
    form(
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\na@b.c\r\n--x--\r\n',
    ),
    form('text/plain', BAD_BODY),
    { name: 'no JSON', routes: ROUTES, headers: loggedIn, body: () => '{', expected: '400 invalid_request' },
    { name: 'a bad body', routes: ROUTES, headers: loggedIn, body: bad, expected: '400 invalid_request' },
    {
      name: 'an additional member',
      routes: ROUTES,
      headers: loggedIn,
      body: (route) => JSON.stringify({ ...goodBody(route), no_such_member: 1 }),
      expected: '400 invalid_request',
    },
  ]
}

/** Returns the cases in which a server does not respond as expected, each with the response. */
async function faultsOf(base: string): Promise<string[]> {
  const faults: string[] = []
  for (const { name, routes, headers, body, expected } of cases) {
    for (const route of routes) {
      const response = await fetch(base + route.path, { method: route.method, headers, body: body(route) })
      const isProblem = response.headers.get('content-type') === 'application/problem+json'
      const reason = isProblem ? Object(await response.json()).reason : 'no problem'
      const answer = `${response.status} ${reason}`
      if (answer !== expected) faults.push(`${name} to ${route.name}: ${answer}`)
    }
  }
  return faults
}

test('bodies are checked last', async () => {
  expect(ROUTES.map(({ name }) => name).sort()).toEqual([
    'addPasskey',
    'changePassword',
    'choosePlan',
    'confirmEmailChange',
    'confirmPassword',
    'createKey',
    'enableFactor',
    'logIn',
    'logInWithPasskey',
    'renameKey',
    'requestEmailChange',
    'requestPasswordReset',
    'resetPassword',
    'setBilling',
    'signUp',
    'verify',
  ])
  expect(await faultsOf(world.base)).toEqual([])
})

test('these cases fail if Elysia validates bodies first', async () => {
  const server = createAccountServer(world.listener.api)
  const validating = new Elysia({ strictPath: true })
  for (const { method, path, handler, hooks } of server.routes) {
    const body = hooks.detail?.requestBody?.content?.['application/json']?.schema
    validating.route(method, path, handler, body === undefined ? {} : { body })
  }
  validating.listen({ hostname: '127.0.0.1', port: 0, development: false })
  try {
    const faults = await faultsOf(`http://127.0.0.1:${validating.server?.port}`)
    const unnoticed = cases.filter(({ name }) => !faults.some((fault) => fault.startsWith(`${name} to `)))
    expect(unnoticed.map(({ name }) => name)).toEqual([])
    expect(faults).toContain('a bad body without a session to changePassword: 422 no problem')
  } finally {
    await validating.stop(true)
  }
})

test('a malformed message is rejected as malformed, whatever its body', async () => {
  const answer = await sendRaw(
    `PUT /v1/password HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${BAD_BODY.length}\r\n\r\n${BAD_BODY}`,
  )
  expect(answer).toStartWith('HTTP/1.1 400 ')
  expect(answer).toContain('"reason":"malformed_request"')
})

test('the address limit is checked before origin, session and body', async () => {
  const headers = {
    'x-forwarded-for': '203.0.113.9',
    'content-type': 'application/json',
    'sec-fetch-site': 'cross-site',
  }
  const put = () => fetch(`${world.base}/v1/password`, { method: 'PUT', headers, body: BAD_BODY })
  const answers = await Promise.all(Array.from({ length: 60 }, put))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(50).fill(403), ...Array(10).fill(429)])
})

/** Sends a message on a new connection; returns the response up to its reason. */
function sendRaw(message: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(world.listener.port, '127.0.0.1')
    socket.on('error', reject)
    socket.on('data', (bytes) => {
      text += bytes.toString()
      if (!text.includes('"reason"')) return
      socket.destroy()
      resolve(text)
    })
    socket.write(message)
  })
}
