// Decodes Alert: its periods, informed entities and translated strings.
import type { AlertReport, EntitySelector, TimeRange, Translation } from './message.ts'
import { readTranslations } from './translations.ts'
import { hasAnyField, readTripDescriptor, type Unfinished } from './trip-updates.ts'
import { isUnnamed } from './vehicle-positions.ts'
import { bytesTag, MAX_INSTANT_SECONDS, varintTag, type WireReader } from './wire-reader.ts'

/** The names of the enum values in snake_case, by number; numbers start at 1. */
const CAUSES: readonly (string | undefined)[] = [
  undefined,
  'unknown_cause',
  'other_cause',
  'technical_problem',
  'strike',
  'demonstration',
  'accident',
  'holiday',
  'weather',
  'maintenance',
  'construction',
  'police_activity',
  'medical_emergency',
  'special_event',
]
const EFFECTS: readonly (string | undefined)[] = [
  undefined,
  'no_service',
  'reduced_service',
  'significant_delays',
  'detour',
  'additional_service',
  'modified_service',
  'other_effect',
  'unknown_effect',
  'stop_moved',
  'no_effect',
  'accessibility_issue',
]
const SEVERITIES: readonly (string | undefined)[] = [undefined, 'unknown', 'info', 'warning', 'severe']

/**
 * An alert counts as this many parts toward the limit MAX_PARTS (wire-reader.ts). The number is high because seven
 * lists are allocated for each alert, even for an alert of only two bytes.
 */
const PARTS_OF_ALERT = 8

/** A partly decoded Alert. */
export interface AlertParts extends Unfinished<Pick<AlertReport, 'cause' | 'effect' | 'severity'>> {
  readonly activePeriods: TimeRange[]
  readonly communicationPeriods: TimeRange[]
  readonly impactPeriods: TimeRange[]
  readonly selectors: EntitySelector[]
  readonly header: Translation[]
  readonly description: Translation[]
  readonly url: Translation[]
}

/** An Alert without any fields. */
export function emptyAlert(): AlertParts {
  return {
    activePeriods: [],
    communicationPeriods: [],
    impactPeriods: [],
    selectors: [],
    cause: 'unknown_cause',
    effect: 'unknown_effect',
    severity: 'unknown',
    header: [],
    description: [],
    url: [],
  }
}

/** Reads an Alert. */
export function readAlert(reader: WireReader, alert: AlertParts): AlertParts {
  const outerEnd = reader.enter(PARTS_OF_ALERT)
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case bytesTag(1):
        alert.activePeriods.push(readTimeRange(reader))
        break
      case bytesTag(2):
        alert.communicationPeriods.push(readTimeRange(reader))
        break
      case bytesTag(3):
        alert.impactPeriods.push(readTimeRange(reader))
        break
      case bytesTag(5):
        readSelector(reader, alert.selectors)
        break
      case varintTag(6):
        alert.cause = CAUSES[reader.int32()] ?? alert.cause
        break
      case varintTag(7):
        alert.effect = EFFECTS[reader.int32()] ?? alert.effect
        break
      case bytesTag(8):
        readTranslations(reader, alert.url)
        break
      case bytesTag(10):
        readTranslations(reader, alert.header)
        break
      case bytesTag(11):
        readTranslations(reader, alert.description)
        break
      case varintTag(14):
        alert.severity = SEVERITIES[reader.int32()] ?? alert.severity
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
  return alert
}

/**
 * Reads a TimeRange. A bound of 0 counts as absent. So does an end after the year 9999, because feeds write the largest
 * number for "until further notice". A start after the year 9999 becomes the last instant of that year. Such a start
 * must not count as absent, because the alert would then be active now.
 */
function readTimeRange(reader: WireReader): TimeRange {
  let start = 0
  let end = 0
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case varintTag(1):
        start = reader.unsigned()
        break
      case varintTag(2):
        end = reader.unsigned()
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
  return {
    startSeconds: start === 0 ? undefined : Math.min(start, MAX_INSTANT_SECONDS),
    endSeconds: end === 0 || end > MAX_INSTANT_SECONDS ? undefined : end,
  }
}

/** Reads an EntitySelector. A selector without fields is dropped, because it would match everything. */
function readSelector(reader: WireReader, selectors: EntitySelector[]): void {
  const selector: Unfinished<EntitySelector> = {
    agencyId: undefined,
    routeId: undefined,
    routeType: undefined,
    directionId: undefined,
    trip: undefined,
    stopId: undefined,
  }
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case bytesTag(1):
        selector.agencyId = reader.text()
        break
      case bytesTag(2):
        selector.routeId = reader.text()
        break
      case varintTag(3):
        selector.routeType = reader.int32()
        break
      case bytesTag(4):
        selector.trip = readTripDescriptor(reader, selector.trip)
        break
      case bytesTag(5):
        selector.stopId = reader.text()
        break
      case varintTag(6):
        selector.directionId = reader.uint32()
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
  if (selector.trip !== undefined && isUnnamed(selector.trip)) selector.trip = undefined
  if (hasAnyField(selector)) selectors.push(selector)
  else reader.leaveOut('empty_selector')
}
