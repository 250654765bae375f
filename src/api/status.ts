// GET /v1/health and /v1/status: whether the service is alive, and how each network fares. Public, uncharged.
import { Elysia } from 'elysia'
import type { Network } from '../network.ts'
import { endpoint } from './endpoint.ts'
import { writeEnvelope } from './envelope.ts'
import { ROUTES } from './routes.ts'
import type { Service } from './service.ts'
import { utcText } from './timestamps.ts'

/** How long one answer of `/v1/status` is given to everybody. */
const STATUS_KEPT_MILLIS = 30_000
const HEALTH = '{"status":"ok","service":"service-api"}'

/** Health and status. */
export const statusApi = (service: Service) => {
  const status = new KeptStatus(service)
  return new Elysia({ name: 'api.status' })
    .get(
      ROUTES.health.path,
      endpoint(service, ROUTES.health, ({ nowMillis }) => ({
        body: writeEnvelope(HEALTH, { nowMillis, units: ROUTES.health.cost }),
      })),
    )
    .get(
      ROUTES.status.path,
      endpoint(service, ROUTES.status, ({ nowMillis }) => ({ body: status.text(nowMillis) })),
    )
}

/** The last rendered status; its age is true time, since service time may stand still. */
class KeptStatus {
  private readonly service: Service
  private body = ''
  private renderedAtMillis = Number.NEGATIVE_INFINITY

  constructor(service: Service) {
    this.service = service
  }

  text(nowMillis: number): string {
    const trueMillis = this.service.trueClock.nowMillis()
    const ageMillis = trueMillis - this.renderedAtMillis
    if (!(ageMillis >= 0 && ageMillis < STATUS_KEPT_MILLIS)) {
      const entries = this.service.networks.list.map((network) => statusEntry(this.service, network))
      this.body = writeEnvelope(JSON.stringify(entries), { nowMillis, units: ROUTES.status.cost })
      this.renderedAtMillis = trueMillis
    }
    return this.body
  }
}

function statusEntry(service: Service, network: Network) {
  const view = service.views.viewOf(network)
  const { lastError } = network
  const timestamp = (millis: number) => {
    if (view !== undefined) return view.localTime.text(Math.floor(millis / 1000))
    return utcText(millis).replace('Z', '+00:00')
  }
  return {
    network: network.settings.id,
    static_refreshed_at: view === undefined ? null : timestamp(view.snapshot.refreshedAtMillis),
    // No live feed is declared, so that a network that is served fares well.
    realtime: view === undefined ? 'down' : 'ok',
    budgets: {},
    last_error:
      lastError === undefined
        ? null
        : {
            at: timestamp(lastError.atMillis),
            source: lastError.source,
            reason: lastError.reason,
            message: lastError.message,
          },
  }
}
