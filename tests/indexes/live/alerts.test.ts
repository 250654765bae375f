// Alerts read for a snapshot and asked by line, stop and area. The oracle knows the feed as the tables below and asks each
// selector of each line and stop in turn, without any index; the other tests are the decisions, one by one.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type AlertFeed, AlertMemory, AlertReader } from '../../../indexes/live/alert-reader.ts'
import { AlertIndex, alertPeriod, type NetworkAlerts } from '../../../indexes/live/alerts.ts'
import { findArea } from '../../../indexes/timetable/areas.ts'
import { findLine } from '../../../indexes/timetable/lines.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import type { AlertReport, EntitySelector } from '../../../loaders/gtfs-rt/message.ts'
import { textOf } from '../../../loaders/strings.ts'
import { bySize, SEED } from '../../size.ts'
import { timetableOf } from '../built-feed.ts'
import { alert, descriptor, period, selector, text } from './alert-reports.ts'

/** The feed as the oracle knows it. */
const AGENCIES = ['V', 'W']
const LINES = [
  { id: 'A', agency: 'V', type: 0, trips: ['a1', 'a2'] },
  { id: 'M', agency: 'V', type: 1, trips: ['m1'] },
  { id: '7', agency: 'V', type: 3, trips: ['b1'] },
  { id: 'X', agency: 'W', type: 702, trips: ['x1'] },
  { id: 'Y', agency: 'W', type: 704, trips: ['y1'] },
]
const STOPS = [
  { id: 'CA', area: 'S' },
  { id: 'CB', area: 'S' },
  { id: 'G', area: undefined },
  { id: 'P', area: undefined },
]
/** Route types that are buses. */
const BUS_TYPES = [3, 702, 704]

const timetable = await timetableOf({
  'agency.txt': `agency_id,agency_name,agency_url,agency_timezone
    V,Ville,https://ville.example,Europe/Paris
    W,Vallée,https://vallee.example,Europe/Paris`,
  'feed_info.txt': `feed_publisher_name,feed_publisher_url,feed_lang
    Ville,https://ville.example,fr`,
  'stops.txt': `stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
    S,Centre,48.58,7.75,1,
    CA,Centre,48.5801,7.7501,0,S
    CB,Centre,48.5799,7.7499,0,S
    G,Gare,48.585,7.735,0,
    P,Port,48.575,7.77,0,`,
  'routes.txt': ['route_id,agency_id,route_short_name,route_type']
    .concat(LINES.map(({ id, agency, type }) => `${id},${agency},${id},${type}`))
    .join('\n'),
  'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260101,20261231`,
  'trips.txt': ['route_id,service_id,trip_id']
    .concat(LINES.flatMap(({ id, trips }) => trips.map((trip) => `${id},daily,${trip}`)))
    .join('\n'),
  'stop_times.txt': ['trip_id,arrival_time,departure_time,stop_id,stop_sequence']
    .concat(
      LINES.flatMap(({ trips }) =>
        trips.flatMap((trip) => [`${trip},08:00:00,08:00:00,G,1`, `${trip},08:05:00,08:05:00,CA,2`]),
      ),
    )
    .join('\n'),
})

const NOW = Date.parse('2026-06-10T06:00:00Z') / 1000
const basis = { snapshotId: 'snap', timetable }

function read(...alerts: AlertReport[]) {
  return new AlertReader(basis).read([{ id: 'rt', alerts }], NOW)
}

function indexOf(alerts: NetworkAlerts): AlertIndex {
  return new AlertIndex(timetable, alerts)
}

const lineOf = (id: string) => findLine(timetable, id) ?? fail(id)
const stopOf = (id: string) => findStop(timetable, id) ?? fail(id)
const areaOf = (id: string) => findArea(timetable, id) ?? fail(id)
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort()

function fail(id: string): never {
  throw new Error(`the feed lacks ${id}`)
}

