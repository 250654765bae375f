// GTFS Fares V1 (fare_attributes.txt, fare_rules.txt): each ticket is valid for one or several consecutive rides. The
// rides of a journey are divided among tickets so that the total price is lowest.
import type { Timetable } from '../timetable/timetable.ts'
import { type CarriedRow, carriedRows } from './carried-rows.ts'
import type { Fare, NamedRide } from './fare-ride.ts'
import { toMinorUnits } from './money.ts'

/** Separates two ids in a key. Ids in feeds do not contain it. */
const BETWEEN = '\0'

/** The rides for which a ticket is valid: on a route and, if zones are given, through exactly these zones. */
interface FareRule {
  /** '' for any route. */
  readonly route: string
  /** Zone ids; if empty, the rule covers rides through any zones. */
  readonly contains: Set<string>
}

/** Rules by the origin zone of the first ride and the destination zone of the last ride. '' stands for any zone. */
type RulesByEnds = ReadonlyMap<string, readonly FareRule[]>

/** A kind of ticket. */
interface FareClass extends Fare {
  readonly agency: string
  readonly feed: string
  /** Maximum number of transfers; Infinity if unlimited. */
  readonly transfers: number
  /** Maximum number of seconds from the first boarding to the last; Infinity if unlimited. */
  readonly duration: number
  /** Empty if the ticket is valid for all rides. */
  readonly rules: RulesByEnds
}

/** The tickets of a network. */
export class FareClasses {
  /** Tickets that are valid from any origin. */
  private readonly anywhere: FareClass[] = []
  /** Origin zone → the tickets that are valid from this zone but not from every zone. */
  private readonly byOrigin = new Map<string, FareClass[]>()
  private readonly currencies: readonly string[]

  constructor(timetable: Timetable) {
    const classes = readClasses(timetable)
    this.currencies = [...new Set(classes.map(({ currency }) => currency))]
    for (const each of classes) {
      const origins = new Set([...each.rules.keys()].map((ends) => ends.slice(0, ends.indexOf(BETWEEN))))
      if (origins.size === 0 || origins.has('')) this.anywhere.push(each)
      else for (const origin of origins) this.byOrigin.getOrInsertComputed(origin, () => []).push(each)
    }
  }

  get isEmpty(): boolean {
    return this.currencies.length === 0
  }

  /**
   * The lowest total price of tickets, all in one currency, that together cover all rides. Currencies are tried in feed
   * order, and the first one with such tickets is used. Undefined if no currency has such tickets.
   */
  cheapest(rides: readonly NamedRide[]): Fare | undefined {
    for (const currency of this.currencies) {
      const amount = this.cheapestIn(currency, rides)
      if (amount !== undefined) return { amount, currency }
    }
    return undefined
  }

  private cheapestIn(currency: string, rides: readonly NamedRide[]): number | undefined {
    // costs[n] is the lowest price for the first n rides.
    const costs: (number | undefined)[] = [0]
    for (let end = 1; end <= rides.length; end++) {
      let least: number | undefined
      for (let start = end - 1; start >= 0; start--) {
        const before = costs[start]
        const ticket = before === undefined ? undefined : this.ticketFor(currency, rides.slice(start, end))
        if (before === undefined || ticket === undefined) continue
        least = Math.min(least ?? Infinity, before + ticket)
      }
      costs.push(least)
    }
    return costs[rides.length]
  }

  /** The price of the cheapest single ticket for these rides; undefined if no ticket is valid for all of them. */
  private ticketFor(currency: string, rides: readonly NamedRide[]): number | undefined {
    const first = rides[0]
    // If the rider stayed seated from the previous ride, the previous ticket stays valid, so no ticket starts here.
    if (first.staysSeated) return undefined
    let least: number | undefined
    for (const list of [this.anywhere, this.byOrigin.get(first.fromZone) ?? []]) {
      for (const each of list) {
        if (each.currency === currency && isGoodFor(each, rides)) least = Math.min(least ?? Infinity, each.amount)
      }
    }
    return least
  }
}

function isGoodFor(fare: FareClass, rides: readonly NamedRide[]): boolean {
  const first = rides[0]
  const last = rides[rides.length - 1]
  const boarded = rides.filter(({ staysSeated }) => !staysSeated)
  const changes = boarded.length - 1
  // An in-seat transfer does not count as a transfer.
  const lastBoarding = boarded.at(-1)?.departs ?? first.departs
  if (changes > fare.transfers || (changes > 0 && lastBoarding - first.departs > fare.duration)) return false
  const isOwn = ({ agency, feed }: NamedRide) =>
    (fare.agency === '' || fare.agency === agency) && (fare.feed === '' || fare.feed === feed)
  if (!rides.every(isOwn)) return false
  if (fare.rules.size === 0) return true
  const zones = new Set(rides.flatMap((ride) => [...ride.zones]))
  const ends = [first.fromZone, ''].flatMap((origin) => [last.toZone, ''].map((end) => origin + BETWEEN + end))
  const rules = [...new Set(ends)].flatMap((each) => fare.rules.get(each) ?? [])
  return rides.every((ride) =>
    rules.some(
      ({ route, contains }) =>
        (route === '' || route === ride.route) && (contains.size === 0 || isSame(contains, zones)),
    ),
  )
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && one.isSubsetOf(other)
}

function readClasses(timetable: Timetable): FareClass[] {
  const rules = readRules(carriedRows(timetable, 'fare_rules.txt'))
  return carriedRows(timetable, 'fare_attributes.txt').flatMap((row) => {
    const currency = row('currency_type').trim().toUpperCase()
    const amount = toMinorUnits(row('price'), currency)
    if (amount === undefined) return []
    const transfers = row('transfers').trim()
    const duration = row('transfer_duration').trim()
    const fare: FareClass = {
      amount,
      currency,
      agency: row('agency_id'),
      feed: row('feed_ordinal'),
      transfers: transfers === '' ? Infinity : Number(transfers),
      duration: duration === '' ? Infinity : Number(duration),
      rules: rules.get(row('fare_id')) ?? NO_RULES,
    }
    return Number.isNaN(fare.transfers) || Number.isNaN(fare.duration) ? [] : [fare]
  })
}

const NO_RULES: RulesByEnds = new Map()

/** Fare → its rules; rows that differ only in contains_id form one rule. */
function readRules(rows: readonly CarriedRow[]): Map<string, RulesByEnds> {
  const rules = new Map<string, Map<string, FareRule[]>>()
  const known = new Map<string, FareRule>()
  for (const row of rows) {
    const [fare, route, ends] = [row('fare_id'), row('route_id'), row('origin_id') + BETWEEN + row('destination_id')]
    const key = [fare, route, ends].join(BETWEEN)
    let rule = known.get(key)
    if (rule === undefined) {
      rule = { route, contains: new Set() }
      known.set(key, rule)
      const ofFare = rules.getOrInsertComputed(fare, () => new Map<string, FareRule[]>())
      ofFare.getOrInsertComputed(ends, () => []).push(rule)
    }
    const contained = row('contains_id')
    if (contained !== '') rule.contains.add(contained)
  }
  return rules
}
