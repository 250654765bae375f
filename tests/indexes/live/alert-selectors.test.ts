// Tests which lines, stops and areas an alert is about. The first tests check one rule each. The last test compares the
// index with an oracle (the functions at the end of this file) that compares each selector with each line and stop.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { EntitySelector } from '../../../loaders/gtfs-rt/message.ts'
import { textOf } from '../../../loaders/strings.ts'
import { bySize, SEED } from '../../size.ts'
import {
  AGENCIES,
  areaOf,
  BUS_TYPES,
  idsOf,
  indexOf,
  LINES,
  lineOf,
  NOW,
  read,
  STOPS,
  stopOf,
  timetable,
} from './alert-city.ts'
import { alert, descriptor, selector } from './alert-reports.ts'

/** The lines, stops and areas for which an alert with these selectors is shown. */
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
    ['a trip stands for its line', { trip: descriptor({ tripId: 'b1' }) }, ['7']],
    ['an added trip stands for its route', { trip: descriptor({ tripId: 'new', routeId: '7' }) }, ['7']],
    ['a route type stands for all lines of the type', { routeType: 0 }, ['A']],
    ['a basic route type includes its extended types', { routeType: 3 }, ['7', 'X', 'Y']],
    ['an extended route type only stands for itself', { routeType: 702 }, ['X']],
    ['an agency stands for all its lines', { agencyId: 'W' }, ['X', 'Y']],
    ['an agency and a route type apply together', { agencyId: 'V', routeType: 3 }, ['7']],
    ['a direction of a route', { routeId: 'A', directionId: 1 }, ['A']],
    ['a stop', { stopId: 'G' }, ['G']],
    ['an entrance stands for its station', { stopId: 'E' }, ['CA', 'CB', 'S']],
    ['a boarding area stands for its stop', { stopId: 'B' }, ['CA', 'S']],
    ['an agency and a stop do not stand for all lines of the agency', { agencyId: 'V', stopId: 'G' }, ['G']],
    ['an agency with a different id does not hide a route', { agencyId: 'MTASBWY', routeId: 'A' }, ['A']],
  ])('%s', (_, named, places) => {
    expect(shownOn(selector(named))).toEqual(places)
  })

  test('check 23: a route and a stop select neither the whole route nor all lines of the stop', () => {
    expect(shownOn(selector({ routeId: '7', stopId: 'G' }))).toEqual(['7', 'G'])
    // If a selector’s stop is unknown, the selector selects nothing: the alert is not about the whole line.
    const { alerts, reasons } = read(alert('1', { selectors: [selector({ routeId: '7', stopId: 'gone' })] }))
    expect(alerts.rows).toEqual([])
    expect(reasons).toEqual({ unknown_stop: 1, alert_without_subject: 1 })
  })

  test('check 24: areas and their stops inherit from each other, stops do not', () => {
    expect(shownOn(selector({ stopId: 'S' }))).toEqual(['CA', 'CB', 'S'])
    expect(shownOn(selector({ stopId: 'CA' }))).toEqual(['CA', 'S'])
  })

  test('contradictory selectors match nothing', () => {
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

  test('a route type in another coding does not contradict its route', () => {
    expect(shownOn(selector({ routeId: 'X', routeType: 3 }))).toEqual(['X'])
    expect(shownOn(selector({ routeId: '7', routeType: 700 }))).toEqual(['7'])
  })

  test('a direction without a route is counted and matches nothing', () => {
    const { alerts, reasons } = read(alert('1', { selectors: [selector({ directionId: 1 })] }))
    expect(alerts.rows).toEqual([])
    expect(reasons).toEqual({ direction_without_route: 1, alert_without_subject: 1 })
  })

  test('alerts of agencies and of the whole feed are kept, whatever else matches', () => {
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

  test('match the oracle for every line, stop and area', () => {
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

/** The lines that match all fields of a selector, including the route of its trip. */
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
  // If the trip and its route are unknown, only the selector's route counts.
  return meant === undefined ? line.id === routeId : meant === line
}

function isKnownStop(stopId: string | undefined): boolean {
  return stopId === 'S' || STOPS.some(({ id }) => id === stopId)
}

/** Whether a line or a stop can match all fields of the selector. */
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
