// The guides that are served next to the reference: their paths, readers and subjects. Their texts are in
// guide-page.ts, which is loaded on the first request for a guide.
import { GUIDES_PATH } from './docs-page.ts'

/** A guide. `name` is the last segment of its path. */
export interface Guide {
  readonly name: string
  readonly readers: 'developers' | 'operators'
  readonly about: string
}

/** The guides, in the order in which they should be read. */
export const GUIDES: readonly Guide[] = [
  {
    name: 'quick-start',
    readers: 'developers',
    about: 'From a key to a board, in curl, TypeScript and Python.',
  },
  {
    name: 'typescript',
    readers: 'developers',
    about: 'The client in five minutes: calls, pages, streams, errors, waiting and canceling.',
  },
  {
    name: 'keys-and-units',
    readers: 'developers',
    about: 'What keys can do, what calls cost, and how to check your limits.',
  },
  {
    name: 'your-account',
    readers: 'developers',
    about: 'How your account is protected, and what you can do with it.',
  },
  {
    name: 'journeys',
    readers: 'developers',
    about: 'How to plan journeys, display them, and follow them live.',
  },
  {
    name: 'trips',
    readers: 'developers',
    about: 'All stops on a trip, and why a departure is late or missing.',
  },
  {
    name: 'event-streams',
    readers: 'developers',
    about: 'Live departures, vehicles and trips over one connection.',
  },
  { name: 'errors', readers: 'developers', about: 'How to read errors, and when to retry.' },
  {
    name: 'freshness',
    readers: 'developers',
    about: 'Scheduled and live data, and how old they are.',
  },
  { name: 'caching', readers: 'developers', about: 'What you can cache, and how to save units.' },
  {
    name: 'changelog',
    readers: 'developers',
    about: 'What has changed, and what counts as a breaking change.',
  },
  {
    name: 'install',
    readers: 'operators',
    about: 'From an empty Debian server to a first board.',
  },
  {
    name: 'configure',
    readers: 'operators',
    about: 'Networks, live feeds, plans, email and storage.',
  },
  {
    name: 'france',
    readers: 'operators',
    about: 'A French city from open data: timetable, live feeds, addresses, streets.',
  },
  {
    name: 'operate',
    readers: 'operators',
    about: 'Ports, proxies, health, metrics, logs, backups, upgrades and sizing.',
  },
  {
    name: 'replicas',
    readers: 'operators',
    about: 'Replicas: what they share, how to set them up, and what happens when one fails.',
  },
  { name: 'benchmark', readers: 'operators', about: 'Load-test your own server with autocannon.' },
  {
    name: 'security',
    readers: 'operators',
    about: 'The threat model, and how Quai meets OWASP ASVS 5.0, requirement by requirement.',
  },
]

/** Returns the path of a guide. */
export function guidePath({ name }: Guide): string {
  return `${GUIDES_PATH}/${name}`
}
