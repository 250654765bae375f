// Converts TypeBox schemas to plain JSON for OpenAPI, with references to named schemas.

/** A part of an OpenAPI document, as plain JSON. */
export type Json = Record<string, unknown>

/** Named schema → its name. */
export type SchemaNames = ReadonlyMap<object, string>

/** Returns the definitions of the named schemas. */
export function componentSchemas(names: SchemaNames): Json {
  return Object.fromEntries([...names].map(([schema, name]) => [name, toPlain(schema, names)]))
}

/** Converts a part of a document to JSON. Named schemas inside it become references. */
export function toPlain(part: object, names: SchemaNames): Json {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert)
    if (typeof value !== 'object' || value === null) return value
    const name = names.get(value)
    return name === undefined ? convertMembers(value) : { $ref: `#/components/schemas/${name}` }
  }
  const convertMembers = (value: object): Json => {
    const members = Object.entries(value).map(([key, member]) => [key, convert(member)] as const)
    return Object.fromEntries([...members, ...descriptionOf(value)])
  }
  return convertMembers(part)
}

/** Returns the description inside the `anyOf` of a nullable value, so that it can be moved outside the `anyOf`. */
function descriptionOf(value: object): readonly [string, string][] {
  if (!('anyOf' in value) || !Array.isArray(value.anyOf) || 'description' in value) return []
  const [first, second] = value.anyOf
  return second?.type === 'null' && typeof first?.description === 'string' ? [['description', first.description]] : []
}
