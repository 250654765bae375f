// Finds settings that are valid on their own, but conflict with other settings or can never work.
import { trustedProxyProblem } from '../access/client-address.ts'
import type { Settings } from './config-settings.ts'
import { parsePostgresAddress } from './postgres-address.ts'

/** Not allowed as a network id, because the ids of postal addresses begin with this word. */
const RESERVED_NETWORK = 'ban'

/** Runs all checks. Returns a sentence for each problem. */
export function findConflicts(settings: Settings): string[] {
  const problems: string[] = []
  const database = settings.database_url === undefined ? undefined : parsePostgresAddress(settings.database_url)
  if (database !== undefined && 'problem' in database) problems.push(`database_url ${database.problem}`)
  if (settings.cluster !== undefined && settings.database_url === undefined)
    problems.push('cluster needs database_url: replicas share a PostgreSQL database')
  if (settings.cluster !== undefined && settings.pepper_file === undefined)
    problems.push('cluster needs pepper_file: all replicas hash keys with the same secret')
  for (const entry of settings.trusted_proxies) {
    const problem = trustedProxyProblem(entry)
    if (problem !== undefined) problems.push(`trusted_proxies: ${problem}`)
  }
  problems.push(...findSharedPorts(settings), ...findUnusableTexts(settings))
  const ids = new Set<string>()
  for (const [at, network] of settings.networks.entries()) {
    if (network.id === RESERVED_NETWORK)
      problems.push(`networks[${at}].id must not be "${RESERVED_NETWORK}": ids of postal addresses start with it`)
    if (ids.has(network.id))
      problems.push(`networks[${at}].id "${network.id}" is already used by a network above: choose another`)
    ids.add(network.id)
    const feedIds = new Set<string>()
    for (const [feedAt, feed] of network.feeds.entries()) {
      if (feedIds.has(feed.id))
        problems.push(
          `networks[${at}].feeds[${feedAt}].id "${feed.id}" is already used by a feed above: choose another`,
        )
      feedIds.add(feed.id)
    }
  }
  return problems
}

/** Finds ports that two servers would share. Port 0 does not conflict, because each server then gets a free port. */
function findSharedPorts(settings: Settings): string[] {
  const ports = (['port', 'account_port', 'admin_port', 'explorer_port'] as const).map((name) => ({
    name,
    port: settings[name],
    bind: name === 'admin_port' ? settings.admin_bind : settings.bind,
  }))
  return ports.flatMap(({ name, port, bind }, at) => {
    const other = ports.slice(0, at).find((each) => port !== 0 && each.port === port && each.bind === bind)
    return other === undefined ? [] : [`${name} is ${port}, which ${other.name} already uses: choose another port`]
  })
}

/** Finds strings that have the right form but can never work. */
function findUnusableTexts({ mail, cors_origins: origins = [] }: Settings): string[] {
  const problems = origins
    .filter((origin) => !isOrigin(origin))
    .map((origin) => `cors_origins: "${origin}" is neither an origin such as "https://app.example.org" nor "*"`)
  if (mail !== undefined && !mail.from.includes('@'))
    problems.push(`mail.from "${mail.from}" has no email address: write it as "Quai <quai@example.org>"`)
  return problems
}

function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text)
}
