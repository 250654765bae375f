// Documents and checks the configuration: the JSON Schema for editors, unknown environment names, and warnings.
import type { TSchema } from '@sinclair/typebox'
import { closestWord } from '../system/closest-word.ts'
import type { Config } from './config.ts'
import { environmentName, SETTINGS } from './config-settings.ts'

/** `QUAI_*` names that are not settings: the service clock and the test size. */
const OTHER_ENVIRONMENT = ['QUAI_CLOCK', 'QUAI_SIZE']

/** The JSON Schema (2020-12) of a configuration file. */
export function configJsonSchema(): Record<string, unknown> {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Quai', ...toJsonSchema(SETTINGS, []) }
}

/** The names of the environment variables for all settings. */
export function listEnvironmentNames(schema: TSchema = SETTINGS, path: readonly string[] = []): string[] {
  if (schema.properties === undefined) return [environmentName(path)]
  return Object.entries<TSchema>(schema.properties).flatMap(([key, field]) =>
    listEnvironmentNames(field, [...path, key]),
  )
}

/** Returns a message for each `QUAI_*` environment variable that is not a setting. Most of these names are typos. */
export function findUnknownEnvironment(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = [...listEnvironmentNames(), ...OTHER_ENVIRONMENT]
  const unknown = Object.keys(env).filter((name) => name.startsWith('QUAI_') && !known.includes(name))
  return unknown.map((name) => {
    const closest = closestWord(name, known)
    return `the environment variable ${name} is not a setting${closest === undefined ? '' : `; did you mean ${closest}?`}`
  })
}

/** Warnings about settings that are valid but not advisable, one sentence each. */
export function configWarnings({
  accountConsoleUrl,
  networks,
}: Pick<Config, 'accountConsoleUrl' | 'networks'>): string[] {
  const { protocol, hostname } = new URL(accountConsoleUrl)
  const isSafe = protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return [
    ...(networks.length > 0 ? [] : ['no network is configured: add [[networks]], or run "quai init FEED"']),
    ...(isSafe
      ? []
      : [
          `account_console_url is ${accountConsoleUrl}: http is not encrypted, so others can read passwords and sessions; use https`,
        ]),
  ]
}

/**
 * A setting's JSON Schema, without the keywords that only Quai's parser reads.
 * @param path the setting's keys; undefined inside a list, where settings have no environment name
 */
function toJsonSchema(schema: TSchema, path: readonly string[] | undefined): Record<string, unknown> {
  const { reads, secret, properties, required, items, anyOf, patternProperties, ...rest } = schema
  const result: Record<string, unknown> = { ...rest }
  if (reads === 'url') result.format = 'uri'
  if (secret === true) result.writeOnly = true
  if (properties === undefined && path !== undefined) result['x-env'] = environmentName(path)
  if (properties !== undefined) {
    const fields = Object.entries<TSchema>(properties)
    result.properties = Object.fromEntries(
      fields.map(([key, field]) => [key, toJsonSchema(field, path === undefined ? undefined : [...path, key])]),
    )
    const isNeeded = ([key, field]: [string, TSchema]) =>
      (required ?? []).includes(key) && field.default === undefined && field.properties === undefined
    result.required = fields.filter(isNeeded).map(([key]) => key)
  }
  if (items !== undefined) result.items = toJsonSchema(items, undefined)
  if (anyOf !== undefined) result.anyOf = anyOf.map((one: TSchema) => toJsonSchema(one, undefined))
  if (patternProperties !== undefined) result.additionalProperties = { type: 'string' }
  return result
}
