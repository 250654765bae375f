// Messages about refused values: which values a setting allows, and which value was found.
import type { TSchema } from '@sinclair/typebox'
import { SETTINGS } from './config-settings.ts'

const CHOICES = new Intl.ListFormat('en-GB', { type: 'disjunction' })
/** Values with more characters are shortened in messages. */
const SHOWN_LENGTH = 60
/** Values of these kinds may contain a password or a key. */
const HIDDEN_KINDS = new Set(['header', 'source', 'url'])
/** The scheme of a URL: the only part of a URL that never contains a secret. */
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/**
 * The message about a refused value: the allowed values, the refused value, and the purpose of the setting.
 * @param value undefined if it may contain a secret
 */
export function refusalText(schema: TSchema, value: unknown): string {
  const isSecret = schema.secret === true || schema.reads === 'header'
  const isHidden = value === undefined || (isSecret && typeof value === 'string')
  const given = isHidden ? '' : `, not ${shown(schema, value)}`
  const hint = listHint(schema, value)
  // If a setting has several forms, its description lists the forms. All other descriptions only state the purpose of the
  // setting, so the message lists the allowed values before the description.
  if (isUnionOfForms(schema)) return `must be ${schema.description}${given}${hint}`
  const purpose = schema.description === undefined ? '' : ` (${schema.description})`
  return `must be ${allowed(schema)}${given}${purpose}${hint}`
}

/** A hint if a key is in the wrong table: in TOML, every line below a `[table]` heading belongs to that table. */
export function misplacedHint(key: string, label: string): string | undefined {
  if (label === '' || !Object.hasOwn(SETTINGS.properties, key)) return undefined
  return `${key} belongs to the whole service: move it above the first heading in square brackets`
}

/**
 * Explains how to set a variable that the configuration refers to as `${NAME}`.
 * @param unreadable path of an environment file that this user cannot read
 */
export function missingReference(label: string, name: string, unreadable: string | undefined): string {
  const advice =
    unreadable === undefined
      ? `Set ${name} there, or in a file "environment" next to the configuration`
      : `This user cannot read ${unreadable}: run chgrp quai and chmod 640 on it`
  return `${label} refers to \${${name}}, which is not in the environment. ${advice}`
}

function isUnionOfForms({ anyOf }: TSchema): boolean {
  return anyOf?.some((one: TSchema) => one.const === undefined) === true
}

function shown({ reads }: TSchema, value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object' && value !== null) return 'a table'
  if (value === '') return 'an empty string'
  if (typeof value === 'string' && HIDDEN_KINDS.has(reads)) return shownAddress(value)
  const text = JSON.stringify(value)
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`
}

/** An address in the form in which messages show it, without the parts that may be secret. */
function shownAddress(value: string): string {
  const scheme = SCHEME.exec(value)?.[0]
  if (scheme !== undefined) return `"${scheme}…"`
  return /[@?]/.test(value) || value.length > SHOWN_LENGTH ? 'the given value' : JSON.stringify(value)
}

/** A hint if the configuration has a single value instead of a list. */
function listHint({ type, items, reads }: TSchema, value: unknown): string {
  if (type !== 'array') return ''
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return ': write its name in double brackets, as in [[networks]]'
  const isText = items?.type === 'string' && !HIDDEN_KINDS.has(reads)
  return typeof value === 'string' && isText ? `: write [${JSON.stringify(value)}]` : ''
}

function allowed(schema: TSchema): string {
  if (schema.type === 'integer') {
    if (schema.maximum === Number.MAX_SAFE_INTEGER) return `a whole number of ${schema.minimum} or more`
    return `a whole number from ${schema.minimum} to ${schema.maximum}`
  }
  if (schema.type === 'number') return `a number from ${schema.minimum} to ${schema.maximum}`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf !== undefined) return CHOICES.format(schema.anyOf.map((one: TSchema) => JSON.stringify(one.const)))
  if (schema.type === 'boolean') return 'true or false'
  if (schema.type === 'array') return schema.minItems === undefined ? 'a list' : 'a non-empty list'
  if (schema.type === 'object') return 'a table'
  switch (schema.reads) {
    case 'url':
      return 'a URL that starts with http:// or https://'
    case 'source':
      return 'a path, or a URL that starts with http:// or https://'
    case 'decimal':
      return 'a decimal number in quotes, such as "0.05"'
    case 'slug':
      return 'a word of a to z, 0 to 9, _ and -, starting with a letter or digit'
    case 'header':
      return 'a header value on one line, without control characters'
    case 'currency':
      return 'the ISO 4217 code of a currency with cents, such as "EUR"'
    case 'zone':
      return 'an IANA time zone, such as "Europe/Paris"'
    default:
      return schema.minLength === 1 ? 'a non-empty string' : 'a string'
  }
}
