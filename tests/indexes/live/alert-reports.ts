// Alerts as the decoder returns them. Members that a test does not set are empty.
import type {
  AlertReport,
  EntitySelector,
  TimeRange,
  Translation,
  TripDescriptor,
} from '../../../loaders/gtfs-rt/message.ts'

/** A selector with the given members. */
export function selector(named: Partial<EntitySelector>): EntitySelector {
  return {
    agencyId: undefined,
    routeId: undefined,
    routeType: undefined,
    directionId: undefined,
    trip: undefined,
    stopId: undefined,
    ...named,
  }
}

/** A trip descriptor with the given members. */
export function descriptor(named: Partial<TripDescriptor>): TripDescriptor {
  return {
    tripId: undefined,
    routeId: undefined,
    directionId: undefined,
    startSeconds: undefined,
    startDate: undefined,
    relationship: 'scheduled',
    ...named,
  }
}

/** A period. If a bound is undefined, the period is unlimited on that side. */
export function period(startSeconds?: number, endSeconds?: number): TimeRange {
  return { startSeconds, endSeconds }
}

/** A string without a language, or one string per language, in the form of the decoder. */
export function text(content: string | Readonly<Record<string, string>>): Translation[] {
  if (typeof content === 'string') return [{ text: content, language: undefined }]
  return Object.entries(content).map(([language, each]) => ({ text: each, language: language || undefined }))
}

/** An alert; by default, about the whole feed, at any time. */
export function alert(entityId: string, members: Partial<AlertReport> = {}): AlertReport {
  return {
    entityId,
    activePeriods: [],
    communicationPeriods: [],
    impactPeriods: [],
    selectors: [],
    cause: 'unknown_cause',
    effect: 'unknown_effect',
    severity: 'unknown',
    header: text(`Title ${entityId}`),
    description: [],
    url: [],
    ...members,
  }
}
