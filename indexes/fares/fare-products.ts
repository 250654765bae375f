// GTFS Fares V2: the lowest price for the rides of a journey. Applies transfer rules (fare_transfer_rules.txt) and
// prices rides together if a join rule says so (fare_leg_join_rules.txt).
import type { Timetable } from '../timetable/timetable.ts'
import { carriedRows } from './carried-rows.ts'
import { type FareLeg, FareMatching, type LegPrice } from './fare-matching.ts'
import type { Fare, NamedRide } from './fare-ride.ts'

/** A rule for the price of a transfer between legs of two groups. */
interface TransferRule {
  readonly from: string
  readonly to: string
  /** Maximum number of consecutive transfers, for a rule between legs of one group; Infinity if unlimited. */
  readonly count: number
  /** Maximum duration in seconds; Infinity if unlimited. */
  readonly limit: number
  readonly limitKind: LimitKind
  readonly kind: TransferKind
  /** The product to pay for the transfer; '' if the transfer itself is free. */
  readonly product: string
  readonly feed: string
}

/**
 * The values of fare_transfer_type, from 0 to 2. Riders pay for the first leg and the transfer (0), for both legs and
 * the transfer (1), or only for the transfer (2).
 */
type TransferKind = 'first_and_change' | 'both_and_change' | 'change_alone'
const TRANSFER_KINDS: readonly TransferKind[] = ['first_and_change', 'both_and_change', 'change_alone']
/** duration_limit_type: the two events between which the time is measured. */
type LimitKind = 'departure_to_arrival' | 'departure_to_departure' | 'arrival_to_departure' | 'arrival_to_arrival'
const LIMIT_KINDS: readonly LimitKind[] = [
  'departure_to_arrival',
  'departure_to_departure',
  'arrival_to_departure',
  'arrival_to_arrival',
]

interface JoinRule {
  readonly fromNetwork: string
  readonly toNetwork: string
  readonly fromStop: string
  readonly toStop: string
}

/** One possible way to pay for all legs so far. */
interface Payment {
  readonly amount: number
  /** Leg group of the last paid leg. */
  readonly group: string
  /** The amount that the last paid leg added. */
  readonly lastAmount: number
  /** Number of consecutive transfers to which the same transfer rule was applied. */
  readonly changes: number
  /** The leg before the first of the transfers that `changes` counts; the last leg if `changes` is 0. */
  readonly chainStart: FareLeg
}

/** The fare products of a network, with the rules for combining them. */
export class FareProducts {
  private readonly matching: FareMatching
  private readonly transfers: readonly TransferRule[]
  private readonly joins: readonly JoinRule[]
  private readonly namedFrom: ReadonlySet<string>
  private readonly namedTo: ReadonlySet<string>

  constructor(timetable: Timetable) {
    this.matching = new FareMatching(timetable)
    this.transfers = readTransfers(timetable)
    this.joins = carriedRows(timetable, 'fare_leg_join_rules.txt').map((row) => ({
      fromNetwork: row('from_network_id'),
      toNetwork: row('to_network_id'),
      fromStop: row('from_stop_id'),
      toStop: row('to_stop_id'),
    }))
    this.namedFrom = new Set(this.transfers.map(({ from }) => from))
    this.namedTo = new Set(this.transfers.map(({ to }) => to))
  }

  get isEmpty(): boolean {
    return this.matching.isEmpty
  }

  /** The lowest price for all rides, in one currency; undefined if a ride has no price. */
  cheapest(rides: readonly NamedRide[]): Fare | undefined {
    const legs = this.toLegs(rides)
    const prices = legs.map((leg) => this.matching.pricesOf(leg))
    const currencies = new Set((prices[0] ?? []).map(({ currency }) => currency))
    for (const currency of currencies) {
      const amount = this.cheapestIn(currency, legs, prices)
      if (amount !== undefined) return { amount, currency }
    }
    return undefined
  }

  private cheapestIn(
    currency: string,
    legs: readonly FareLeg[],
    prices: readonly (readonly LegPrice[])[],
  ): number | undefined {
    let payments: Payment[] = []
    for (const [at, leg] of legs.entries()) {
      const own = (prices[at] ?? []).filter((price) => price.currency === currency)
      const next = own.flatMap((price) =>
        at === 0
          ? [{ amount: price.amount, group: price.group, lastAmount: price.amount, changes: 0, chainStart: leg }]
          : payments.flatMap((payment) => this.payOn(payment, price, { before: legs[at - 1], leg, currency })),
      )
      payments = keepCheapest(next)
    }
    // Discounts never make the total negative.
    return payments.length === 0 ? undefined : Math.max(0, Math.min(...payments.map(({ amount }) => amount)))
  }