/** Where an alert of these selectors shows: lines, stops, areas. */
function shownOn(...selectors: EntitySelector[]): string[] {
  const index = indexOf(read(alert('1', { selectors })).alerts)
  return [
    ...LINES.filter(({ id }) => index.listOfLine(lineOf(id), NOW).length > 0).map(({ id }) => id),
    ...STOPS.filter(({ id }) => index.listOfStop(stopOf(id), NOW).length > 0).map(({ id }) => id),
    ...(index.listOfArea(areaOf('S'), NOW).length > 0 ? ['S'] : []),
  ]
}

describe('selectors', () => {
  test.each<[string, Partial<EntitySelector>, string[]]>([
    ['a route', { routeId: '7' }, ['7']],
    ['a trip is its line', { trip: descriptor({ tripId: 'b1' }) }, ['7']],
    ['a trip that is added is its route', { trip: descriptor({ tripId: 'new', routeId: '7' }) }, ['7']],
    ['a route type is all of it', { routeType: 0 }, ['A']],
    ['a basic route type is every finer one', { routeType: 3 }, ['7', 'X', 'Y']],
    ['a finer route type is itself alone', { routeType: 702 }, ['X']],
    ['an agency is all its lines', { agencyId: 'W' }, ['X', 'Y']],
    ['an agency and a route type hold together', { agencyId: 'V', routeType: 3 }, ['7']],
    ['a direction of a route', { routeId: 'A', directionId: 1 }, ['A']],
    ['a stop', { stopId: 'G' }, ['G']],
    ['an agency and a stop are no alert of all its lines', { agencyId: 'V', stopId: 'G' }, ['G']],
    ['an agency that is called otherwise hides no route', { agencyId: 'MTASBWY', routeId: 'A' }, ['A']],
  ])('%s', (_, named, places) => {
    expect(shownOn(selector(named))).toEqual(places)
  })

  test('check 23: a route and a stop are neither all of the route nor all of the stop’s lines', () => {
    expect(shownOn(selector({ routeId: '7', stopId: 'G' }))).toEqual(['7', 'G'])
    // Where a part of it is not known, the whole is not: no alert of all the line.
    const { alerts, reasons } = read(alert('1', { selectors: [selector({ routeId: '7', stopId: 'gone' })] }))
    expect(alerts.rows).toEqual([])
    expect(reasons).toEqual({ unknown_stop: 1, alert_without_subject: 1 })
  })

  test('check 24: areas and their stops inherit both ways, stops not from each other', () => {
    expect(shownOn(selector({ stopId: 'S' }))).toEqual(['CA', 'CB', 'S'])
    expect(shownOn(selector({ stopId: 'CA' }))).toEqual(['CA', 'S'])
  })

  test('what contradicts itself holds nowhere', () => {
    for (const named of [
      { agencyId: 'W', routeId: '7' },
      { routeType: 1, routeId: '7' },
      { routeId: 'A', trip: descriptor({ tripId: 'b1' }) },
    ]) {
      const { alerts, reasons } = read(alert('1', { selectors: [selector(named)] }))
      expect(alerts.rows).toEqual([])
      expect(reasons).toEqual({ contradictory_selector: 1, alert_without_subject: 1 })
    }
  })

  test('a route type of another coding does not contradict its route', () => {
    expect(shownOn(selector({ routeId: 'X', routeType: 3 }))).toEqual(['X'])
    expect(shownOn(selector({ routeId: '7', routeType: 700 }))).toEqual(['7'])
  })

  test('a direction without a route is counted, and holds for nothing', () => {
    const { alerts, reasons } = read(alert('1', { selectors: [selector({ directionId: 1 })] }))
    expect(alerts.rows).toEqual([])
    expect(reasons).toEqual({ direction_without_route: 1, alert_without_subject: 1 })
  })

  test('of agencies and of the whole feed alerts are kept, whatever resolves', () => {
    const { alerts, reasons } = read(
      alert('whole'),
      alert('empty', { selectors: [selector({})] }),
      alert('agency', { selectors: [selector({ agencyId: 'elsewhere' })] }),
      alert('type', { selectors: [selector({ routeType: 4 })] }),
      alert('route', { selectors: [selector({ routeId: 'gone' })] }),
      alert('half', { selectors: [selector({ routeId: 'gone' }), selector({ routeId: 'A' })] }),
    )
    expect(idsOf(alerts.rows)).toEqual(['agency', 'empty', 'half', 'whole'])
    expect(reasons).toEqual({
      unknown_agency: 1,
      unknown_route_type: 1,
      unknown_route: 2,
      alert_without_subject: 2,
    })
    const index = indexOf(alerts)
    expect(alerts.rows.map((row) => index.linesOf(row).length)).toEqual([0, 0, 0, 1])
    expect(idsOf(index.listShown(NOW))).toEqual(['agency', 'empty', 'half', 'whole'])
  })

  test('the lines of an alert are listed once, in line order', () => {
    const { alerts } = read(
      alert('1', {
        selectors: [
          selector({ routeId: 'A' }),
          selector({ routeType: 3 }),
          selector({ trip: descriptor({ tripId: 'x1' }) }),
        ],
      }),
    )
    const [row] = alerts.rows
    const ids = row === undefined ? [] : indexOf(alerts).linesOf(row)
    expect(ids.map((line) => textOf(timetable.strings, timetable.lines.id[line]))).toEqual(['7', 'A', 'X', 'Y'])
  })

  test('are those of the oracle, for every line, stop and area', () => {
    const word = <T>(...words: T[]) => fc.option(fc.constantFrom(...words), { nil: undefined, freq: 1 })
    const anySelector = fc
      .record({
        agencyId: word('V', 'W', 'Z'),
        routeId: word('A', '7', 'X', 'gone'),
        routeType: word(0, 1, 3, 4, 700, 702, 1700),
        directionId: word(0, 1),
        tripId: word('a1', 'b1', 'x1', 'gone'),
        tripRoute: word('A', '7', 'gone'),
        hasTrip: fc.boolean(),
        stopId: word('CA', 'CB', 'G', 'S', 'gone'),
      })
      .map(({ tripId, tripRoute, hasTrip, ...named }) =>
        selector({ ...named, trip: hasTrip ? descriptor({ tripId, routeId: tripRoute }) : undefined }),
      )
    const anyAlerts = fc.array(fc.array(anySelector, { maxLength: 3 }), { maxLength: 5 })
    fc.assert(
      fc.property(anyAlerts, (lists) => {
        const reports = lists.map((selectors, number) => alert(String(number), { selectors }))
        const index = indexOf(read(...reports).alerts)
        const touching = (touches: (selectors: readonly EntitySelector[]) => boolean) =>
          idsOf(reports.filter(({ selectors }) => touches(selectors)).map(({ entityId }) => ({ id: entityId })))
        expect(idsOf(index.listShown(NOW))).toEqual(touching(isKept))
        for (const line of LINES) {
          const expected = touching((selectors) => selectors.some((each) => namesLine(each, line)))
          expect(idsOf(index.listOfLine(lineOf(line.id), NOW))).toEqual(expected)
        }
        for (const stop of STOPS) {
          const names = [stop.id, stop.area]
          const expected = touching((selectors) => selectors.some((each) => namesPlace(each, names)))
          expect(idsOf(index.listOfStop(stopOf(stop.id), NOW))).toEqual(expected)
        }
        const expected = touching((selectors) => selectors.some((each) => namesPlace(each, ['S', 'CA', 'CB'])))
        expect(idsOf(index.listOfArea(areaOf('S'), NOW))).toEqual(expected)
      }),
      { seed: SEED, numRuns: bySize({ quick: 1_000, ci: 10_000, full: 100_000 }) },
    )
  })
})

