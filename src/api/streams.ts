// GET the departures of a stop, or the vehicles of a line, as a stream of server-sent events. A frame holds the polled
// route's answer at that time; identical requests get the same frames.
import { Elysia } from 'elysia'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import type { Service } from '../requests/service.ts'
import { streamEndpoint } from '../requests/stream-endpoint.ts'
import { answerBoard } from './departures.ts'
import { answerLineVehicles } from './vehicles.ts'

/** The stream routes. */
export const streamsApi = (service: Service) =>
  new Elysia({ name: 'api.streams' })
    .get(
      ROUTES.departuresStream.path,
      streamEndpoint(service, ROUTES.departuresStream, ({ pathId, values }, { nowMillis, units }) =>
        answerBoard(service, { pathId, values, nowMillis, isKept: true }, units),
      ),
      documented(ROUTES.departuresStream),
    )
    .get(
      ROUTES.vehiclesStream.path,
      streamEndpoint(service, ROUTES.vehiclesStream, ({ pathId }, moment) =>
        answerLineVehicles(service, { pathId, ...moment }),
      ),
      documented(ROUTES.vehiclesStream),
    )
