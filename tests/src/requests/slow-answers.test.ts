// Tests, over a real socket, a journey query that takes long because days must be prepared first. Fails if the
// connection is closed because nothing was sent in the meantime, since the client would then get no response.
import { expect } from 'bun:test'
import { Problem } from '../../../src/http/problem.ts'
import { Networks } from '../../../src/networks/network.ts'
import { createServer } from '../../../src/server/server.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { slowTest } from '../../slow-test.ts'
import { CountingGate, KEY, openNetwork } from '../api/api-under-test.ts'

const IDLE_SECONDS = 1
/** Longer than the server's idle timeout, which it checks every four seconds. */
const PLANNED_AFTER_MILLIS = 10_000

slowTest(
  'a response that takes longer than the idle timeout still arrives',
  async () => {
    const app = createServer({
      networks: new Networks([await openNetwork({ id: 'ville', feed: smallFeed({}) })]),
      gate: new CountingGate(),
      clock: { nowMillis: () => Date.parse('2026-06-10T06:00:00Z') },
      baseUrl: 'http://api.test',
      corsOrigins: [],
      version: '1.0.0',
      logger: { error: (fields) => expect(fields).toBeUndefined() },
      planners: {
        async plan() {
          await Bun.sleep(PLANNED_AFTER_MILLIS)
          return new Problem('planner_timeout')
        },
      },
    })
    app.listen({ port: 0, hostname: '127.0.0.1', idleTimeout: IDLE_SECONDS })
    try {
      const url = `http://127.0.0.1:${app.server?.port}/v1/journeys?from=ville:area:S&to=ville:stop:G`
      const answer = await fetch(url, { headers: { Authorization: KEY } })
      expect([answer.status, await answer.json()]).toEqual([
        503,
        expect.objectContaining({ reason: 'planner_timeout' }),
      ])
    } finally {
      await app.server?.stop(true)
    }
  },
  30_000,
)