type Line = (typeof LINES)[number]

/** The lines that all named parts of a selector leave; the trip's and the route's own are asked in turn. */
function fittingLines({ agencyId, routeId, routeType, trip, stopId }: EntitySelector): Line[] {
  const isNamed = routeId !== undefined || trip !== undefined
  return LINES.filter((line) => {
    const { id, agency, type } = line
    if (agencyId !== undefined && AGENCIES.includes(agencyId) && agency !== agencyId) return false
    if (routeId !== undefined && id !== routeId) return false
    if (trip !== undefined && !isLineOfTrip(line, trip, routeId)) return false
    if (routeType === undefined) return isNamed || (agencyId !== undefined && AGENCIES.includes(agencyId))
    const isBus = BUS_TYPES.includes(type)
    if (isNamed) return type === routeType || (isBus && [3, 700, 702].includes(routeType))
    return type === routeType || (isBus && routeType === 3)
  }).filter(() => isNamed || stopId === undefined)
}

function isLineOfTrip(line: Line, trip: NonNullable<EntitySelector['trip']>, routeId: string | undefined): boolean {
  const ofTrip = LINES.find(({ trips }) => trips.includes(trip.tripId ?? ''))
  const ofRoute = LINES.find(({ id }) => id === trip.routeId)
  const meant = ofTrip ?? ofRoute
  // A trip that nobody knows says nothing more than the route beside it.
  return meant === undefined ? line.id === routeId : meant === line
}

