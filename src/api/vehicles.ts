// GET the live vehicles of a line, and near a place. No network publishes positions yet: the question is checked and
// then answered with `capability_unsupported`, which is uncharged.
import { Elysia } from 'elysia'
import { Problem } from '../problem.ts'
import { endpoint } from './endpoint.ts'
import { resolveLine } from './public-ids.ts'
import { ROUTES } from './routes.ts'
import type { Service } from './service.ts'

/** Vehicles. */
export const vehiclesApi = (service: Service) =>
  new Elysia({ name: 'api.vehicles' })
    .get(
      ROUTES.lineVehicles.path,
      endpoint(service, ROUTES.lineVehicles, ({ pathId }) => {
        const found = resolveLine(service.views, pathId)
        return found instanceof Problem ? found : noVehicles([found.view.slug])
      }),
    )
    .get(
      ROUTES.nearbyVehicles.path,
      endpoint(service, ROUTES.nearbyVehicles, ({ values }) => {
        const views = service.views.select(values.networks)
        return views instanceof Problem ? views : noVehicles(views.map((view) => view.slug))
      }),
    )

function noVehicles(slugs: readonly string[]): Problem {
  return new Problem('capability_unsupported', `No vehicle data is published by: ${slugs.join(', ')}.`)
}