  /**
   * The possible payments after one more leg. There is one payment for each transfer rule that applies. If none
   * applies, there is one payment, which includes a new ticket.
   */
  private payOn(
    payment: Payment,
    price: LegPrice,
    at: { readonly before: FareLeg; readonly leg: FareLeg; readonly currency: string },
  ): Payment[] {
    const { leg, before, currency } = at
    const fresh = { group: price.group, lastAmount: price.amount, changes: 0, chainStart: leg }
    const changesBy = (rule: TransferRule) => (rule.from === rule.to ? payment.changes + 1 : 1)
    const startOf = (rule: TransferRule) => (changesBy(rule) > 1 ? payment.chainStart : before)
    const rules = this.transfers.filter(
      (rule) =>
        this.isForChange(rule, payment.group, price.group, leg.feed) &&
        changesBy(rule) <= rule.count &&
        spanOf(rule.limitKind, startOf(rule), leg) <= rule.limit,
    )
    // All these rules allow enough transfers. If their maximum numbers of transfers differ, only the rules with the
    // smallest maximum apply.
    const count = Math.min(...rules.map((rule) => rule.count))
    const paid = rules.flatMap((rule): Payment[] => {
      const change = rule.product === '' ? 0 : this.matching.priceOfProduct(rule.product, currency)
      if (rule.count > count || change === undefined) return []
      const added = { first_and_change: change, both_and_change: change + price.amount, change_alone: change }[
        rule.kind
      ]
      const dropped = rule.kind === 'change_alone' ? payment.lastAmount : 0
      const amount = payment.amount - dropped + added
      return [{ amount, group: price.group, lastAmount: added, changes: changesBy(rule), chainStart: startOf(rule) }]
    })
    // If no transfer rule applies, riders pay the leg's own price.
    return paid.length > 0 ? paid : [{ ...fresh, amount: payment.amount + price.amount }]
  }

  private isForChange(rule: TransferRule, from: string, to: string, feed: string): boolean {
    const fits = (wanted: string, has: string, named: ReadonlySet<string>) =>
      wanted === '' ? !named.has(has) || has === '' : wanted === has
    return (
      (rule.feed === '' || rule.feed === feed) &&
      fits(rule.from, from, this.namedFrom) &&
      fits(rule.to, to, this.namedTo)
    )
  }

  /** Turns rides into legs. Rides that are linked by an in-seat transfer or a join rule are priced as one leg. */
  private toLegs(rides: readonly NamedRide[]): FareLeg[] {
    const legs: FareLeg[] = []
    let before: NamedRide | undefined
    for (const ride of rides) {
      const networks = this.matching.networksOf(ride)
      const last = legs.at(-1)
      const isJoined = last !== undefined && before !== undefined && (ride.staysSeated || this.joinsRides(before, ride))
      if (isJoined) {
        legs[legs.length - 1] = {
          ...last,
          networks: [...last.networks, networks],
          toStops: ride.toStops,
          arrives: ride.arrives,
        }
      } else {
        const { fromStops, toStops, departs, arrives, feed } = ride
        legs.push({ networks: [networks], fromStops, toStops, departs, arrives, feed })
      }
      before = ride
    }
    return legs
  }

  private joinsRides(before: NamedRide, ride: NamedRide): boolean {
    const [from, to] = [this.matching.networksOf(before), this.matching.networksOf(ride)]
    return this.joins.some(
      ({ fromNetwork, toNetwork, fromStop, toStop }) =>
        from.includes(fromNetwork) &&
        to.includes(toNetwork) &&
        (fromStop === '' || before.toStops.includes(fromStop)) &&
        (toStop === '' || ride.fromStops.includes(toStop)),
    )
  }
}

function spanOf(kind: LimitKind, first: FareLeg, last: FareLeg): number {
  const [from, to] = kind.split('_to_')
  const start = from === 'departure' ? first.departs : first.arrives
  return (to === 'departure' ? last.departs : last.arrives) - start
}

/** Among payments that are equivalent for later transfers, keeps only the cheapest. */
function keepCheapest(payments: readonly Payment[]): Payment[] {
  const least = new Map<string, Payment>()
  for (const payment of payments) {
    const key = `${payment.group} ${payment.changes} ${payment.chainStart.departs} ${payment.lastAmount}`
    if (payment.amount < (least.get(key)?.amount ?? Infinity)) least.set(key, payment)
  }
  return [...least.values()]
}

function readTransfers(timetable: Timetable): TransferRule[] {
  return carriedRows(timetable, 'fare_transfer_rules.txt').flatMap((row) => {
    const kind = TRANSFER_KINDS[Number(row('fare_transfer_type'))]
    const limit = row('duration_limit').trim()
    const limitKind = LIMIT_KINDS[Number(row('duration_limit_type') || 0)]
    const count = row('transfer_count').trim()
    if (kind === undefined || limitKind === undefined) return []
    return [
      {
        from: row('from_leg_group_id'),
        to: row('to_leg_group_id'),
        count: count === '' || count === '-1' ? Infinity : Number(count),
        limit: limit === '' ? Infinity : Number(limit),
        limitKind,
        kind,
        product: row('fare_product_id'),
        feed: row('feed_ordinal'),
      },
    ]
  })
}
