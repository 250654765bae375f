// Schemas for the forms that settings can have: strings, lists of strings, whole numbers, flags and tables.

import { type TObject, type TSchema, Type } from '@sinclair/typebox'

/**
 * The format of a string, besides its JSON type. `path`: relative to the configuration file. `source`: a path or a web
 * URL. `url`: a web URL. `decimal`: a decimal number as a string. `zone`: an IANA time zone. `slug`: lower-case
 * letters, digits, `_` and `-`. `header`: an HTTP header value. `currency`: the ISO 4217 code of a currency with cents.
 */
export type TextKind = 'path' | 'source' | 'url' | 'decimal' | 'zone' | 'slug' | 'header' | 'currency'

interface TextOptions {
  readonly reads?: TextKind
  /** Whether the value is secret, and so never printed. */
  readonly secret?: true
  readonly default?: string
}

/** The schema of a string. The string must not be empty, unless the default is empty. */
export function text(description: string, options: TextOptions = {}) {
  return Type.String({ description, minLength: options.default === '' ? 0 : 1, ...options })
}

/** The schema of a list of strings. The list is empty by default. */
export function texts(description: string, options: TextOptions = {}) {
  return Type.Array(text(description, options), { description, default: [] })
}

/** The schema of a whole number. */
export function integer(description: string, bounds: { minimum: number; maximum?: number; default?: number }) {
  return Type.Integer({ description, maximum: Number.MAX_SAFE_INTEGER, ...bounds })
}

/** The schema of a boolean. */
export function flag(description: string, preset: boolean) {
  return Type.Boolean({ description, default: preset })
}

/** The schema of a table of settings. Unknown keys are refused. */
export function table<Fields extends Record<string, TSchema>>(description: string, fields: Fields): TObject<Fields> {
  return Type.Object(fields, { description, additionalProperties: false })
}
