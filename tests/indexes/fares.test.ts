// Tests prices of journeys with small price lists. The prices were worked out by hand from the GTFS reference. Fails if
// a price includes a ticket or product that does not apply, or if it is not the cheapest total.
import { describe, expect, test } from 'bun:test'
import type { Fare, FareRide } from '../../indexes/fares/fare-ride.ts'
import { Fares } from '../../indexes/fares/fares.ts'
import { toMinorUnits } from '../../indexes/fares/money.ts'
import { findLine } from '../../indexes/timetable/lines.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import { type FeedTexts, SMALL_FEED } from '../feeds/text-feed.ts'
import { timetableOf } from './built-feed.ts'

const MORNING = Date.parse('2026-06-10T06:00:00Z') / 1000

/** A ride: its line and stops, and its departure and arrival in minutes after 8:00. */
type Ride = readonly [line: string, stops: readonly string[], leaves: number, arrives: number, staysSeated?: boolean]

const TRAM: Ride = ['A', ['G', 'CA', 'P'], 0, 12]
const BUS: Ride = ['7', ['CB', 'T'], 20, 30]

/** The price of a journey in the small feed with the given price lists. Zones: 1 (G, CA, CB), 2 (P), 3 (T). */
async function cost(lists: FeedTexts, ...rides: readonly Ride[]): Promise<Fare | undefined> {
  const zones: Record<string, string> = { S: '1', CA: '1', CB: '1', G: '1', P: '2', T: '3' }
  const [header, ...rows] = (SMALL_FEED['stops.txt'] ?? '').trim().split('\n')
  const stops = [`${header},zone_id`, ...rows.map((row) => `${row},${zones[row.trim().split(',')[0] ?? '']}`)]
  const timetable = await timetableOf({ ...SMALL_FEED, 'stops.txt': stops.join('\n'), ...lists })
  const requested = rides.map(([line, ids, leaves, arrives, staysSeated = false]): FareRide => {
    const found = findLine(timetable, line)
    const places = ids.map((id) => findStop(timetable, id))
    if (found === undefined || places.includes(undefined)) throw new Error('the ride is not in the feed')
    return {
      line: found,
      stops: places.filter((stop) => stop !== undefined),
      departs: MORNING + leaves * 60,
      arrives: MORNING + arrives * 60,
      staysSeated,
    }
  })
  return new Fares(timetable).cheapest(requested)
}

const euro = (amount: number) => ({ amount, currency: 'EUR' })

describe('amounts', () => {
  test('are rounded half up to whole units of the currency', () => {
    expect(toMinorUnits('2.10', 'EUR')).toBe(210)
    expect(toMinorUnits('2.1', 'EUR')).toBe(210)
    expect(toMinorUnits('1.005', 'EUR')).toBe(101)
    expect(toMinorUnits('230', 'JPY')).toBe(230)
    expect(toMinorUnits('1.25', 'BHD')).toBe(1250)
    expect(toMinorUnits('0', 'EUR')).toBe(0)
  })

  test('prices that are negative or not numbers are unknown', () => {
    for (const text of ['', '-1', 'free', '1,50', '1e3']) expect(toMinorUnits(text, 'EUR')).toBeUndefined()
    expect(toMinorUnits('1', 'euro')).toBeUndefined()
  })
})

