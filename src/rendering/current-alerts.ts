// The current alerts of a network: the alerts from feeds whose data is not too old. Each thread indexes a network's
// alerts only once.
import { AlertIndex, type AlertRow, type NetworkAlerts } from '../../indexes/live/alerts.ts'
import type { FeedStatus } from '../networks/network.ts'
import type { SnapshotView } from './snapshot-view.ts'

/** Alerts stay valid for at least this long without an update from their feed, because they seldom change. */
const ALERT_AGE_MILLIS = 600_000

const indexes = new WeakMap<NetworkAlerts, AlertIndex>()

/** The alerts of a network at an instant of service time. */
export interface CurrentAlerts {
  readonly index: AlertIndex
  /** Whether the data of an alert's feed is recent enough. */
  isCurrent(row: AlertRow): boolean
}

/** The alerts for a view's snapshot; undefined if there are none. @param nowSeconds Unix seconds */
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
 * Whether a feed's alerts are still valid. Checked for each answer, because the data can become too old before the
 * feed's next status arrives.
 */
function isFeedCurrent({ timestampMillis, maxAgeMillis }: FeedStatus, nowSeconds: number): boolean {
  return (
    timestampMillis !== undefined && nowSeconds * 1000 - timestampMillis <= Math.max(ALERT_AGE_MILLIS, maxAgeMillis)
  )
}
