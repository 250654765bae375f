// Reads the settings that config-settings.ts lists: takes each value from the source with the highest precedence,
// converts strings, resolves paths, expands ${NAME}, and reports each invalid value with its key and the allowed
// values.

import { resolve } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { isCurrencyWithCents } from '../plans/offers.ts'
import { closestWord } from '../system/closest-word.ts'
import { misplacedHint, missingReference, refusalText } from './config-rules.ts'
import { environmentName } from './config-settings.ts'

/** The sources of settings, and whether the settings are read to be printed. */
export interface ReadContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Path of an environment file that this user cannot read, and that may contain more variables. */
  readonly unreadable?: string
  /** Setting key → value of its flag; undefined if the flag is not set. */
  readonly flags: Readonly<Record<string, unknown>>
  /** Base folder of relative paths in the file. */
  readonly fileFolder: string
  /** Base folder of relative paths in flags and environment. */
  readonly currentFolder: string
  /** Whether secrets are redacted and `${NAME}` is not expanded, because the settings are printed. */
  readonly isRedacted: boolean
  /** The problems that reading has found, one sentence each. Reading adds to this list. */
  readonly problems: string[]
}

/** Printed in place of a secret. */
const REDACTED = '[redacted]'

interface Origin {
  /** Where the value comes from, for messages: the key in the file, the flag or the environment name. */
  readonly label: string
  readonly folder: string
  /** Whether `${NAME}` is expanded. */
  readonly isExpanded: boolean
}

