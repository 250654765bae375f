// The demo city's final list of stops, with ids, codes and stations, and the GTFS tables about stops: stops.txt,
// levels.txt, pathways.txt and transfers.txt.
import { type CityFile, toFile, toRow } from './city-tables.ts'
import { lettersOf } from './roster.ts'
import type { Platform, StopArea, StopBook } from './stop-book.ts'
import { metersBetween, pointAway, toDegrees } from './terrain.ts'

/** All areas and platforms, with the ids of the platforms. */
export interface ListedStops {
  readonly areas: readonly StopArea[]
  readonly platforms: readonly Platform[]
  /**
   * Platform → its stop_id: the id of its area, followed by a number if the area has several platforms. `-quai` is
   * added if another area already has this id.
   */
  readonly platformIds: readonly string[]
  /** Indexes of the areas that have levels and pathways in the feed. */
  readonly detailed: readonly number[]
}

/** Number of metro stations with levels and pathways. */
const DETAILED_STATIONS = 2
/** Platforms have codes if their area has at least this many platforms. Metro platforms always have codes. */
const CODED_PLATFORMS = 3
const FIRST_STOP_CODE = 1001
const LANDING_WALK_METERS = 450
const WALK_METERS_PER_SECOND = 1.1
const WAY_UP_SECONDS = 60
const ENTRANCE_METERS = 35

/** Assigns ids to all stops, and chooses the stations that get levels and pathways. */
export function listStops(book: StopBook): ListedStops {
  const platformIds = book.platforms.map(({ area, number }) => {
    const { id, platforms } = book.areas[area]
    return platforms.length > 1 ? `${id}-${number + 1}` : id
  })
  const takenIds = new Set(book.areas.map((area) => area.id))
  for (const [platform, id] of platformIds.entries()) {
    const { platforms } = book.areas[book.platforms[platform].area]
    if (platforms.length > 1 && takenIds.has(id)) platformIds[platform] = `${id}-quai`
  }
  const detailed = [...book.areas.keys()]
    .filter((area) => countOf(book, area, 'metro') > 0)
    .sort((a, b) => book.areas[b].platforms.length - book.areas[a].platforms.length || a - b)
    .slice(0, DETAILED_STATIONS)
  return { areas: book.areas, platforms: book.platforms, platformIds, detailed }
}

function countOf(stops: Pick<ListedStops, 'areas' | 'platforms'>, area: number, mode: Platform['mode']): number {
  return stops.areas[area].platforms.filter((platform) => stops.platforms[platform].mode === mode).length
}

/** The GTFS tables about stops. */
export function listStopTables(stops: ListedStops): CityFile[] {
  return [
    toFile(
      'stops.txt',
      'stop_id,stop_code,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding,platform_code,level_id',
      () => stopRows(stops),
    ),
    toFile('levels.txt', 'level_id,level_index,level_name', () =>
      stops.detailed.flatMap((area) => {
        const { id } = stops.areas[area]
        return [toRow(`${id}-n0`, 0, 'Rue'), toRow(`${id}-n1`, -1, 'Salle des billets'), toRow(`${id}-n2`, -2, 'Quais')]
      }),
    ),
    toFile(
      'pathways.txt',
      'pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional,length,traversal_time',
      () => stops.detailed.flatMap((area) => pathwayRows(stops, area)),
    ),
    toFile('transfers.txt', 'from_stop_id,to_stop_id,transfer_type,min_transfer_time', () => transferRows(stops)),
  ]
}

