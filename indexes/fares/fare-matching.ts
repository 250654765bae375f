// GTFS Fares V2: finds the leg rules (fare_leg_rules.txt) that apply to a ride, by network, area and time of day, and
// the lowest price of their products.
import { textOf } from '../../loaders/strings.ts'
import { localDay, localSecondOfDay } from '../timetable/service-dates.ts'
import { isActive, type ServiceIndex, type Timetable } from '../timetable/timetable.ts'
import { carriedRows, hasCarriedColumn } from './carried-rows.ts'
import type { Fare, NamedRide } from './fare-ride.ts'
import { toSignedMinorUnits } from './money.ts'

/** The rides that get one price from a leg rule: one ride, or several rides that count as one leg. */
export interface FareLeg {
  readonly networks: readonly (readonly string[])[]
  readonly fromStops: readonly string[]
  readonly toStops: readonly string[]
  readonly departs: number
  readonly arrives: number
  readonly feed: string
}

/** The price of one leg. */
export interface LegPrice extends Fare {
  /** The leg_group_id of the rule that sets the price. */
  readonly group: string
}

interface LegRule {
  readonly group: string
  readonly network: string
  readonly fromArea: string
  readonly toArea: string
  readonly fromTimes: string
  readonly toTimes: string
  readonly product: string
  readonly priority: number
  readonly feed: string
}

/** A part of the day, in seconds after midnight; the end is exclusive. It applies only on the days of a service. */
interface Timeframe {
  readonly start: number
  readonly end: number
  /**
   * The timeframe applies on the days of this service. Undefined if the calendar does not have the service; the
   * timeframe then never applies.
   */
  readonly service: ServiceIndex | undefined
}

/** The rules that price a leg. */
export class FareMatching {
  private readonly timetable: Timetable
  private readonly rules: readonly LegRule[]
  /**
   * Whether fare_leg_rules.txt has the column rule_priority. If it does, an empty condition matches every value. If
   * not, an empty condition matches only values that no rule names.
   */
  private readonly hasPriorities: boolean
  private readonly products: ReadonlyMap<string, readonly Fare[]>
  private readonly areasOfStop = new Map<string, string[]>()
  private readonly networksOfRoute = new Map<string, string[]>()
  private readonly timeframes = new Map<string, Timeframe[]>()
  private readonly namedNetworks: ReadonlySet<string>
  private readonly namedFromAreas: ReadonlySet<string>
  private readonly namedToAreas: ReadonlySet<string>

  constructor(timetable: Timetable) {
    this.timetable = timetable
    this.rules = readLegRules(timetable)
    this.hasPriorities = hasCarriedColumn(timetable, 'fare_leg_rules.txt', 'rule_priority')
    this.products = readProducts(timetable)
    for (const row of carriedRows(timetable, 'stop_areas.txt')) {
      this.areasOfStop.getOrInsertComputed(row('stop_id'), () => []).push(row('area_id'))
    }
    for (const row of carriedRows(timetable, 'route_networks.txt')) {
      this.networksOfRoute.getOrInsertComputed(row('route_id'), () => []).push(row('network_id'))
    }
    this.readTimeframes()
    this.namedNetworks = new Set(this.rules.map(({ network }) => network))
    this.namedFromAreas = new Set(this.rules.map(({ fromArea }) => fromArea))
    this.namedToAreas = new Set(this.rules.map(({ toArea }) => toArea))
  }

  get isEmpty(): boolean {
    return this.rules.length === 0
  }

  /** The networks of a ride's route. */
  networksOf({ line, route }: NamedRide): string[] {
    const own = textOf(this.timetable.strings, this.timetable.lines.fareNetwork[line])
    const others = this.networksOfRoute.get(route) ?? []
    return own === '' ? others : [own, ...others]
  }

  /**
   * The lowest price of each leg group in each currency. Only the matching rules with the highest priority count. Empty
   * if no rule matches.
   */
  pricesOf(leg: FareLeg): LegPrice[] {
    const fitting = this.rules.filter((rule) => this.fits(rule, leg))
    const best = Math.max(...fitting.map(({ priority }) => priority))
    const least = new Map<string, LegPrice>()
    for (const { group, product, priority } of fitting) {
      if (priority < best) continue
      for (const { amount, currency } of this.products.get(product) ?? []) {
        const key = `${group} ${currency}`
        if (amount < (least.get(key)?.amount ?? Infinity)) least.set(key, { group, amount, currency })
      }
    }
    return [...least.values()]
  }