function isKnownStop(stopId: string | undefined): boolean {
  return stopId === 'S' || STOPS.some(({ id }) => id === stopId)
}

/** Whether all that a selector names is there at once. */
function holds(each: EntitySelector): boolean {
  const { agencyId, routeId, routeType, directionId, trip, stopId } = each
  if (stopId !== undefined && !isKnownStop(stopId)) return false
  if (routeId !== undefined || trip !== undefined) return fittingLines(each).length > 0
  if (stopId !== undefined || agencyId !== undefined) return true
  if (routeType !== undefined) return fittingLines(each).length > 0
  return directionId === undefined
}

function namesLine(each: EntitySelector, line: Line): boolean {
  return holds(each) && fittingLines(each).includes(line)
}

function namesPlace(each: EntitySelector, ids: readonly (string | undefined)[]): boolean {
  return holds(each) && each.stopId !== undefined && ids.includes(each.stopId)
}

function isKept(selectors: readonly EntitySelector[]): boolean {
  return selectors.length === 0 || selectors.some(holds)
}

describe('periods', () => {
  const isShownAt = (seconds: number, ...periods: ReturnType<typeof period>[]) =>
    indexOf(read(alert('1', { activePeriods: periods })).alerts).listShown(seconds).length > 0

  test('start inclusive, end exclusive', () => {
    const shown = [999, 1000, 1999, 2000].map((seconds) => isShownAt(seconds, period(1000, 2000)))
    expect(shown).toEqual([false, true, true, false])
  })

  test('a missing bound is open, no period is always, several are each', () => {
    expect([0, 1999, 2000].map((seconds) => isShownAt(seconds, period(undefined, 2000)))).toEqual([true, true, false])
    expect([999, 1000, 9e9].map((seconds) => isShownAt(seconds, period(1000)))).toEqual([false, true, true])
    expect(isShownAt(5)).toBe(true)
    const two = [period(3000, 4000), period(1000, 2000)]
    expect([1500, 2500, 3500, 4500].map((seconds) => isShownAt(seconds, ...two))).toEqual([true, false, true, false])
  })

  test('the pair is the period that holds the moment, else the next, else the last', () => {
    const periods = [period(5000, 6000), period(1000, 2000), period(3000, 4000)]
    const [row] = read(alert('1', { activePeriods: periods })).alerts.rows
    const startAt = (seconds: number) => row && alertPeriod(row, seconds).startSeconds
    expect([0, 1000, 1999, 2000, 3999, 4000, 7000].map(startAt)).toEqual([1000, 1000, 1000, 3000, 3000, 5000, 5000])
  })

  test('communication periods decide when it is shown, impact periods what is shown', () => {
    const { alerts } = read(
      alert('1', {
        activePeriods: [period(1, 2)],
        communicationPeriods: [period(1000, 2000)],
        impactPeriods: [period(5000, 6000)],
      }),
      alert('2', { activePeriods: [period(3000, 4000)], communicationPeriods: [period(1000, 2000)] }),
      alert('3', { communicationPeriods: [period(1000, 2000)] }),
    )
    expect(idsOf(indexOf(alerts).listShown(1500))).toEqual(['1', '2', '3'])
    expect(indexOf(alerts).listShown(3500)).toEqual([])
    expect(alerts.rows.map((row) => alertPeriod(row, 1500))).toEqual([
      period(5000, 6000),
      period(3000, 4000),
      period(1000, 2000),
    ])
  })

  test('"for good" is open, an empty period none; what has no other is left out', () => {
    const { alerts, reasons } = read(
      alert('good', { activePeriods: [period(0, 2 ** 63)] }),
      alert('half', { activePeriods: [period(2000, 1000), period(1000, 0)] }),
      alert('never', { activePeriods: [period(2000, 2000)] }),
    )
    expect(alerts.rows.map(({ id, shownPeriods }) => [id, shownPeriods])).toEqual([
      ['good', [period()]],
      ['half', [period(1000)]],
    ])
    expect(reasons).toEqual({ empty_alert_period: 2, alert_never_active: 1 })
  })

  test('are those of the oracle at every second', () => {
    const bound = fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined })
    fc.assert(
      fc.property(fc.array(fc.tuple(bound, bound), { maxLength: 4 }), (pairs) => {
        const { rows } = read(alert('1', { activePeriods: pairs.map(([start, end]) => period(start, end)) })).alerts
        const index = indexOf({ snapshotId: 'snap', rows })
        for (let seconds = 0; seconds < 14; seconds++) {
          const holding = pairs.filter(([start = -1, end = 99]) => start <= seconds && seconds < end)
          expect(index.listShown(seconds).length > 0).toBe(pairs.length === 0 || holding.length > 0)
          if (holding.length === 0 || rows[0] === undefined) continue
          const { startSeconds, endSeconds } = alertPeriod(rows[0], seconds)
          expect(holding).toContainEqual([startSeconds, endSeconds])
        }
      }),
      { seed: SEED, numRuns: bySize({ quick: 500, ci: 5_000, full: 50_000 }) },
    )
  })
})

