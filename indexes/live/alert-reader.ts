// Converts the alerts of a network's feeds to rows for one snapshot: chooses translations and converts them to plain
// text, drops invalid periods, and resolves selectors. Runs on the live thread, and reads all feeds each time.
import type { AlertReport } from '../../loaders/gtfs-rt/message.ts'
import type { Timetable } from '../timetable/timetable.ts'
import { AlertMemory, type IdsOfContent } from './alert-memory.ts'
import { soundPeriods } from './alert-periods.ts'
import { SelectorResolver } from './alert-selectors.ts'
import { readTexts } from './alert-texts.ts'
import { ALERT_SEVERITIES, type AlertRow, type AlertSeverity, type NetworkAlerts } from './alerts.ts'

/** The current alerts of one feed. */
export interface AlertFeed {
  /** The feed's id in the configuration. */
  readonly id: string
  readonly alerts: readonly AlertReport[]
  /** Whether an alert without a severity gets the severity that fits its effect; true if absent. */
  readonly derivesSeverity?: boolean
}

/** The alerts of a network, and counts of the parts that could not be used. */
export interface ReadAlerts {
  readonly alerts: NetworkAlerts
  /** Number of alert parts that were dropped or repaired, by reason. */
  readonly reasons: Readonly<Record<string, number>>
}

/** The severity that feeds use for critical alerts. An unknown severity counts as none. */
const SEVERE = 'severe'
/** The severity for each effect, for alerts that have no severity of their own. */
const SEVERITY_OF_EFFECT: Readonly<Partial<Record<string, AlertSeverity>>> = {
  no_service: 'critical',
  reduced_service: 'warning',
  significant_delays: 'warning',
  detour: 'warning',
  stop_moved: 'warning',
  additional_service: 'info',
  modified_service: 'info',
  accessibility_issue: 'info',
}
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
/** The snapshot for which alerts are read. */
export interface AlertBasis {
  readonly snapshotId: string
  readonly timetable: Timetable
}

/** Reads the alerts of a network's feeds for one snapshot. */
export class AlertReader {
  private readonly basis: AlertBasis
  private readonly memory: AlertMemory
  private last: LastReading | undefined

  /** @param memory shared by all readers of the network */
  constructor(basis: AlertBasis, memory: AlertMemory = new AlertMemory()) {
    this.basis = basis
    this.memory = memory
  }

  /**
   * Reads the alerts of all feeds, in feed order. If nothing has changed, returns the same object as the last reading.
   * @param nowSeconds current time of the service, in seconds after 1970
   */
  read(feeds: readonly AlertFeed[], nowSeconds: number): ReadAlerts {
    const { last } = this
    if (last !== undefined && hasSameLists(last.feeds, feeds)) {
      this.memory.prolong(nowSeconds)
      return last.read
    }
    this.memory.begin()
    const read = this.readAll(feeds, nowSeconds)
    this.memory.forget(nowSeconds)
    const isSame = last !== undefined && Bun.deepEquals(last.read, read, true)
    this.last = { feeds, read: isSame ? last.read : read }
    return this.last.read
  }

  private readAll(feeds: readonly AlertFeed[], nowSeconds: number): ReadAlerts {
    const reasons: Record<string, number> = {}
    const count = (reason: string) => {
      reasons[reason] = (reasons[reason] ?? 0) + 1
    }
    const resolver = new SelectorResolver(this.basis.timetable, count)
    const rows = new Map<string, AlertRow>()
    for (const feed of feeds) {
      const drafts = feed.alerts.flatMap((report) => this.readReport(feed, report, { resolver, nowSeconds, count }))
      const isStable = this.memory.hasStableIds(feed.id, idsOfContent(drafts))
      const seen = new Set<string>()
      for (const { content, entityId, row } of drafts) {
        const isNamed = isStable && entityId !== ''
        // An alert without a stable id is identified by its content, so alerts with equal content are listed once.
        if (!isNamed && seen.has(content)) count('repeated_alert')
        if (!isNamed && seen.has(content)) continue
        seen.add(content)
        // Several feeds may number their alerts from 1. The first feed that uses an id keeps it. For other feeds, a
        // prefix is added to the id.
        const wanted = isNamed ? entityId : content
        let id = wanted
        while (rows.has(id) || !this.memory.claim(id, feed.id, nowSeconds)) id = `${feed.id}:${id}`
        if (id !== wanted) count('repeated_alert_id')
        rows.set(id, { ...row, id })
      }
    }
    return { alerts: { snapshotId: this.basis.snapshotId, rows: [...rows.values()] }, reasons }
  }