describe('tickets (fare_attributes.txt, fare_rules.txt)', () => {
  const attributes = (...rows: readonly string[]) => ({
    'fare_attributes.txt': ['fare_id,price,currency_type,payment_method,transfers,transfer_duration', ...rows].join(
      '\n',
    ),
  })
  const rules = (...rows: readonly string[]) => ({
    'fare_rules.txt': ['fare_id,route_id,origin_id,destination_id,contains_id', ...rows].join('\n'),
  })

  test('a feed without tickets gives no fare, which differs from 0', async () => {
    expect(await cost({}, TRAM)).toBeUndefined()
  })

  test('a ticket without rules covers every ride; empty transfers allow any change', async () => {
    expect(await cost(attributes('t,2.10,EUR,0,,'), TRAM, BUS)).toEqual(euro(210))
  })

  test('a ticket without changes is bought for each ride', async () => {
    expect(await cost(attributes('t,2.10,EUR,0,0,'), TRAM, BUS)).toEqual(euro(420))
  })

  test('staying seated is not a change', async () => {
    expect(await cost(attributes('t,2.10,EUR,0,0,'), TRAM, [...BUS.slice(0, 4), true] as unknown as Ride)).toEqual(
      euro(210),
    )
  })

  test('a change after the time limit needs another ticket', async () => {
    expect(await cost(attributes('t,2.10,EUR,0,,1200'), TRAM, BUS)).toEqual(euro(210))
    expect(await cost(attributes('t,2.10,EUR,0,,1199'), TRAM, BUS)).toEqual(euro(420))
  })

  test('the time limit counts until the last boarding; staying seated is not boarding', async () => {
    const on = (minute: number): Ride => ['7', ['CB', 'T'], minute, minute + 10, true]
    expect(await cost(attributes('t,2.10,EUR,0,,1200'), TRAM, BUS, on(31))).toEqual(euro(210))
    expect(await cost(attributes('t,2.10,EUR,0,,600'), TRAM, on(12), on(40))).toEqual(euro(210))
    expect(await cost(attributes('t,2.10,EUR,0,,1199'), TRAM, BUS, on(31))).toEqual(euro(420))
  })

  test('tickets for other routes do not count; a ride without a ticket makes the total unknown', async () => {
    const lists = { ...attributes('t,2.10,EUR,0,,', 'b,1.00,EUR,0,,'), ...rules('t,A,,,', 'b,7,,,') }
    expect(await cost(lists, TRAM)).toEqual(euro(210))
    expect(await cost(lists, TRAM, BUS)).toEqual(euro(310))
    expect(await cost({ ...attributes('t,2.10,EUR,0,,'), ...rules('t,A,,,') }, TRAM, BUS)).toBeUndefined()
  })

  test('tickets by origin and destination zone cover the whole journey if they allow changes', async () => {
    const lists = { ...attributes('near,1,EUR,0,,', 'far,3,EUR,0,,'), ...rules('near,,1,2,', 'far,,1,3,') }
    expect(await cost(lists, TRAM)).toEqual(euro(100))
    expect(await cost(lists, ['A', ['G', 'CA'], 0, 5], BUS)).toEqual(euro(300))
    expect(await cost(lists, ['A', ['P', 'CB'], 0, 5])).toBeUndefined()
  })

  test('tickets by zones passed cover exactly these zones', async () => {
    const lists = { ...attributes('c,4,EUR,0,,', 'd,9,EUR,0,,'), ...rules('c,,,,1', 'c,,,,2', 'd,,,,1') }
    expect(await cost(lists, TRAM)).toEqual(euro(400))
    expect(await cost(lists, ['A', ['G', 'CA'], 0, 5])).toEqual(euro(900))
  })

  test('the cheapest way to split a journey into tickets counts', async () => {
    const single = attributes('single,1.50,EUR,0,0,', 'hour,4,EUR,0,,3600')
    expect(await cost(single, TRAM, BUS)).toEqual(euro(300))
    expect(await cost(single, TRAM, BUS, ['A', ['P', 'CB'], 31, 40])).toEqual(euro(400))
  })

  test('a free ride costs 0 if the feed gives that price', async () => {
    expect(await cost(attributes('t,0.00,EUR,0,,'), TRAM)).toEqual(euro(0))
  })
})