function* stopRows(stops: ListedStops): Generator<string> {
  for (const [number, area] of stops.areas.entries()) {
    const isStation = area.platforms.length > 1
    const { lat, lon } = toDegrees(area.place)
    if (isStation) yield toRow(area.id, '', area.name, lat, lon, 1, '', '', '', '')
    const isDetailed = stops.detailed.includes(number)
    let rails = 0
    let others = 0
    for (const platform of area.platforms) {
      const { mode, place, wheelchair } = stops.platforms[platform]
      const isMetro = mode === 'metro'
      const code = isMetro ? String(++rails) : lettersOf(others++)
      const isCoded = isMetro || area.platforms.length >= CODED_PLATFORMS
      const at = toDegrees(place)
      yield toRow(
        stops.platformIds[platform],
        FIRST_STOP_CODE + platform,
        area.name,
        at.lat,
        at.lon,
        0,
        isStation ? area.id : '',
        wheelchair,
        isCoded ? code : '',
        isDetailed ? `${area.id}-${isMetro ? 'n2' : 'n0'}` : '',
      )
    }
    if (isDetailed) yield* insideRows(area)
  }
}

/** The rows of stops.txt for a station's two entrances and its ticket hall. */
function* insideRows(area: StopArea): Generator<string> {
  for (const [index, turn] of [0.1, 0.6].entries()) {
    const { lat, lon } = toDegrees(pointAway(area.place, turn, ENTRANCE_METERS))
    const name = `${area.name}, accès ${index + 1}`
    yield toRow(
      `${area.id}-acces-${index + 1}`,
      '',
      name,
      lat,
      lon,
      2,
      area.id,
      index === 1 ? 1 : 2,
      '',
      `${area.id}-n0`,
    )
  }
  const { lat, lon } = toDegrees(area.place)
  yield toRow(`${area.id}-salle`, '', 'Salle des billets', lat, lon, 3, area.id, '', '', `${area.id}-n1`)
}

/**
 * The rows of pathways.txt. The first entrance has stairs to the hall, and the second has a lift. From the hall, stairs
 * and a lift lead to each metro platform. Other platforms are reached from the street.
 */
function pathwayRows(stops: ListedStops, area: number): string[] {
  const { id, platforms } = stops.areas[area]
  const links: (readonly [from: string, to: string, mode: number, meters: number, seconds: number])[] = [
    [`${id}-acces-1`, `${id}-salle`, 2, 25, 35],
    [`${id}-acces-2`, `${id}-salle`, 5, 20, 50],
  ]
  for (const platform of platforms) {
    const to = stops.platformIds[platform]
    if (stops.platforms[platform].mode === 'metro')
      links.push([`${id}-salle`, to, 2, 30, 40], [`${id}-salle`, to, 5, 15, 55])
    else links.push([`${id}-acces-1`, to, 1, 50, 45], [`${id}-acces-2`, to, 1, 50, 45])
  }
  return links.map(([from, to, mode, meters, seconds], index) =>
    toRow(`${id}-p${index + 1}`, from, to, mode, 1, meters, seconds),
  )
}

/**
 * The rows of transfers.txt: transfer times within larger stations, and walks between landings and the nearest stops on
 * land.
 */
function* transferRows(stops: ListedStops): Generator<string> {
  for (const [number, area] of stops.areas.entries()) {
    const metros = countOf(stops, number, 'metro')
    if (area.platforms.length < 2 || !(area.isHub || metros > 0)) continue
    yield toRow(area.id, area.id, 2, metros > 0 ? 180 : 120)
    const tracks = area.platforms.filter((platform) => stops.platforms[platform].mode === 'metro')
    if (metros < 3) continue
    for (const from of tracks) {
      for (const to of tracks) {
        if (from !== to) yield toRow(stops.platformIds[from], stops.platformIds[to], 2, 150)
      }
    }
  }
  for (const [number, landing] of stops.areas.entries()) {
    if (countOf(stops, number, 'ferry') === 0) continue
    const onLand = stops.areas
      .map((area, place) => ({ area, place, meters: metersBetween(area.place, landing.place) }))
      .filter(({ place, meters }) => meters < LANDING_WALK_METERS && countOf(stops, place, 'ferry') === 0)
      .sort((a, b) => a.meters - b.meters)[0]
    if (onLand === undefined) continue
    const seconds = Math.round(onLand.meters / WALK_METERS_PER_SECOND) + WAY_UP_SECONDS
    yield toRow(landing.id, onLand.area.id, 2, seconds)
    yield toRow(onLand.area.id, landing.id, 2, seconds)
  }
}
