// GET the departures from a stop, the vehicles of a line, or a trip, as a stream of server-sent events. Each frame
// contains the response that the corresponding route without a stream would send at that time. Identical requests get
// the same frames.
import { Elysia } from 'elysia'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import type { Service } from '../requests/service.ts'
import { streamEndpoint } from '../requests/stream-endpoint.ts'
import { answerBoard } from './departures.ts'
import { answerTrip } from './trips.ts'
import { answerLineVehicles } from './vehicles.ts'

/** A trip's stream continues for this long after the trip's last call. */
const AFTER_LAST_CALL_SECONDS = 600

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
    .get(
      ROUTES.tripStream.path,
      streamEndpoint(service, ROUTES.tripStream, ({ pathId, values }, moment) => {
        const answered = answerTrip(service, { pathId, include: values.include, ...moment })
        if (answered instanceof Problem) return answered
        const { answer, endSeconds } = answered
        const isOver = moment.nowMillis / 1000 >= endSeconds + AFTER_LAST_CALL_SECONDS
        return isOver ? { answer, endReason: 'trip_ended' as const } : answer
      }),
      documented(ROUTES.tripStream),
    )
