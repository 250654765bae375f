// Where requests that no key pays for meet the limit of their address: the public routes and pages, and refused credentials.
import type { AccessRefusal } from '../access/gate.ts'
import { Problem } from '../http/problem.ts'
import type { Connections, Service } from './service.ts'

/** A request on its connection; without a server where a test asks without one. */
interface Asked {
  readonly request: Request
  readonly server?: Connections | null | undefined
}

/** Health and status are watched from the machine itself, however often. */
const WATCHED = { name: 'public', sparesLoopback: true }
const PAGES = { name: 'public', sparesLoopback: false }
/** Behind a proxy of this machine that isn't told of as trusted, all clients have its address. */
const REFUSED = { name: 'refused', sparesLoopback: true }

/** Why a public route is not answered now, if its address has asked too often. */
export function publicLimit(service: Service, asked: Asked, kind: 'watched' | 'page'): Problem | undefined {
  return overLimit(service, asked, kind === 'watched' ? WATCHED : PAGES)
}

/** What a request without a good key is told: why it is refused, or, where too many of its address were, to wait. */
export function refusedKey(service: Service, reason: AccessRefusal, asked: Asked): Problem {
  return overLimit(service, asked, REFUSED) ?? new Problem(reason)
}

function overLimit({ addressLimits }: Service, asked: Asked, kind: typeof WATCHED): Problem | undefined {
  if (addressLimits === undefined || asked.server == null) return undefined
  const seconds = addressLimits.take(asked.request, asked.server, kind)
  return seconds === 0 ? undefined : new Problem('rate_limited', undefined, [], seconds)
}
