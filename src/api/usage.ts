// GET /v1/usage: the usage of the caller's account, including units that are not yet in the database.
import assert from 'node:assert'
import { Elysia } from 'elysia'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import { writeEnvelope } from '../rendering/envelope.ts'
import { endpoint } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'

/** The usage route. */
export const usageApi = (service: Service) =>
  new Elysia({ name: 'api.usage' }).get(
    ROUTES.usage.path,
    endpoint(service, ROUTES.usage, ({ caller, nowMillis }) => {
      assert(caller !== undefined, 'a request to a route that requires a key has no caller')
      const { gate } = service
      const render = () => ({
        body: writeEnvelope(JSON.stringify(gate.usage(caller)), { nowMillis, units: ROUTES.usage.cost }),
      })
      return gate.refreshUsage === undefined ? render() : gate.refreshUsage(caller).then(render)
    }),
    documented(ROUTES.usage),
  )
