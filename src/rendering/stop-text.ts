// Stops and areas as JSON: the same in lists, groups and nearby answers; with their lines on their own.
import { linesOfArea, stopsOfArea } from '../../indexes/timetable/areas.ts'
import { modesOfLines } from '../../indexes/timetable/lines.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import { areaOfStop, linesOfStop } from '../../indexes/timetable/stops.ts'
import type { AreaIndex, LineIndex, StopIndex } from '../../indexes/timetable/timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import { degrees } from './line-geometry.ts'
import { compactLine } from './line-text.ts'
import { areaId, lineId, stopId } from './public-ids.ts'
import type { Place, SnapshotView } from './snapshot-view.ts'

/** A stop or an area. */
export function placeText(view: SnapshotView, place: Place): string {
  return place.kind === 'stop'
    ? view.texts.of('stop', place.stop, () => JSON.stringify(stopMembers(view, place.stop)))
    : view.texts.of('area', place.area, () => JSON.stringify(areaMembers(view, place.area)))
}

/** A stop or an area with its distance from a place, in metres. */
export function placeTextAt(view: SnapshotView, place: Place, distanceMeters: number): string {
  return `${placeText(view, place).slice(0, -1)},"distance_meters":${Math.round(distanceMeters)}}`
}

/** A stop or an area on its own, with its lines. */
export function placeDetailText(view: SnapshotView, place: Place): string {
  const render = () => {
    const lines = linesOf(view, place).map((line) => compactLine(view, line))
    return `${placeText(view, place).slice(0, -1)},"lines":${JSON.stringify(lines)}}`
  }
  return place.kind === 'stop'
    ? view.texts.of('stopDetail', place.stop, render)
    : view.texts.of('areaDetail', place.area, render)
}

/** The lines of a stop or an area, in line order. */
export function linesOf(view: SnapshotView, place: Place): LineIndex[] {
  return place.kind === 'stop' ? linesOfStop(view.timetable, place.stop) : linesOfArea(view.timetable, place.area)
}

function stopMembers(view: SnapshotView, stop: StopIndex) {
  const { stops, strings } = view.timetable
  const area = areaOfStop(view.timetable, stop)
  const platformCode = textOf(strings, stops.platformCode[stop])
  return {
    id: stopId(view, stop),
    network: view.slug,
    kind: 'stop',
    name: textOf(strings, stops.name[stop]),
    lat: degrees(stops.lat[stop]),
    lon: degrees(stops.lon[stop]),
    parent_id: area === undefined ? null : areaId(view, area),
    ...lineMembers(view, { kind: 'stop', stop }),
    town: view.townAt(stops.lat[stop], stops.lon[stop]),
    accessible: stops.accessible[stop] === 1,
    platform_code: platformCode === '' ? null : platformCode,
    children: [],
  }
}

function areaMembers(view: SnapshotView, area: AreaIndex) {
  const { areas, strings } = view.timetable
  return {
    id: areaId(view, area),
    network: view.slug,
    kind: 'area',
    name: textOf(strings, areas.name[area]),
    lat: degrees(areas.lat[area]),
    lon: degrees(areas.lon[area]),
    parent_id: null,
    ...lineMembers(view, { kind: 'area', area }),
    town: view.townAt(areas.lat[area], areas.lon[area]),
    accessible: areas.accessible[area] === 1,
    platform_code: null,
    children: stopsOfArea(view.timetable, area).map((stop) => stopId(view, stop)),
  }
}

/** The lines of a place, and their modes in the order of MODES. */
function lineMembers(view: SnapshotView, place: Place) {
  const lines = linesOf(view, place)
  return {
    line_ids: lines.map((line) => lineId(view, line)),
    modes: modesOfLines(view.timetable, lines).map(modeWord),
  }
}
