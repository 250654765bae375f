// The data of a timetable that is not in columns, and its carried tables: tables of the feed that are stored but not
// interpreted.
import { type Column, columnArray, sealColumn } from '../../loaders/columns.ts'
import type { AgencyRow, Feed } from '../../loaders/gtfs/feed.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { MODES } from './modes.ts'
import type { Frequencies, Lines, Patterns, StopTimes, Timetable, TimetableMeta, Trips } from './timetable.ts'

/** Builds the data of a timetable that is not in columns. */
export function buildMeta(feed: Feed, parts: { lines: Lines; maxTimeSeconds: number }): TimetableMeta {
  const agencies = listAgencies(feed)
  const { info, services } = feed
  return {
    timezone: timezoneOf(feed),
    language: info?.lang || agencies[0]?.lang || '',
    modes: listModes(parts.lines),
    firstDay: services.firstDay,
    dayCount: services.dayCount,
    bytesPerService: services.bytesPerService,
    maxTimeSeconds: parts.maxTimeSeconds,
    hasShapes: feed.shapes.count > 0,
    agencies,
    feedInfo: info === undefined ? undefined : { ...info },
    attributions: [...new Set([...feed.publishers, ...feed.attributions.map((each) => each.organizationName)])],
    carried: feed.carried.map(({ name, count, columns }) => ({
      name,
      count,
      columns: columns.map((column) => column.name),
    })),
  }
}

/** The time zone of all times: that of the first agency. */
export function timezoneOf(feed: Feed): string {
  if (feed.agencies.count === 0) throw new Error('the feed has no agency')
  return textOf(feed.strings, feed.agencies.timezone[0 as AgencyRow])
}

/** The columns of the carried tables; the keys are `<file>/<column>`. */
export function carryTables(feed: Feed): Timetable['carried'] {
  const carried: Record<string, Column<number, StringIndex>> = {}
  for (const table of feed.carried) {
    for (const { name, values } of table.columns) {
      carried[`${table.name}/${name}`] = sealColumn(Uint32Array.from(columnArray(values)))
    }
  }
  return carried
}

/** Inputs to `findMaxTime`. */
export interface TimeParts {
  readonly patterns: Patterns
  readonly trips: Trips
  readonly stopTimes: StopTimes
  readonly frequencies: Frequencies
}

/**
 * The latest time of any call, in seconds after its service day's zero. For a frequency trip, this is the end of its
 * last run.
 */
export function findMaxTime({ patterns, trips, stopTimes, frequencies }: TimeParts): number {
  const departure = columnArray(stopTimes.departureSeconds)
  const timeOffset = columnArray(patterns.timeOffset)
  const patternOf = columnArray(trips.pattern)
  const offset = columnArray(trips.frequencyOffset)
  const start = columnArray(frequencies.startSeconds)
  const end = columnArray(frequencies.endSeconds)
  const headway = columnArray(frequencies.headwaySeconds)
  let max = 0
  // Times never decrease within a trip, and at each call, the departure is not before the arrival. So only the
  // departures need to be compared.
  for (const seconds of departure) if (seconds > max) max = seconds
  for (let trip = 0; trip < patternOf.length; trip++) {
    const last = timeOffset[patternOf[trip] + 1] - 1
    for (let row = offset[trip]; row < offset[trip + 1]; row++) {
      const lengthSeconds = end[row] - start[row]
      const runsBefore = Math.max(0, Math.ceil(lengthSeconds / headway[row]) - 1)
      const lastRun = start[row] + runsBefore * headway[row]
      max = Math.max(max, lastRun + departure[last])
    }
  }
  return max
}

function listAgencies(feed: Feed): TimetableMeta['agencies'] {
  const { agencies, strings } = feed
  return Array.from({ length: agencies.count }, (_, number) => {
    const row = number as AgencyRow
    return {
      id: textOf(strings, agencies.id[row]),
      name: textOf(strings, agencies.name[row]),
      url: textOf(strings, agencies.url[row]),
      timezone: textOf(strings, agencies.timezone[row]),
      lang: textOf(strings, agencies.lang[row]),
    }
  })
}

/** The modes of the lines, in the order of MODES. */
function listModes(lines: Lines): string[] {
  const modes = new Set(columnArray(lines.mode))
  return MODES.filter((_, mode) => modes.has(mode))
}