const REFERENCE = /\$\{([^{}]*)\}/g
const REFERENCE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const WEB_ADDRESS = /^https?:\/\//i
const ANY_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const SLUG = /^[a-z0-9][a-z0-9_-]*$/
const DECIMAL = /^\d{1,12}(\.\d{1,12})?$/
const INTEGER = /^-?\d+$/
/** A query parameter of a URL. It contains a credential if its name matches SECRET_NAME. */
const PARAMETER = /([?&][^=?&#]*=)([^&#]*)()/g
/** The name of an HTTP header (RFC 9110). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
/** The value of an HTTP header (RFC 9110). Line breaks are not allowed: a line break would start another header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const SECRET_NAME = /key|token|secret|password|signature/i
/** User and password in a URL. */
const USER_INFO = /(:\/\/)([^/@?#]*)(@)/g
/** A string that contains only references such as `${NAME}`, optionally after the name of an authentication scheme. */
const REFERENCES_ONLY = /^(?:(?:bearer|basic|token|apikey) +)?(?:\$\{[^{}]*\}:?)+$/i

/** Reads a table of settings. Precedence: flags, environment, file, defaults. */
export function readTable(
  schema: TSchema,
  value: unknown,
  place: { path: readonly string[]; context: ReadContext },
): Record<string, unknown> | undefined {
  const { path, context } = place
  const given = value === undefined ? {} : value
  if (!isRecord(given)) {
    context.problems.push(`${path.join('.')} ${refusalText(schema, value)}`)
    return undefined
  }
  refuseUnknownKeys(schema, given, { label: path.join('.'), context })
  const result: Record<string, unknown> = {}
  for (const [key, field] of Object.entries<TSchema>(schema.properties)) {
    const at = [...path, key]
    if (field.type === 'object' && field.properties !== undefined) {
      const isAbsent = given[key] === undefined && !isTableSet(field, at, context)
      if (isAbsent && isOptional(schema, key)) continue
      result[key] = readTable(field, given[key], { path: at, context })
      continue
    }
    const problemCount = context.problems.length
    const read = readSetting(field, given[key], { path: at, context })
    if (read === undefined && !isOptional(schema, key) && context.problems.length === problemCount) {
      context.problems.push(`${at.join('.')} is missing: ${field.description}`)
    }
    if (read !== undefined) result[key] = read
  }
  return result
}

function readSetting(schema: TSchema, fileValue: unknown, place: { path: string[]; context: ReadContext }): unknown {
  const { path, context } = place
  const key = path.join('.')
  const name = environmentName(path)
  const flag = context.flags[key]
  const fromEnvironment = context.env[name]
  const typed = { folder: context.currentFolder, isExpanded: false }
  if (flag !== undefined) {
    const label = `--${key.replaceAll('_', '-')}`
    return readValue(schema, fromText(schema, flag), { origin: { ...typed, label }, context })
  }
  if (fromEnvironment !== undefined && fromEnvironment !== '') {
    return readValue(schema, fromText(schema, fromEnvironment), { origin: { ...typed, label: name }, context })
  }
  const origin = { label: key, folder: context.fileFolder, isExpanded: true }
  if (fileValue !== undefined) return readValue(schema, fileValue, { origin, context })
  if (schema.default === undefined) return undefined
  return readValue(schema, schema.default, { origin: { ...typed, label: key }, context })
}

interface ValuePlace {
  readonly origin: Origin
  readonly context: ReadContext
}

function readValue(schema: TSchema, value: unknown, place: ValuePlace): unknown {
  if (schema.anyOf !== undefined) return readAlternative(schema, value, place)
  if (schema.const !== undefined) return value === schema.const ? value : refuse(schema, value, place)
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? readText(schema, value, place) : refuse(schema, value, place)
    case 'integer':
      return isWithin(schema, value) ? value : refuse(schema, value, place)
    case 'number':
      return isWithinNumber(schema, value) ? value : refuse(schema, value, place)
    case 'boolean':
      return typeof value === 'boolean' ? value : refuse(schema, value, place)
    case 'array':
      return readList(schema, value, place)
    case 'object':
      return schema.properties === undefined ? readMap(schema, value, place) : readItemTable(schema, value, place)
    default:
      throw new Error(`the schema has a setting of type "${schema.type}", which cannot be read`)
  }
}

function readAlternative(schema: TSchema, value: unknown, place: ValuePlace): unknown {
  const alternatives: TSchema[] = schema.anyOf
  const kind = Array.isArray(value) ? 'array' : typeof value
  const fitting = alternatives.find((one) => (one.const === undefined ? one.type === kind : one.const === value))
  return fitting === undefined ? refuse(schema, value, place) : readValue(fitting, value, place)
}

function readList(schema: TSchema, value: unknown, place: ValuePlace): unknown {
  if (!Array.isArray(value) || value.length < (schema.minItems ?? 0)) return refuse(schema, value, place)
  return value.map((item, index) => readValue(schema.items, item, within(place, `[${index}]`)))
}

function readMap(schema: TSchema, value: unknown, place: ValuePlace): unknown {
  if (!isRecord(value)) return refuse(schema, value, place)
  const entries = Object.entries(value).map(([key, item]) => {
    if (schema.reads === 'header' && !HEADER_NAME.test(key)) {
      place.context.problems.push(`${place.origin.label} has ${JSON.stringify(key)}, which is not a header name`)
    }
    const text: TSchema = { ...schema, type: 'string', description: undefined, default: undefined }
    return [key, readValue(text, item, within(place, `.${key}`))]
  })
  return Object.fromEntries(entries)
}

/** Reads a table inside a list. Its settings have no flags and no environment names. */
function readItemTable(schema: TSchema, value: unknown, place: ValuePlace): unknown {
  if (!isRecord(value)) return refuse(schema, value, place)
  refuseUnknownKeys(schema, value, { label: place.origin.label, context: place.context })
  const result: Record<string, unknown> = {}
  for (const [key, field] of Object.entries<TSchema>(schema.properties)) {
    const given = value[key] ?? field.default
    if (given !== undefined) result[key] = readValue(field, given, within(place, `.${key}`))
    else if (!isOptional(schema, key)) {
      place.context.problems.push(`${place.origin.label}.${key} is missing: ${field.description}`)
    }
  }
  return result
}

function readText(schema: TSchema, value: string, place: ValuePlace): unknown {
  const { origin, context } = place
  const hasReference = origin.isExpanded && value.includes('${')
  if (context.isRedacted && (schema.secret === true || hasReference)) return redact(schema, value)
  const text = hasReference ? expand(value, place) : value
  if (text === undefined) return undefined
  const given = hasReference ? undefined : text
  if (text.length < (schema.minLength ?? 0)) return refuse(schema, given, place)
  switch (schema.reads) {
    case 'path':
      return resolve(origin.folder, text)
    case 'source':
      return ANY_SCHEME.test(text) ? readWebAddress(schema, { text, given }, place) : resolve(origin.folder, text)
    case 'url':
      return readWebAddress(schema, { text, given }, place)
    case 'decimal':
      return DECIMAL.test(text) ? text : refuse(schema, given, place)
    case 'slug':
      return SLUG.test(text) ? text : refuse(schema, given, place)
    case 'header':
      return HEADER_VALUE.test(text) ? text : refuse(schema, given, place)
    case 'currency':
      return isCurrencyWithCents(text) ? text : refuse(schema, given, place)
    case 'zone':
      return isTimeZone(text) ? text : refuse(schema, given, place)
    default:
      return text
  }
}

/** Checks a web URL. @param given the value to show in error messages; undefined if the value may contain a secret */
function readWebAddress(
  schema: TSchema,
  { text, given }: { text: string; given: string | undefined },
  place: ValuePlace,
): unknown {
  if (!WEB_ADDRESS.test(text) || !URL.canParse(text)) return refuse(schema, given, place)
  return place.context.isRedacted ? redact(schema, text) : text
}

/** Redacts a string for printing. References to environment variables are safe to print, but the rest may be secret. */
function redact(schema: TSchema, text: string): string {
  if (schema.secret === true) return text === '' || REFERENCES_ONLY.test(text) ? text : REDACTED
  const hide = (whole: string, before: string, secret: string, after = '') =>
    REFERENCES_ONLY.test(secret) ? whole : before + REDACTED + after
  const hideNamed = (whole: string, before: string, secret: string, after: string) =>
    SECRET_NAME.test(before) ? hide(whole, before, secret, after) : whole
  return text.replace(USER_INFO, hide).replace(PARAMETER, hideNamed)
}

function expand(value: string, place: ValuePlace): string | undefined {
  let isComplete = true
  const text = value.replace(REFERENCE, (_whole, name: string) => {
    const replacement = REFERENCE_NAME.test(name) ? place.context.env[name] : undefined
    if (replacement === undefined) {
      place.context.problems.push(missingReference(place.origin.label, name, place.context.unreadable))
      isComplete = false
    }
    return replacement ?? ''
  })
  return isComplete ? text : undefined
}

/** Reports an invalid value. @param value undefined if the value may contain a secret from the environment */
function refuse(schema: TSchema, value: unknown, place: ValuePlace): undefined {
  place.context.problems.push(`${place.origin.label} ${refusalText(schema, value)}`)
  return undefined
}

function refuseUnknownKeys(
  schema: TSchema,
  value: Record<string, unknown>,
  place: { label: string; context: ReadContext },
): void {
  const known = Object.keys(schema.properties)
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const closest = closestWord(key, known)
    const other = closest === undefined ? `known settings: ${known.join(', ')}` : `did you mean "${closest}"?`
    const hint = misplacedHint(key, place.label) ?? other
    const label = place.label === '' ? key : `${place.label}.${key}`
    place.context.problems.push(`${label} is not a setting; ${hint}`)
  }
}

/** Converts text from a flag or the environment: lists are separated by commas, tables and lists of tables are JSON. */
function fromText(schema: TSchema, given: unknown): unknown {
  if (typeof given !== 'string') return given
  if (schema.type === 'integer') return INTEGER.test(given) ? Number(given) : given
  if (schema.type === 'number') return DECIMAL.test(given) ? Number(given) : given
  if (schema.type === 'boolean') return given === 'true' ? true : given === 'false' ? false : given
  if (schema.type !== 'array' && schema.type !== 'object') return given
  if (/^\s*[[{]/.test(given)) return parseJson(given)
  return schema.type === 'array' ? given.split(',').map((item) => item.trim()) : given
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text // the string itself has the wrong type, so it is refused later, in a message that names the setting
  }
}

function isTableSet(schema: TSchema, path: string[], context: ReadContext): boolean {
  return Object.keys(schema.properties).some((key) => {
    const at = [...path, key]
    return (context.env[environmentName(at)] ?? '') !== '' || context.flags[at.join('.')] !== undefined
  })
}

function isOptional(schema: TSchema, key: string): boolean {
  return !(schema.required ?? []).includes(key)
}

function within(place: ValuePlace, step: string): ValuePlace {
  return { ...place, origin: { ...place.origin, label: place.origin.label + step } }
}

function isWithin(schema: TSchema, value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= schema.minimum && value <= schema.maximum
}

function isWithinNumber(schema: TSchema, value: unknown): boolean {
  return typeof value === 'number' && value >= schema.minimum && value <= schema.maximum
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