describe('products (fare_leg_rules.txt and their companions)', () => {
  const base: FeedTexts = {
    'fare_products.txt': `fare_product_id,fare_product_name,rider_category_id,fare_media_id,amount,currency
      tram,Tram,adult,cash,2.00,EUR
      tram,Tram,adult,card,1.80,EUR
      tram,Tram,child,card,0.50,EUR
      bus,Bus,,,1.00,EUR
      change,Change,,,0.30,EUR`,
    'rider_categories.txt': `rider_category_id,rider_category_name,is_default_fare_category
      adult,Adult,1
      child,Child,0`,
    'route_networks.txt': `network_id,route_id
      trams,A
      buses,7`,
    'fare_leg_rules.txt': `leg_group_id,network_id,from_area_id,to_area_id,fare_product_id
      t,trams,,,tram
      b,buses,,,bus`,
  }
  const transfer = (row: string) => ({
    'fare_transfer_rules.txt': `from_leg_group_id,to_leg_group_id,transfer_count,duration_limit,duration_limit_type,fare_transfer_type,fare_product_id
      ${row}`,
  })

  test('an adult pays the cheapest medium; child prices are not used', async () => {
    expect(await cost(base, TRAM)).toEqual(euro(180))
  })

  test('without a transfer rule, each leg is paid', async () => {
    expect(await cost(base, TRAM, BUS)).toEqual(euro(280))
  })

  test('the three types of transfer: A + AB, A + AB + B, AB', async () => {
    expect(await cost({ ...base, ...transfer('t,b,,,,0,change') }, TRAM, BUS)).toEqual(euro(210))
    expect(await cost({ ...base, ...transfer('t,b,,,,1,change') }, TRAM, BUS)).toEqual(euro(310))
    expect(await cost({ ...base, ...transfer('t,b,,,,2,change') }, TRAM, BUS)).toEqual(euro(30))
    expect(await cost({ ...base, ...transfer('t,b,,,,0,') }, TRAM, BUS)).toEqual(euro(180))
  })

  test('a transfer is valid within its time, here 20 minutes between departures', async () => {
    expect(await cost({ ...base, ...transfer('t,b,,1200,1,0,') }, TRAM, BUS)).toEqual(euro(180))
    expect(await cost({ ...base, ...transfer('t,b,,1199,1,0,') }, TRAM, BUS)).toEqual(euro(280))
  })

  test('consecutive transfers within a group are counted', async () => {
    const back: Ride = ['A', ['P', 'CB'], 20, 30]
    const again: Ride = ['A', ['CA', 'P'], 40, 45]
    expect(await cost({ ...base, ...transfer('t,t,1,,,0,') }, TRAM, back)).toEqual(euro(180))
    expect(await cost({ ...base, ...transfer('t,t,1,,,0,') }, TRAM, back, again)).toEqual(euro(360))
    expect(await cost({ ...base, ...transfer('t,t,-1,,,0,') }, TRAM, back, again)).toEqual(euro(180))
  })

  test('areas: a station stands for its platforms; an empty rule matches what no other rule names', async () => {
    const lists: FeedTexts = {
      ...base,
      'stop_areas.txt': `area_id,stop_id
        center,S
        port,P`,
      'fare_leg_rules.txt': `leg_group_id,network_id,from_area_id,to_area_id,fare_product_id
        x,trams,center,port,change
        y,trams,,,tram`,
    }
    expect(await cost(lists, ['A', ['CA', 'P'], 0, 5])).toEqual(euro(30))
    // Neither rule applies. Rule x does not, because the ride does not start in the center. Rule y does not, because
    // its empty to_area_id excludes the area of P, which rule x names.
    expect(await cost(lists, TRAM)).toBeUndefined()
    expect(await cost(lists, ['A', ['G', 'CA'], 0, 5])).toEqual(euro(180))
  })

  test('with priorities, an empty rule matches everything, and the highest matching priority counts', async () => {
    const lists: FeedTexts = {
      ...base,
      'fare_leg_rules.txt': `leg_group_id,network_id,from_area_id,to_area_id,fare_product_id,rule_priority
        x,,,,change,
        y,trams,,,tram,2`,
    }
    expect(await cost(lists, TRAM)).toEqual(euro(180))
    expect(await cost(lists, BUS)).toEqual(euro(30))
  })

  test('times of day apply on the days of their service', async () => {
    const lists = (start: string, end: string, service = 'daily'): FeedTexts => ({
      ...base,
      'timeframes.txt': `timeframe_group_id,start_time,end_time,service_id
        peak,${start},${end},${service}`,
      'fare_leg_rules.txt': `leg_group_id,network_id,from_timeframe_group_id,fare_product_id
        x,trams,peak,tram`,
    })
    expect(await cost(lists('08:00:00', '09:00:00'), TRAM)).toEqual(euro(180))
    expect(await cost(lists('07:00:00', '08:00:00'), TRAM)).toBeUndefined()
    expect(await cost(lists('', ''), TRAM)).toEqual(euro(180))
    expect(await cost(lists('08:00:00', '09:00:00', 'never'), TRAM)).toBeUndefined()
  })

  test('legs joined by a rule count as one', async () => {
    const lists: FeedTexts = {
      ...base,
      'route_networks.txt': `network_id,route_id
        all,A
        all,7`,
      'fare_leg_rules.txt': `leg_group_id,network_id,fare_product_id
        t,all,tram`,
      'fare_leg_join_rules.txt': `from_network_id,to_network_id,from_stop_id,to_stop_id
        all,all,,`,
    }
    expect(await cost(lists, TRAM, BUS)).toEqual(euro(180))
  })

  test('routes.txt may name the network directly', async () => {
    const routes = `route_id,agency_id,route_short_name,route_long_name,route_type,network_id
      A,V,A,Gare - Port,0,trams
      7,V,7,Centre - Stade,3,`
    const { 'route_networks.txt': _, ...lists } = base
    expect(await cost({ ...lists, 'routes.txt': routes }, TRAM)).toEqual(euro(180))
    expect(await cost({ ...lists, 'routes.txt': routes }, BUS)).toBeUndefined()
  })
})