  /** Reads one alert. The result is empty if the alert can never be shown, or if its selectors match nothing. */
  private readReport(
    { id: feed, derivesSeverity = true }: AlertFeed,
    report: AlertReport,
    context: ReadingContext,
  ): AlertDraft[] {
    const { resolver, nowSeconds, count } = context
    const periods = readPeriods(report, count)
    const reach = resolver.resolve(report.selectors)
    if (periods === undefined) count('alert_never_active')
    if (reach === undefined) count('alert_without_subject')
    if (periods === undefined || reach === undefined) return []
    const fields = {
      severity: severityOf(report, derivesSeverity),
      cause: CAUSES.has(report.cause) ? report.cause : 'unknown_cause',
      effect: EFFECTS.has(report.effect) ? report.effect : 'unknown_effect',
      ...readTexts(report, this.basis.timetable.meta.language, count),
      ...periods,
    }
    const content = contentHash([feed, fields, subjectsOf(report)])
    const updatedSeconds = this.memory.firstSeen(content, nowSeconds)
    return [{ content, entityId: report.entityId, row: { feed, ...fields, updatedSeconds, reach } }]
  }
}

/** The result of the last reading, and the feeds that were read. */
interface LastReading {
  readonly feeds: readonly AlertFeed[]
  readonly read: ReadAlerts
}

/** Whether two readings have the same list objects. This is the case if a message was repeated. */
function hasSameLists(before: readonly AlertFeed[], now: readonly AlertFeed[]): boolean {
  return (
    before.length === now.length &&
    now.every(
      ({ id, alerts, derivesSeverity }, at) =>
        before[at]?.id === id && before[at].alerts === alerts && before[at].derivesSeverity === derivesSeverity,
    )
  )
}

/** An alert that does not have its public id yet. */
interface AlertDraft {
  readonly content: string
  readonly entityId: string
  readonly row: Omit<AlertRow, 'id'>
}

function idsOfContent(drafts: readonly AlertDraft[]): IdsOfContent {
  const ids = new Map<string, string[]>()
  for (const { content, entityId } of drafts) ids.set(content, [...(ids.get(content) ?? []), entityId])
  return ids
}

interface ReadingContext {
  readonly resolver: SelectorResolver
  readonly nowSeconds: number
  readonly count: (reason: string) => void
}

/**
 * Reads the periods in which an alert is shown (communication periods) and in which it affects riders (impact periods).
 * If the feed omits one of these kinds, the active periods are used instead. Undefined if all periods in which the
 * alert would be shown are empty.
 */
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

function severityOf({ severity: word, effect }: AlertReport, derives: boolean): AlertSeverity {
  if (word === SEVERE) return 'critical'
  const given = ALERT_SEVERITIES.find((severity) => severity === word) ?? 'unknown'
  return given === 'unknown' && derives ? (SEVERITY_OF_EFFECT[effect] ?? given) : given
}

/** The selectors as sorted JSON strings, so that their order in the feed does not matter. */
function subjectsOf({ selectors }: AlertReport): string[] {
  return selectors
    .map(({ agencyId, routeId, routeType, directionId, trip, stopId }) =>
      JSON.stringify([
        agencyId,
        routeId,
        routeType,
        directionId,
        trip?.tripId,
        trip?.routeId,
        trip?.startDate,
        trip?.startSeconds,
        stopId,
      ]),
    )
    .sort()
}

function contentHash(content: unknown): string {
  return Bun.hash.wyhash(JSON.stringify(content)).toString(36)
}
