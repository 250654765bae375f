// Tests GTFS fares, version 2. The price in each case was worked out by hand from the GTFS reference. Fails if the
// wrong rule is used, if a time limit starts at the wrong time, or if an amount is wrong.
import { describe, expect, test } from 'bun:test'
import type { FareRide } from '../../indexes/fares/fare-ride.ts'
import { Fares } from '../../indexes/fares/fares.ts'
import { findLine } from '../../indexes/timetable/lines.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import { type FeedTexts, SMALL_FEED } from '../feeds/text-feed.ts'
import { timetableOf } from './built-feed.ts'

/** Wednesday, 8:00 in Paris. */
const EIGHT = Date.parse('2026-06-10T06:00:00Z') / 1000

/** Rows for the files of a feed. `cost` adds the headers from `HEADERS`. */
interface Lists {
  readonly products?: readonly string[]
  readonly legs?: readonly string[]
  /** Like `legs`, with rule_priority as their last column. */
  readonly rankedLegs?: readonly string[]
  readonly transfers?: readonly string[]
  readonly joins?: readonly string[]
  readonly areas?: readonly string[]
  readonly times?: readonly string[]
  readonly categories?: readonly string[]
  readonly networks?: readonly string[]
  readonly routes?: readonly string[]
}

const HEADERS: Readonly<Record<keyof Lists, readonly [file: string, header: string]>> = {
  products: ['fare_products.txt', 'fare_product_id,rider_category_id,fare_media_id,amount,currency'],
  legs: [
    'fare_leg_rules.txt',
    'leg_group_id,network_id,from_area_id,to_area_id,from_timeframe_group_id,to_timeframe_group_id,fare_product_id',
  ],
  rankedLegs: [
    'fare_leg_rules.txt',
    'leg_group_id,network_id,from_area_id,to_area_id,from_timeframe_group_id,to_timeframe_group_id,fare_product_id,rule_priority',
  ],
  transfers: [
    'fare_transfer_rules.txt',
    'from_leg_group_id,to_leg_group_id,transfer_count,duration_limit,duration_limit_type,fare_transfer_type,fare_product_id',
  ],
  joins: ['fare_leg_join_rules.txt', 'from_network_id,to_network_id,from_stop_id,to_stop_id'],
  areas: ['stop_areas.txt', 'area_id,stop_id'],
  times: ['timeframes.txt', 'timeframe_group_id,start_time,end_time,service_id'],
  categories: ['rider_categories.txt', 'rider_category_id,rider_category_name,is_default_fare_category'],
  networks: ['route_networks.txt', 'network_id,route_id'],
  routes: ['routes.txt', 'route_id,agency_id,route_short_name,route_long_name,route_type,network_id'],
}

/** In euros, a tram costs 2.00, a bus 1.00, a change 0.30, and the product `both` 2.40; the discount is 0.50. */
const BASE: Lists = {
  products: ['tram,,,2.00,EUR', 'bus,,,1.00,EUR', 'change,,,0.30,EUR', 'discount,,,-0.50,EUR', 'both,,,2.40,EUR'],
  legs: ['t,trams,,,,,tram', 'b,buses,,,,,bus'],
  networks: ['trams,A', 'buses,7'],
}

/**
 * Rides, each as `line from>to departure-arrival`, with times in minutes after 8:00. A `+` at the end of a ride means
 * that the rider stays seated.
 */
type Rides = string

async function cost(lists: Lists, rides: Rides): Promise<string | undefined> {
  const files: Record<string, string> = {
    ...SMALL_FEED,
    'calendar.txt': `${SMALL_FEED['calendar.txt']}
      weekend,0,0,0,0,0,1,1,20260101,20261231
      thursday,0,0,0,1,0,0,0,20260101,20261231`,
  }
  const { legs, ...others } = BASE
  const all: Lists = { ...others, ...(lists.rankedLegs === undefined ? { legs } : {}), ...lists }
  for (const [name, [file, header]] of Object.entries(HEADERS)) {
    const rows = all[name as keyof Lists]
    if (rows !== undefined) files[file] = [header, ...rows].join('\n')
  }
  const timetable = await timetableOf(files as FeedTexts)
  const requested = rides.split(', ').map((ride): FareRide => {
    const [, line = '', from = '', to = '', leaves, arrives, seated] =
      /^(\S+) (\S+)>(\S+) (\d+)-(\d+)(\+?)$/.exec(ride) ?? []
    const found = findLine(timetable, line)
    const stops = [from, to].flatMap((id) => findStop(timetable, id) ?? [])
    if (found === undefined || stops.length < 2) throw new Error(`${ride} is not in the feed`)
    return {
      line: found,
      stops,
      departs: EIGHT + Number(leaves) * 60,
      arrives: EIGHT + Number(arrives) * 60,
      staysSeated: seated === '+',
    }
  })
  const fare = new Fares(timetable).cheapest(requested)
  return fare && `${fare.amount} ${fare.currency}`
}

