// Registers the cases of peers (other open-source projects) as tests. Each is named after the peer's file and test. If
// our result differs from what the peer's authors expect, the case names the rule that explains the difference.
import { expect, test } from 'bun:test'
import { PeerCity } from './peer-city.ts'
import type { CitySketch } from './sketched-feed.ts'

/** The rules that explain why our results differ from those of a peer. */
export const RULES = {
  clamping:
    'Clamping: a time earlier than the one before is raised to it and counted; if an arrival is later than its departure, the departure counts.',
  calls: 'Call matching: an update that matches no call, or two, is skipped; the others of its trip are kept.',
  emptyEvent: 'Empty arrival{} and departure{} are ignored.',
  namesake: 'ADDED and NEW with the id of a timetable trip add a separate instance, named by its first time.',
  description: 'Trip matching: a description without a direction matches if only one trip fits.',
  underWay: 'Trip without start_date and time: the day whose span, ten minutes around it, covers now; else unmatched.',
  addedRoute: 'ADDED and NEW are shown only if their route is known.',
  addedDay: 'ADDED and NEW run on the given day, even outside the calendar.',
  skippedTimes: 'SKIPPED: times of the call are ignored, and the delay is carried past it.',
  arrivalOnly: 'Arrival only: departure = max(scheduled, arrival + min(planned dwell, 30 s)).',
  departureOnly: 'Departure only: the arrival is as late as the previous call or, if unknown, the departure.',
  forward: 'Propagation is forward only; calls before the first update are unknown.',
  differential:
    'DIFFERENTIAL messages change the earlier reports of the feed; DUPLICATED has the same effect in them as elsewhere.',
  newOrder:
    'The calls of an added trip are in the order of its message, unless its times only increase in the order of stop_sequence.',
  tripDelay: 'A delay of a whole trip is used only if none of its calls has a time.',
  ownUpdate: 'Blocks: a trip with its own update follows it; delays are only carried to the others.',
  tripAtStop:
    'A rule of transfers.txt whose trip does not call at its stop is left out (transfer_with_invalid_trip_and_stop).',
} as const

/** A case whose result differs from that of the peer. */
interface Difference {
  readonly name: string
  readonly rule: keyof typeof RULES
}

const names: string[] = []
const differences: Difference[] = []

/** Where a case comes from: the peer, and its test file. */
export interface Origin {
  readonly peer: 'nigiri' | 'OpenTripPlanner' | 'OneBusAway'
  readonly file: string
}

/** Returns a function that registers cases from one of a peer's test files. */
export function casesOf(origin: Origin) {
  return (
    name: string,
    sketch: CitySketch,
    check: (city: PeerCity) => void,
    differs?: { readonly rule: keyof typeof RULES; readonly theirs: string },
  ): void => {
    const full = `${origin.peer} ${origin.file} ${name}`
    names.push(full)
    if (differs !== undefined) differences.push({ name: `${full}: ${differs.theirs}`, rule: differs.rule })
    test(differs === undefined ? full : `${full} (differs: ${differs.rule})`, async () =>
      check(await PeerCity.open(sketch)),
    )
  }
}

/** The number of cases per peer, and the cases in which our results differ. */
export function summary() {
  const count = (peer: string) => names.filter((name) => name.startsWith(`${peer} `)).length
  return {
    cases: names.length,
    distinct: new Set(names).size,
    peers: { nigiri: count('nigiri'), OpenTripPlanner: count('OpenTripPlanner'), OneBusAway: count('OneBusAway') },
    differences,
  }
}

/** Bun's `expect`, for the files with cases. */
export { expect }
