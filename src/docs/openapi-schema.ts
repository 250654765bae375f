// TypeBox schemas as an OpenAPI document has them: plain JSON, with those that have a name behind references.
import type { TSchema } from '@sinclair/typebox'

/** A part of a document. */
export type Json = Record<string, unknown>

/** The schemas that a document names, each with its name. */
export type SchemaNames = ReadonlyMap<TSchema, string>

/** The named schemas, written out. */
export function componentSchemas(names: SchemaNames): Json {
  return Object.fromEntries([...names].map(([schema, name]) => [name, toPlainSchema(schema, names, schema)]))
}

/** A schema as JSON, with named ones behind references; `root` itself is written out. */
export function toPlainSchema(schema: TSchema, names: SchemaNames, root?: TSchema): Json {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert)
    if (typeof value !== 'object' || value === null) return value
    const name = value === root ? undefined : names.get(value as TSchema)
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
    const members = Object.entries(value).map(([key, member]) => [key, convert(member)])
    return Object.fromEntries([...members, ...descriptionOf(value)])
  }
  return convert(schema) as Json
}

/** A value that may be null is described where its name stands, not inside the choice. */
function descriptionOf(value: object): readonly [string, string][] {
  if (!('anyOf' in value) || !Array.isArray(value.anyOf) || 'description' in value) return []
  const [first, second] = value.anyOf
  return second?.type === 'null' && typeof first?.description === 'string' ? [['description', first.description]] : []
}