const TRAM = 'A G>CA 0-12'
const BUS = '7 CB>T 20-30'
const CHANGE = `${TRAM}, ${BUS}`
const TRAM_AGAIN = 'A CB>G 20-30'
const TRAM_THIRD = 'A G>CA 40-50'

const NO_PRICE = undefined
type Case = readonly [words: string, lists: Lists, rides: Rides, price: string | undefined]

const CASES: Readonly<Record<string, readonly Case[]>> = {
  products: [
    ['a ride costs its product', {}, TRAM, '200 EUR'],
    ['without a rule for the change each leg is paid', {}, CHANGE, '300 EUR'],
    [
      'the cheaper of two products for a leg counts',
      { legs: ['t,trams,,,,,tram', 't,trams,,,,,bus'] },
      TRAM,
      '100 EUR',
    ],
    ['a product of 0 is free', { products: ['tram,,,0,EUR'] }, TRAM, '0 EUR'],
    ['amounts are in the smallest unit', { products: ['tram,,,230,JPY'] }, TRAM, '230 JPY'],
    ['an unknown product has no price', { legs: ['t,trams,,,,,gone'] }, TRAM, NO_PRICE],
    ['a leg without a rule makes the total unknown', { legs: ['t,trams,,,,,tram'] }, CHANGE, NO_PRICE],
    [
      'all legs are paid in one currency',
      { products: ['tram,,,2.00,EUR', 'tram,,,2.20,USD', 'bus,,,1.00,USD'] },
      CHANGE,
      '320 USD',
    ],
  ],
  'rider categories and media': [
    [
      'the default category pays',
      { products: ['tram,adult,,2.00,EUR', 'tram,child,,0.50,EUR'], categories: ['adult,Adult,1', 'child,Child,0'] },
      TRAM,
      '200 EUR',
    ],
    [
      'a product only for other riders has no price',
      { products: ['tram,child,,0.50,EUR'], categories: ['adult,Adult,1', 'child,Child,'] },
      TRAM,
      NO_PRICE,
    ],
    [
      'a product without a rider category is for all riders',
      { products: ['tram,adult,,2.00,EUR', 'tram,,,1.70,EUR'], categories: ['adult,Adult,1'] },
      TRAM,
      '170 EUR',
    ],
    ['the cheapest medium', { products: ['tram,,cash,2.00,EUR', 'tram,,card,1.80,EUR'] }, TRAM, '180 EUR'],
    [
      'each leg by its own medium',
      { products: ['tram,,cash,2.00,EUR', 'tram,,card,1.80,EUR', 'bus,,cash,1.00,EUR'] },
      CHANGE,
      '280 EUR',
    ],
  ],
  areas: [
    ['from one to another', { legs: ['x,,west,east,,,change'], areas: ['west,G', 'east,P'] }, 'A G>P 0-9', '30 EUR'],
    ['not the other way', { legs: ['x,,west,east,,,change'], areas: ['west,G', 'east,P'] }, 'A P>G 0-9', NO_PRICE],
    ['a station’s area covers its platforms', { legs: ['x,,mid,,,,change'], areas: ['mid,S'] }, 'A CA>P 0-9', '30 EUR'],
    [
      'a platform with a separate area is not in the area of its station',
      { legs: ['x,,mid,,,,change', 'y,,quay,,,,bus'], areas: ['mid,S', 'quay,CA'] },
      'A CA>P 0-9',
      '100 EUR',
    ],
    [
      'the other platform is still in it',
      { legs: ['x,,mid,,,,change', 'y,,quay,,,,bus'], areas: ['mid,S', 'quay,CA'] },
      'A CB>G 0-9',
      '30 EUR',
    ],
    ['a stop may be in two areas', { legs: ['x,,b,,,,change'], areas: ['a,G', 'b,G'] }, TRAM, '30 EUR'],
    [
      'an empty area stands for all areas that no rule names',
      { legs: ['x,,west,,,,change', 'y,,,,,,bus'], areas: ['west,G', 'east,P'] },
      'A P>CA 0-9',
      '100 EUR',
    ],
    [
      'and for none that a rule names',
      { legs: ['x,,west,east,,,change', 'y,,,,,,bus'], areas: ['west,G', 'east,P'] },
      'A G>CA 0-9',
      NO_PRICE,
    ],
    [
      'a stop without an area matches an empty one',
      { legs: ['y,,,,,,bus'], areas: ['west,G'] },
      'A P>CA 0-9',
      '100 EUR',
    ],
  ],
  networks: [
    [
      'may be named by the route itself',
      { networks: [], routes: ['A,V,A,Gare,0,trams', '7,V,7,Stade,3,'], legs: ['t,trams,,,,,tram'] },
      TRAM,
      '200 EUR',
    ],
    [
      'an empty network stands for all that no rule names',
      { legs: ['t,trams,,,,,tram', 'x,,,,,,change'] },
      BUS,
      '30 EUR',
    ],
    [
      'and for none that a rule names',
      { legs: ['t,trams,east,,,,tram', 'x,,,,,,change'], areas: ['east,P'] },
      TRAM,
      NO_PRICE,
    ],
    [
      'a route without a network matches an empty one',
      { networks: ['trams,A'], legs: ['x,,,,,,change'] },
      BUS,
      '30 EUR',
    ],
  ],
  priorities: [
    [
      'the highest that matches counts, even if it costs more',
      { rankedLegs: ['x,,,,,,change,1', 't,trams,,,,,tram,2'] },
      TRAM,
      '200 EUR',
    ],
    ['an empty priority is 0', { rankedLegs: ['x,,,,,,change,', 't,trams,,,,,tram,1'] }, TRAM, '200 EUR'],
    [
      'among equal ones, the cheapest counts',
      { rankedLegs: ['x,,,,,,change,1', 't,trams,,,,,tram,1'] },
      TRAM,
      '30 EUR',
    ],
    ['with them an empty network is any', { rankedLegs: ['x,,,,,,change,', 't,trams,east,,,,tram,2'] }, TRAM, '30 EUR'],
    [
      'a higher one that does not match does not count',
      { rankedLegs: ['x,,,,,,change,0', 'y,buses,,,,,bus,9'] },
      TRAM,
      '30 EUR',
    ],
    [
      'a matching area has the rank of its rule, not a higher one for being closer',
      { rankedLegs: ['x,,west,,,,change,0', 'y,,,,,,bus,1'], areas: ['west,G'] },
      TRAM,
      '100 EUR',
    ],
  ],
  timeframes: [
    [
      'begin with their first second',
      { legs: ['x,,,,peak,,bus'], times: ['peak,08:00:00,09:00:00,daily'] },
      TRAM,
      '100 EUR',
    ],
    ['end before their last', { legs: ['x,,,,peak,,bus'], times: ['peak,07:00:00,08:00:00,daily'] }, TRAM, NO_PRICE],
    ['at the end of the leg', { legs: ['x,,,,,late,bus'], times: ['late,08:12:00,09:00:00,daily'] }, TRAM, '100 EUR'],
    [
      'of both ends',
      { legs: ['x,,,,early,late,bus'], times: ['early,00:00:00,08:10:00,daily', 'late,08:20:00,,daily'] },
      TRAM,
      NO_PRICE,
    ],
    ['on the days of their service', { legs: ['x,,,,peak,,bus'], times: ['peak,,,weekend'] }, TRAM, NO_PRICE],
    [
      'may have several parts',
      { legs: ['x,,,,peak,,bus'], times: ['peak,06:00:00,07:00:00,daily', 'peak,08:00:00,08:01:00,daily'] },
      TRAM,
      '100 EUR',
    ],
    [
      'after midnight belong to the calendar day, not the service day',
      { legs: ['x,,,,night,,bus'], times: ['night,00:00:00,05:00:00,thursday'] },
      'A G>CA 965-970',
      '100 EUR',
    ],
    [
      'may rank above the rest',
      { rankedLegs: ['x,,,,,,change,0', 'y,,,,peak,,bus,1'], times: ['peak,07:00:00,09:00:00,daily'] },
      TRAM,
      '100 EUR',
    ],
  ],
  'transfer types': [
    ['0: the first leg and the change', { transfers: ['t,b,,,,0,change'] }, CHANGE, '230 EUR'],
    ['1: both legs and the change', { transfers: ['t,b,,,,1,change'] }, CHANGE, '330 EUR'],
    ['2: only the change', { transfers: ['t,b,,,,2,both'] }, CHANGE, '240 EUR'],
    ['a change without a product is free', { transfers: ['t,b,,,,0,'] }, CHANGE, '200 EUR'],
    ['a discount is a negative product', { transfers: ['t,b,,,,1,discount'] }, CHANGE, '250 EUR'],
    ['only in their direction', { transfers: ['b,t,,,,0,change'] }, CHANGE, '300 EUR'],
    ['empty groups stand for those that no rule names', { transfers: [',,,,,0,change'] }, CHANGE, '230 EUR'],
    ['and for none that a rule names', { transfers: [',,,,,0,change', 't,t,,,,0,'] }, CHANGE, '300 EUR'],
    [
      'a leg of another group starts a new sequence',
      { transfers: ['t,b,,,,0,'] },
      `${CHANGE}, A CB>G 40-50`,
      '400 EUR',
    ],
  ],
  'time limits': [
    ['0: departure to arrival', { transfers: ['t,b,,1800,0,0,'] }, CHANGE, '200 EUR'],
    ['0: a second too late', { transfers: ['t,b,,1799,0,0,'] }, CHANGE, '300 EUR'],
    ['1: departure to departure', { transfers: ['t,b,,1200,1,0,'] }, CHANGE, '200 EUR'],
    ['1: a second too late', { transfers: ['t,b,,1199,1,0,'] }, CHANGE, '300 EUR'],
    ['2: arrival to departure', { transfers: ['t,b,,480,2,0,'] }, CHANGE, '200 EUR'],
    ['2: a second too late', { transfers: ['t,b,,479,2,0,'] }, CHANGE, '300 EUR'],
    ['3: arrival to arrival', { transfers: ['t,b,,1080,3,0,'] }, CHANGE, '200 EUR'],
    ['3: a second too late', { transfers: ['t,b,,1079,3,0,'] }, CHANGE, '300 EUR'],
    [
      'of changes in a row from the first leg on',
      { transfers: ['t,t,-1,1800,1,0,'] },
      `${TRAM}, ${TRAM_AGAIN}, ${TRAM_THIRD}`,
      '400 EUR',
    ],
  ],
  'transfer limits': [
    ['one', { transfers: ['t,t,1,,,0,'] }, `${TRAM}, ${TRAM_AGAIN}`, '200 EUR'],
    [
      'after one change, a new ticket',
      { transfers: ['t,t,1,,,0,'] },
      `${TRAM}, ${TRAM_AGAIN}, ${TRAM_THIRD}`,
      '400 EUR',
    ],
    ['any', { transfers: ['t,t,-1,,,0,'] }, `${TRAM}, ${TRAM_AGAIN}, ${TRAM_THIRD}`, '200 EUR'],
    [
      'of several rules, the one with the smallest sufficient number applies',
      { transfers: ['t,t,1,,,0,change', 't,t,3,,,0,'] },
      `${TRAM}, ${TRAM_AGAIN}, ${TRAM_THIRD}`,
      '230 EUR',
    ],
    [
      'a rule with a limit before one without',
      { transfers: ['t,t,-1,,,0,', 't,t,1,,,0,change'] },
      `${TRAM}, ${TRAM_AGAIN}`,
      '230 EUR',
    ],
  ],
  joins: [
    [
      'two legs are one, from the first stop to the last',
      {
        networks: ['all,A', 'all,7'],
        legs: ['x,all,west,far,,,both'],
        areas: ['west,G', 'far,T'],
        joins: ['all,all,,'],
      },
      CHANGE,
      '240 EUR',
    ],
    [
      'three too',
      { networks: ['all,A', 'all,7'], legs: ['x,all,,,,,both'], joins: ['all,all,,'] },
      `${CHANGE}, 7 T>CB 40-50`,
      '240 EUR',
    ],
    [
      'at a station, whichever its platforms',
      { networks: ['all,A', 'all,7'], legs: ['x,all,,,,,both'], joins: ['all,all,S,S'] },
      CHANGE,
      '240 EUR',
    ],
    [
      'not at another stop',
      { networks: ['all,A', 'all,7'], legs: ['x,all,,,,,both'], joins: ['all,all,P,P'] },
      CHANGE,
      '480 EUR',
    ],
    [
      'a rule for one network does not match a leg of two networks',
      { legs: ['x,trams,,,,,tram'], joins: ['trams,buses,,'] },
      CHANGE,
      NO_PRICE,
    ],
    ['an empty network matches it', { legs: ['x,,,,,,both'], joins: ['trams,buses,,'] }, CHANGE, '240 EUR'],
    [
      'the change to the next leg counts from the first joined leg',
      {
        networks: ['all,A', 'all,7'],
        legs: ['x,all,,,,,both'],
        joins: ['all,all,CA,CB'],
        transfers: ['x,x,-1,2399,1,0,'],
      },
      `${CHANGE}, 7 T>CB 40-50`,
      '480 EUR',
    ],
    ['a ride during which riders stay seated is one leg', {}, 'A G>CA 0-12, A CA>P 12-20+', '200 EUR'],
  ],
}

for (const [what, cases] of Object.entries(CASES)) {
  describe(`fares by ${what}`, () => {
    test.each(cases.map((each) => [...each]))('%s', async (_words, lists, rides, price) => {
      expect(await cost(lists, rides)).toBe(price)
    })
  })
}

test('there are enough cases', () => {
  expect(Object.values(CASES).flat().length).toBeGreaterThanOrEqual(40)
})