describe('words and texts', () => {
  const first = (said: Partial<AlertReport>) => read(alert('1', said)).alerts.rows[0]

  test('severe is critical, what nobody knows is unknown', () => {
    const words = ['unknown', 'info', 'warning', 'severe', '', 'toString'].map(
      (severity) => first({ severity })?.severity,
    )
    expect(words).toEqual(['unknown', 'info', 'warning', 'critical', 'unknown', 'unknown'])
    expect(first({ cause: 'special_event', effect: 'stop_moved' })).toMatchObject({
      cause: 'special_event',
      effect: 'stop_moved',
    })
    expect(first({ cause: 'aliens', effect: '' })).toMatchObject({ cause: 'unknown_cause', effect: 'unknown_effect' })
  })

  test('the operator’s language, else none, else the first', () => {
    const titleOf = (header: Readonly<Record<string, string>>) => first({ header: text(header) })?.title
    expect(titleOf({ en: 'Works', '': 'Chantier', FR: 'Travaux' })).toBe('Travaux')
    expect(titleOf({ en: 'Works', 'fr-html': '<b>Travaux</b>' })).toBe('Travaux')
    expect(titleOf({ 'fr-CA': 'Chantier', fr: 'Travaux' })).toBe('Travaux')
    expect(titleOf({ en: 'Works', '': 'Chantier' })).toBe('Chantier')
    expect(titleOf({ en: 'Works', de: 'Arbeiten' })).toBe('Works')
    expect(titleOf({ fr: ' <br> ', en: 'Works' })).toBe('Works')
    expect(titleOf({})).toBe('')
  })

  test('HTML goes, line breaks stay; the title is one line', () => {
    expect(
      first({ header: text('<b>A</b><br>B'), description: text('<p>Un</p><p>Deux &amp; trois</p>') }),
    ).toMatchObject({
      title: 'A B',
      message: 'Un\n\nDeux & trois',
    })
  })

  test('long texts are cut and counted', () => {
    const { alerts, reasons } = read(alert('1', { description: text('é'.repeat(20_000)) }))
    expect(alerts.rows[0]?.message).toHaveLength(10_000)
    expect(alerts.rows[0]?.message.endsWith('é…')).toBe(true)
    expect(reasons).toEqual({ alert_text_cut: 1 })
  })

  test('addresses of the web, and no others', () => {
    const urlOf = (url: string) => first({ url: text(url) })?.url
    expect(urlOf(' https://ville.example/infos?a=1&b=2 ')).toBe('https://ville.example/infos?a=1&b=2')
    expect(['javascript:alert(1)', 'www.ville.example', '', 'data:text/html,x'].map(urlOf)).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(read(alert('1', { url: text('javascript:alert(1)') })).reasons).toEqual({ unusable_alert_url: 1 })
  })
})

