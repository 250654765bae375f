// The alerts of a network's feeds → rows for one snapshot: texts chosen and made plain, periods made sound, selectors
// resolved. Runs on the live thread, over whole feeds, again and again.
import type { AlertReport } from '../../loaders/gtfs-rt/message.ts'
import type { Timetable } from '../timetable/timetable.ts'
import { soundPeriods } from './alert-periods.ts'
import { SelectorResolver } from './alert-selectors.ts'
import { readTexts } from './alert-texts.ts'
import { ALERT_SEVERITIES, type AlertRow, type AlertSeverity, type NetworkAlerts } from './alerts.ts'

/** What one feed says now. */
export interface AlertFeed {
  /** As the configuration names it. */
  readonly id: string
  readonly alerts: readonly AlertReport[]
}

/** The alerts of a network, and what could not be used of its feeds. */
export interface ReadAlerts {
  readonly alerts: NetworkAlerts
  /** How often what was left out or mended, by reason. */
  readonly reasons: Readonly<Record<string, number>>
}

/** What a producer calls severe is critical here; a word that is not known says nothing. */
const SEVERE = 'severe'
const CAUSES: ReadonlySet<string> = new Set(
  (
    'unknown_cause other_cause technical_problem strike demonstration accident holiday weather maintenance construction ' +
    'police_activity medical_emergency special_event'
  ).split(' '),
)
const EFFECTS: ReadonlySet<string> = new Set(
  (
    'no_service reduced_service significant_delays detour additional_service modified_service other_effect ' +
    'unknown_effect stop_moved no_effect accessibility_issue'
  ).split(' '),
)
/** Content that has been gone for so long is new when it comes back. Long enough for an upstream to fail meanwhile. */
const FORGET_SECONDS = 3600

/** When which content was first seen. Outlives the snapshots of its network. */
export class AlertMemory {
  private readonly seen = new Map<string, { readonly firstSeconds: number; lastSeconds: number }>()

  /** When the content was first seen, now included. */
  firstSeen(content: string, nowSeconds: number): number {
    const known = this.seen.get(content)
    if (known === undefined) {
      this.seen.set(content, { firstSeconds: nowSeconds, lastSeconds: nowSeconds })
      return nowSeconds
    }
    known.lastSeconds = nowSeconds
    return known.firstSeconds
  }

  /** Forgets what was not seen for long. */
  forget(nowSeconds: number): void {
    for (const [content, { lastSeconds }] of this.seen) {
      if (nowSeconds - lastSeconds > FORGET_SECONDS) this.seen.delete(content)
    }
  }
}

/** The snapshot that alerts are read for. */
export interface AlertBasis {
  readonly snapshotId: string
  readonly timetable: Timetable
}

/** Reads the alerts of a network's feeds for one snapshot. */
export class AlertReader {
  private readonly basis: AlertBasis
  private readonly memory: AlertMemory

  /** @param memory of the network's earlier readers */
  constructor(basis: AlertBasis, memory: AlertMemory = new AlertMemory()) {
    this.basis = basis
    this.memory = memory
  }

  /** What all feeds say together, in their order. @param nowSeconds service time, after 1970 */
  read(feeds: readonly AlertFeed[], nowSeconds: number): ReadAlerts {
    const reasons: Record<string, number> = {}
    const count = (reason: string) => {
      reasons[reason] = (reasons[reason] ?? 0) + 1
    }
    const resolver = new SelectorResolver(this.basis.timetable, count)
    const rows = new Map<string, AlertRow>()
    for (const feed of feeds) {
      for (const report of feed.alerts) {
        const row = this.readReport(feed.id, report, { resolver, nowSeconds, count })
        if (row === undefined) continue
        // Feeds number their alerts from 1 each: the first to use an id has it, as long as it does.
        let { id } = row
        while (rows.has(id)) id = `${feed.id}:${id}`
        if (id !== row.id) count('repeated_alert_id')
        rows.set(id, { ...row, id })
      }
    }
    this.memory.forget(nowSeconds)
    return { alerts: { snapshotId: this.basis.snapshotId, rows: [...rows.values()] }, reasons }
  }

  private readReport(feed: string, report: AlertReport, context: ReadingContext): AlertRow | undefined {
    const { resolver, nowSeconds, count } = context
    const periods = readPeriods(report, count)
    const reach = resolver.resolve(report.selectors)
    if (periods === undefined) count('alert_never_active')
    if (reach === undefined) count('alert_without_subject')
    if (periods === undefined || reach === undefined) return undefined
    const said = {
      severity: severityOf(report.severity),
      cause: CAUSES.has(report.cause) ? report.cause : 'unknown_cause',
      effect: EFFECTS.has(report.effect) ? report.effect : 'unknown_effect',
      ...readTexts(report, this.basis.timetable.meta.language, count),
      ...periods,
    }
    const content = contentHash([feed, said, subjectsOf(report)])
    return {
      id: report.entityId === '' ? content : report.entityId,
      feed,
      ...said,
      updatedSeconds: this.memory.firstSeen(content, nowSeconds),
      reach,
    }
  }
}

interface ReadingContext {
  readonly resolver: SelectorResolver
  readonly nowSeconds: number
  readonly count: (reason: string) => void
}

/** Communication periods say when it is shown, impact periods when it holds; active periods stand in for either. */
function readPeriods(
  { activePeriods, communicationPeriods, impactPeriods }: AlertReport,
  count: (reason: string) => void,
): Pick<AlertRow, 'shownPeriods' | 'impactPeriods'> | undefined {
  const given = communicationPeriods.length > 0 ? communicationPeriods : activePeriods
  const shownPeriods = soundPeriods(given, () => count('empty_alert_period'))
  if (given.length > 0 && shownPeriods.length === 0) return undefined
  const impact = impactPeriods.length > 0 ? impactPeriods : activePeriods
  const holding = impact === given ? shownPeriods : soundPeriods(impact, () => count('empty_alert_period'))
  return { shownPeriods, impactPeriods: holding.length > 0 ? holding : shownPeriods }
}

function severityOf(word: string): AlertSeverity {
  if (word === SEVERE) return 'critical'
  return ALERT_SEVERITIES.find((severity) => severity === word) ?? 'unknown'
}

/** What the selectors say, whatever their order. */
function subjectsOf({ selectors }: AlertReport): string[] {
  return selectors
    .map(({ agencyId, routeId, routeType, directionId, trip, stopId }) =>
      JSON.stringify([agencyId, routeId, routeType, directionId, trip?.tripId, trip?.routeId, trip?.startDate, stopId]),
    )
    .sort()
}

function contentHash(content: unknown): string {
  return Bun.hash.wyhash(JSON.stringify(content)).toString(36)
}
