// Joins the services of several feeds. The day bits of each feed are shifted, so that bit 0 stands for the earliest day
// in any of the feeds.
import { MAX_CALENDAR_DAYS } from './calendars.ts'
import type { ServiceTable } from './feed.ts'
import { joinColumns } from './joined-columns.ts'

/** The joined services, and the feeds whose calendars were cut short. */
export interface JoinedServices {
  readonly table: ServiceTable
  /**
   * Indexes of the feeds whose last days were ignored: days that are MAX_CALENDAR_DAYS or more after the earliest day
   * in any feed.
   */
  readonly cutFeeds: readonly number[]
}

/**
 * Joins the services of several feeds. The joined table has at most MAX_CALENDAR_DAYS days, like the table of a single
 * feed.
 */
export function joinServices(tables: readonly ServiceTable[]): JoinedServices {
  const { firstDay, endDay, cutFeeds } = findSpan(tables)
  const dayCount = endDay - firstDay
  const bytesPerService = Math.ceil(dayCount / 8)
  const activeDays = new Uint8Array(tables.reduce((count, table) => count + table.count, 0) * bytesPerService)
  let service = 0
  for (const table of tables) {
    const bits = table.dayCount === 0 ? 0 : Math.min(table.dayCount, endDay - table.firstDay)
    for (let row = 0; row < table.count; row++, service++) {
      const from = row * table.bytesPerService
      const to = service * bytesPerService
      for (let day = 0; day < bits; day++) {
        if (((table.activeDays[from + (day >> 3)] >> (day & 7)) & 1) === 0) continue
        const place = table.firstDay - firstDay + day
        activeDays[to + (place >> 3)] = activeDays[to + (place >> 3)] | (1 << (place & 7))
      }
    }
  }
  const id = joinColumns(tables.map((table) => table.id))
  return { table: { count: service, id, firstDay, dayCount, bytesPerService, activeDays }, cutFeeds }
}

function findSpan(tables: readonly ServiceTable[]): { firstDay: number; endDay: number; cutFeeds: number[] } {
  const withDays = tables.filter(({ dayCount }) => dayCount > 0)
  if (withDays.length === 0) return { firstDay: 0, endDay: 0, cutFeeds: [] }
  const endOf = ({ firstDay, dayCount }: ServiceTable) => firstDay + dayCount
  const firstDay = Math.min(...withDays.map((table) => table.firstDay))
  const endDay = Math.min(Math.max(...withDays.map(endOf)), firstDay + MAX_CALENDAR_DAYS)
  const cutFeeds = tables.flatMap((table, feed) => (table.dayCount > 0 && endOf(table) > endDay ? [feed] : []))
  return { firstDay, endDay, cutFeeds }
}