describe('from one reading to the next', () => {
  const feedOf = (id: string, ...alerts: AlertReport[]): AlertFeed => ({ id, alerts })

  test('an alert is updated when its content changes, not when it comes again or is numbered anew', () => {
    const reader = new AlertReader(basis)
    const updatedAt = (report: AlertReport, nowSeconds: number) =>
      reader.read([feedOf('rt', report)], nowSeconds).alerts.rows[0]?.updatedSeconds
    expect(updatedAt(alert('1', { header: text('Travaux') }), 100)).toBe(100)
    expect(updatedAt(alert('1', { header: text('<b>Travaux</b>') }), 130)).toBe(100)
    expect(updatedAt(alert('2', { header: text('Travaux') }), 160)).toBe(100)
    expect(updatedAt(alert('2', { header: text('Fin des travaux') }), 190)).toBe(190)
  })

  test('a failing upstream and a new snapshot make nothing new; an hour of silence does', () => {
    const memory = new AlertMemory()
    const updatedAt = (nowSeconds: number, ...alerts: AlertReport[]) =>
      new AlertReader(basis, memory).read([feedOf('rt', ...alerts)], nowSeconds).alerts.rows[0]?.updatedSeconds
    updatedAt(100, alert('1'))
    updatedAt(2000)
    expect(updatedAt(3000, alert('1'))).toBe(100)
    updatedAt(6601)
    expect(updatedAt(6602, alert('1'))).toBe(6602)
  })

  test('feeds that use one id are told apart, and nothing is lost', () => {
    const { alerts, reasons } = new AlertReader(basis).read(
      [feedOf('bus', alert('1', { header: text('a') })), feedOf('tram', alert('1', { header: text('b') }), alert('2'))],
      NOW,
    )
    expect(alerts.rows.map(({ id, feed, title }) => [id, feed, title])).toEqual([
      ['1', 'bus', 'a'],
      ['tram:1', 'tram', 'b'],
      ['2', 'tram', 'Title 2'],
    ])
    expect(reasons).toEqual({ repeated_alert_id: 1 })
  })

  test('rows go to threads and into JSON as they are', () => {
    const { alerts } = read(
      alert('1', { activePeriods: [period(1000, 2000), period(3000)], selectors: [selector({ agencyId: 'V' })] }),
      alert('2', { selectors: [selector({ stopId: 'S' }), selector({ routeId: 'A' })] }),
    )
    expect(structuredClone(alerts)).toEqual(alerts)
    expect(JSON.parse(JSON.stringify(alerts))).toEqual(JSON.parse(JSON.stringify(structuredClone(alerts))))
    const again: NetworkAlerts = JSON.parse(JSON.stringify(alerts))
    expect(idsOf(indexOf(again).listOfLine(lineOf('A'), 1500))).toEqual(['1', '2'])
  })
})
