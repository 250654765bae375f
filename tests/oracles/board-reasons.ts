// Computes why each call at the stops of a board is on the board or not. Works naively, from a feed's text: goes
// through every trip, date, run and call. Live feeds are not supported. Shares no code with loaders or indexes.
import { noonOf, type OracleFeed, type OracleQuery, readBoard } from './board-oracle.ts'

const DAY_SECONDS = 86_400

/** A call, and why it is on the board (reason `shown`) or not. The reasons have the names of explain-board.ts. */
export interface OracleReason {
  readonly trip: string
  readonly call: number
  readonly seconds: number
  readonly reason: string
}

/** Every call at the stops that is scheduled within the window `look`, with its reason. Sorted by trip and call. */
export function readReasons(
  feed: OracleFeed,
  query: OracleQuery,
  look: {
    readonly fromSeconds: number
    readonly toSeconds: number
    readonly lastDate: string
    readonly firstDate: string
  },
): OracleReason[] {
  const shown = new Set(readBoard(feed, query).map(({ trip, call }) => `${trip} ${call}`))
  const fitting = new Set(readBoard(feed, { ...query, limit: Infinity }).map(({ trip, call }) => `${trip} ${call}`))
  const reasons = new Map<string, OracleReason>()
  const start = look.fromSeconds - feed.longestSeconds - 2 * DAY_SECONDS
  for (let at = start; at < look.toSeconds + 2 * DAY_SECONDS; at += DAY_SECONDS / 2) {
    const date = new Date(at * 1000).toISOString().slice(0, 10).replaceAll('-', '')
    const zero = noonOf(feed.zone, date) - DAY_SECONDS / 2
    for (const trip of feed.trips) {
      const own = trip.calls[0]?.departure ?? 0
      const starts = trip.runs.flatMap(({ start, end, headway }) => {
        const list: number[] = []
        for (let run = start; run < end; run += headway) list.push(run)
        return list
      })
      const runs =
        trip.runs.length === 0
          ? [{ name: '', shift: 0 }]
          : starts.map((run) => ({ name: clock(run), shift: run - own }))
      for (const { name, shift } of runs) {
        for (const [call, { stop, departure, pickup }] of trip.calls.entries()) {
          const seconds = zero + departure + shift
          if (!query.stopIds.includes(stop) || seconds < look.fromSeconds || seconds >= look.toSeconds) continue
          const id = `${date}:${trip.row['trip_id']}${name}`
          const key = `${id} ${call}`
          const ask = (): string => {
            if (shown.has(key)) return 'shown'
            if (fitting.has(key)) return 'beyond_limit'
            if (query.routeIds !== undefined && !query.routeIds.includes(trip.row['route_id'] ?? ''))
              return 'other_line'
            const { directionId } = query
            if (directionId !== undefined && trip.row['direction_id'] !== directionId) return 'other_direction'
            if (date < look.firstDate || date > look.lastDate) return 'outside_calendar'
            if (feed.days.get(date)?.has(trip.row['service_id'] ?? '') !== true) return 'service_not_running'
            if (call === trip.calls.length - 1) return 'trip_ends_here'
            if (pickup === '1') return 'no_boarding'
            return seconds < query.fromSeconds ? 'left_before_window' : 'after_window'
          }
          reasons.set(key, { trip: id, call, seconds, reason: ask() })
        }
      }
    }
  }
  return [...reasons.values()].sort((a, b) => (a.trip < b.trip ? -1 : a.trip > b.trip ? 1 : 0) || a.call - b.call)
}

function clock(time: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `@${two(Math.floor(time / 3600))}:${two(Math.floor(time / 60) % 60)}:${two(time % 60)}`
}
