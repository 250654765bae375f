// Compares two configurations setting by setting. The changes are logged at a reload, so they contain no secrets.
import type { LoadedConfig } from './config.ts'

/** Top-level keys of the settings that a reload applies. All other settings need a restart. */
export const RELOADED_KEYS: readonly string[] = [
  'streets',
  'ground',
  'ground_buildings',
  'networks',
  'plans',
  'trusted_proxies',
  'log',
  'metrics',
  'drain_seconds',
]

/** A changed setting. */
export interface SettingChange {
  /** The keys of the setting, joined by dots. A table in a list has its id as key: `networks.ville.feeds.trips.url`. */
  readonly setting: string
  /** The old value as JSON, with secrets redacted; undefined if the setting was not set. */
  readonly before: string | undefined
  readonly after: string | undefined
  readonly needsRestart: boolean
}

/** A value, and its redacted form. */
interface Place {
  readonly value: unknown
  readonly shown: unknown
}

/** All changed settings, in their order in the configuration. */
export function listChanges(before: LoadedConfig, after: LoadedConfig): SettingChange[] {
  const found: SettingChange[] = []
  compare(toPlace(before), toPlace(after), [], (path, was, is) => {
    found.push({
      setting: path.join('.'),
      before: textOf(was),
      after: textOf(is),
      needsRestart: !RELOADED_KEYS.includes(path[0] ?? ''),
    })
  })
  return found
}

/** Describes a change in one line: the setting, its old value and its new value. */
export function changeText({ setting, before, after }: SettingChange): string {
  if (before === undefined) return `${setting} was not set and is now ${after}`
  if (after === undefined) return `${setting} was ${before} and is no longer set`
  return before === after ? `${setting} was changed; its value is secret` : `${setting}: ${before} → ${after}`
}

type Report = (path: readonly string[], before: Place, after: Place) => void

function compare(before: Place, after: Place, path: readonly string[], report: Report): void {
  if (Bun.deepEquals(before.value, after.value, true)) return
  const [was, is] = [childrenOf(before), childrenOf(after)]
  if (was === undefined || is === undefined) return report(path, before, after)
  const absent: Place = { value: undefined, shown: undefined }
  for (const key of new Set([...was.keys(), ...is.keys()])) {
    compare(was.get(key) ?? absent, is.get(key) ?? absent, [...path, key], report)
  }
  const [order, orderNow] = [was, is].map((children) => [...children.keys()])
  const isList = Array.isArray(before.value)
  if (isList && !Bun.deepEquals(order?.toSorted(), orderNow?.toSorted())) return
  if (isList && !Bun.deepEquals(order, orderNow)) {
    report(path, { value: order, shown: order }, { value: orderNow, shown: orderNow })
  }
}

/** The settings in a table by key, or the tables in a list by id; undefined for other values. */
function childrenOf({ value, shown }: Place): Map<string, Place> | undefined {
  if (Array.isArray(value)) {
    if (!value.every(hasId)) return undefined
    const shownList = Array.isArray(shown) ? shown : []
    return new Map(value.map((entry, at) => [entry.id, { value: entry, shown: shownList[at] }]))
  }
  if (!isTable(value)) return undefined
  const shownTable = isTable(shown) ? shown : {}
  return new Map(Object.entries(value).map(([key, entry]) => [key, { value: entry, shown: shownTable[key] }]))
}

function toPlace({ settings, shown }: LoadedConfig): Place {
  return { value: settings, shown }
}

function textOf({ value, shown }: Place): string | undefined {
  return value === undefined ? undefined : JSON.stringify(shown)
}

function hasId(entry: unknown): entry is { readonly id: string } {
  return isTable(entry) && typeof entry['id'] === 'string'
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
