// TypeBox schemas as an OpenAPI document has them: plain JSON, with those that have a name behind references.

/** A part of a document. */
export type Json = Record<string, unknown>

/** The schemas that a document names, each with its name. */
export type SchemaNames = ReadonlyMap<object, string>

/** The named schemas, written out. */
export function componentSchemas(names: SchemaNames): Json {
  return Object.fromEntries([...names].map(([schema, name]) => [name, toPlain(schema, names)]))
}

/** A part of a document as JSON, with the named schemas in it behind references; the part itself is written out. */
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

/** A value that may be null is described where its name stands, not inside the choice. */
function descriptionOf(value: object): readonly [string, string][] {
  if (!('anyOf' in value) || !Array.isArray(value.anyOf) || 'description' in value) return []
  const [first, second] = value.anyOf
  return second?.type === 'null' && typeof first?.description === 'string' ? [['description', first.description]] : []
}
