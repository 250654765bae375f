// Finds the parts of an OpenAPI document that client programs rely on (its contract), and the parts that a later
// version breaks. Additions are accepted: routes, response members, optional parameters, enum values, statuses, error
// reasons. Removals and changes are faults. Descriptions, titles and examples may change.

type Json = null | boolean | number | string | readonly Json[] | JsonObject
type JsonObject = { readonly [key: string]: Json }

/**
 * Keywords that are not part of the contract: those for human-readable strings, the release version, and examples and
 * code samples, which have separate tests.
 */
const NOT_HELD: ReadonlySet<string> = new Set([
  'summary',
  'description',
  'title',
  'detail',
  'version',
  'example',
  'x-codeSamples',
])
/** Keywords whose value maps names to definitions. Every name must be kept, and names may be added. */
const MAPS: ReadonlySet<string> = new Set([
  'content',
  'examples',
  'headers',
  'parameters',
  'paths',
  'properties',
  'responses',
  'schemas',
  'securitySchemes',
  'tags',
  'x-events',
])
/** Keywords whose value is an unordered list of strings. Strings may be added. */
const OPEN_LISTS: ReadonlySet<string> = new Set(['enum', 'required'])
/** Keywords that may be added anywhere, because they do not restrict what is valid. */
const FREE_TO_APPEAR: ReadonlySet<string> = new Set(['default', 'deprecated', 'examples', 'headers', 'tags'])

/** The part of an OpenAPI document that client programs rely on, without descriptions and examples. */
export function contractOf(document: unknown): JsonObject {
  const plain: Json = JSON.parse(JSON.stringify(document))
  const held = strip(plain, false)
  if (!isObject(held)) throw new Error('an OpenAPI document must be an object')
  return held
}

/** A fault for each place where a document breaks the contract of an earlier document; empty if it breaks nothing. */
export function breakingChanges(earlier: unknown, later: unknown): string[] {
  const faults: string[] = []
  compareObjects(contractOf(earlier), contractOf(later), { place: '', isMap: false, faults })
  return faults
}

/**
 * Formats JSON. A value that fits on one line is written on one line, so that stored documents are short and their
 * diffs readable.
 */
export function formatContract(value: Json, indent = ''): string {
  const line = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= 110) return line
  const inner = `${indent} `
  const members = Array.isArray(value)
    ? value.map((entry) => inner + formatContract(entry, inner))
    : Object.entries(value).map(([key, member]) => `${inner}${JSON.stringify(key)}: ${formatContract(member, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${members.join(',\n')}\n${indent}${close}`
}

interface Comparison {
  /** JSON pointer to the compared value. */
  readonly place: string
  /** Whether the members' names are names of definitions, not keywords. */
  readonly isMap: boolean
  readonly faults: string[]
}

function compare(earlier: Json, later: Json, comparison: Comparison): void {
  const { place, isMap, faults } = comparison
  if (isObject(earlier) && isObject(later)) return compareObjects(earlier, later, comparison)
  if (isList(earlier) && isList(later)) {
    if (isMap) return compareObjects(byName(earlier), byName(later), comparison)
    return compareLists(earlier, later, comparison)
  }
  if (earlier !== later) faults.push(`${place} is ${JSON.stringify(later)}, was ${JSON.stringify(earlier)}`)
}

function compareObjects(earlier: JsonObject, later: JsonObject, { place, isMap, faults }: Comparison): void {
  for (const [key, value] of Object.entries(earlier)) {
    const inside = `${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const present = later[key]
    if (present === undefined) faults.push(`${inside} is gone`)
    else compare(value, present, { place: inside, isMap: !isMap && MAPS.has(key), faults })
  }
  const isPath = /^\/paths\/[^/]+$/.test(place)
  for (const key of Object.keys(later)) {
    if (key in earlier || isPath || FREE_TO_APPEAR.has(key)) continue
    if (!isMap) faults.push(`${place}/${key} is new, and was not specified before`)
  }
  if (isMap && place.endsWith('/parameters')) faults.push(...newlyRequired(earlier, later, place))
  if (!isMap) faults.push(...noLongerOptional(earlier, later, place))
}

function compareLists(earlier: readonly Json[], later: readonly Json[], { place, faults }: Comparison): void {
  if (OPEN_LISTS.has(place.slice(place.lastIndexOf('/') + 1))) {
    faults.push(...missing(earlier, later).map((word) => `${place} no longer has ${word}`))
    return
  }
  if (earlier.length !== later.length) faults.push(`${place} has ${later.length} entries, had ${earlier.length}`)
  for (const [at, entry] of earlier.entries()) {
    const present = later[at]
    if (present !== undefined) compare(entry, present, { place: `${place}/${at}`, isMap: false, faults })
  }
}

/** Finds new required parameters. They are breaking changes, because requests without them are now refused. */
function newlyRequired(earlier: JsonObject, later: JsonObject, place: string): string[] {
  return Object.entries(later)
    .filter(([name, parameter]) => !(name in earlier) && isObject(parameter) && parameter['required'] === true)
    .map(([name]) => `${place}/${name} is new and required`)
}

/**
 * Finds members that were optional and are now required. In request bodies, also finds new members that are required.
 */
function noLongerOptional(earlier: JsonObject, later: JsonObject, place: string): string[] {
  const [now, before, known] = [later['required'], earlier['required'] ?? [], earlier['properties'] ?? {}]
  if (!isList(now) || !isList(before)) return []
  const isBody = place.includes('/requestBody/')
  return missing(now, before)
    .filter((word) => isBody || word in Object(known))
    .map((word) => `${place}/required has ${word}, which was optional`)
}

function strip(value: Json, isMap: boolean): Json {
  if (isList(value)) return value.map((entry) => strip(entry, false))
  if (!isObject(value)) return value
  // A schema's `examples` is a list, which is not part of the contract. A response's `examples` is an object keyed by
  // error reason, and these keys are part of the contract.
  const isHeld = (key: string, member: Json) => !NOT_HELD.has(key) && !(key === 'examples' && isList(member))
  const kept = Object.entries(value).filter(([key, member]) => isMap || isHeld(key, member))
  // Members are sorted, so that a stored copy changes only if the contract does.
  kept.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(kept.map(([key, member]) => [key, strip(member, !isMap && MAPS.has(key))]))
}

function missing(earlier: readonly Json[], later: readonly Json[]): string[] {
  const present = new Set(later.map(String))
  return earlier.map(String).filter((word) => !present.has(word))
}

/** The entries of a list, keyed by name: parameters by `in` and `name`, tags by `name`. */
function byName(list: readonly Json[]): JsonObject {
  return Object.fromEntries(list.map((entry) => [isObject(entry) ? nameOf(entry) : String(entry), entry]))
}

function nameOf({ in: place, name }: JsonObject): string {
  return place === undefined ? String(name) : `${String(place)} ${String(name)}`
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
