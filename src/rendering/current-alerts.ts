// The current alerts of a network: the alerts of feeds whose data is not too old. Each thread builds the index of a
// network's alerts once.
import { AlertIndex, type AlertRow, type NetworkAlerts } from '../../indexes/live/alerts.ts'
import type { FeedStatus } from '../networks/network.ts'
import type { SnapshotView } from './snapshot-view.ts'

/** Alerts stay valid at least this long without a feed update, since they seldom change. */
const ALERT_AGE_MILLIS = 600_000

const indexes = new WeakMap<NetworkAlerts, AlertIndex>()

/** The alerts of a network at an instant of service time. */
export interface CurrentAlerts {
  readonly index: AlertIndex
  /** Whether the feed of an alert has data that is recent enough. */
  isCurrent(row: AlertRow): boolean
}

/** The alerts of a view's snapshot; undefined if there are none. @param nowSeconds seconds after 1970 */
export function currentAlerts(
  { network, snapshot, timetable }: SnapshotView,
  nowSeconds: number,
): CurrentAlerts | undefined {
  const { live } = network
  const alerts = live?.alerts
  if (live === undefined || alerts?.snapshotId !== snapshot.id) return undefined
  const index = indexes.getOrInsertComputed(alerts, () => new AlertIndex(timetable, alerts))
  const current = new Set(live.feeds.filter((feed) => isFeedCurrent(feed, nowSeconds)).map(({ id }) => id))
  return { index, isCurrent: ({ feed }) => current.has(feed) }
}

/**
 * Whether a feed's alerts are still valid. Checked for each answer, because the feed's status arrives only once a
 * minute.
 */
function isFeedCurrent({ timestampMillis, maxAgeMillis }: FeedStatus, nowSeconds: number): boolean {
  return (
    timestampMillis !== undefined && nowSeconds * 1000 - timestampMillis <= Math.max(ALERT_AGE_MILLIS, maxAgeMillis)
  )
}