  /** The lowest price of a product in a currency; undefined if the product has no price in this currency. */
  priceOfProduct(product: string, currency: string): number | undefined {
    const amounts = (this.products.get(product) ?? []).filter((fare) => fare.currency === currency)
    return amounts.length === 0 ? undefined : Math.min(...amounts.map(({ amount }) => amount))
  }

  private fits(rule: LegRule, leg: FareLeg): boolean {
    if (rule.feed !== '' && rule.feed !== leg.feed) return false
    return (
      leg.networks.every((networks) => this.fitsId(rule.network, networks, this.namedNetworks)) &&
      this.fitsId(rule.fromArea, this.areasOf(leg.fromStops), this.namedFromAreas) &&
      this.fitsId(rule.toArea, this.areasOf(leg.toStops), this.namedToAreas) &&
      this.fitsTimes(rule.fromTimes, leg.departs) &&
      this.fitsTimes(rule.toTimes, leg.arrives)
    )
  }

  /** The areas of a stop; if it has none, the areas of its station. */
  private areasOf(stopAndStation: readonly string[]): readonly string[] {
    const named = stopAndStation.find((stop) => this.areasOfStop.has(stop))
    return (named === undefined ? undefined : this.areasOfStop.get(named)) ?? []
  }

  private fitsId(wanted: string, has: readonly string[], named: ReadonlySet<string>): boolean {
    if (wanted !== '') return has.includes(wanted)
    return this.hasPriorities || !has.some((id) => named.has(id))
  }

  private fitsTimes(group: string, seconds: number): boolean {
    if (group === '') return true
    const { timetable } = this
    const second = localSecondOfDay(timetable, seconds)
    const day = localDay(timetable, seconds)
    return (this.timeframes.get(group) ?? []).some(
      ({ start, end, service }) =>
        second >= start && second < end && service !== undefined && isDayOf(timetable, service, day),
    )
  }

  private readTimeframes(): void {
    const rows = carriedRows(this.timetable, 'timeframes.txt')
    if (rows.length === 0) return
    const { serviceDays, strings } = this.timetable
    const services = new Map<string, ServiceIndex>()
    for (let service = 0 as ServiceIndex; service < serviceDays.serviceId.length; service++) {
      services.set(textOf(strings, serviceDays.serviceId[service]), service)
    }
    for (const row of rows) {
      const service = services.get(row('service_id'))
      this.timeframes
        .getOrInsertComputed(row('timeframe_group_id'), () => [])
        .push({
          start: toSeconds(row('start_time')) ?? 0,
          end: toSeconds(row('end_time')) ?? DAY_SECONDS,
          service,
        })
    }
  }
}

const DAY_SECONDS = 86_400
const CLOCK = /^(\d{1,2}):(\d\d):(\d\d)$/

function toSeconds(text: string): number | undefined {
  const match = CLOCK.exec(text.trim())
  return match === null ? undefined : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])
}

function isDayOf(timetable: Timetable, service: ServiceIndex, day: number): boolean {
  return day >= 0 && day < timetable.meta.dayCount && isActive(timetable, service, day)
}

function readLegRules(timetable: Timetable): LegRule[] {
  return carriedRows(timetable, 'fare_leg_rules.txt').map((row) => ({
    group: row('leg_group_id'),
    network: row('network_id'),
    fromArea: row('from_area_id'),
    toArea: row('to_area_id'),
    fromTimes: row('from_timeframe_group_id'),
    toTimes: row('to_timeframe_group_id'),
    product: row('fare_product_id'),
    priority: Number(row('rule_priority') || 0),
    feed: row('feed_ordinal'),
  }))
}

/** Product → its prices for the default rider category, one per fare medium. */
function readProducts(timetable: Timetable): Map<string, Fare[]> {
  const usual = new Set(
    carriedRows(timetable, 'rider_categories.txt')
      .filter((row) => row('is_default_fare_category') === '1')
      .map((row) => row('rider_category_id')),
  )
  const products = new Map<string, Fare[]>()
  for (const row of carriedRows(timetable, 'fare_products.txt')) {
    const category = row('rider_category_id')
    if (category !== '' && !usual.has(category)) continue
    const currency = row('currency').trim().toUpperCase()
    const amount = toSignedMinorUnits(row('amount'), currency)
    if (amount !== undefined) products.getOrInsertComputed(row('fare_product_id'), () => []).push({ amount, currency })
  }
  return products
}
