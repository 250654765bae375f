// Converts schemas to TypeScript, for programs that must not import the service. The schemas' own descriptions are left
// out, so that a new description does not change the generated files.
import type { TSchema } from '@sinclair/typebox'

/** A schema with the name of its type. */
export interface NamedSchema {
  readonly name: string
  readonly schema: PlainSchema
  /** The type's documentation comment; undefined for none. */
  readonly about: string | undefined
  /** Members to leave out of the type, because the program that uses the type does not read them. */
  readonly unread?: readonly string[]
}

/** The parts of a schema that affect its type, and its default value. */
export interface PlainSchema extends Pick<TSchema, '$id'> {
  /**
   * The pointer to a named schema in the API document, such as `#/components/schemas/Stop`. Absent if this schema is
   * not a reference.
   */
  readonly $ref?: string
  readonly default?: unknown
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly PlainSchema[]
  readonly items?: PlainSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, PlainSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: PlainSchema | boolean
}

/** Named schema → its name. */
type SchemaNames = ReadonlyMap<PlainSchema, string>

/** Returns the declarations of the schemas, in order. Schemas in the list are referenced by name. */
export function typeDeclarations(list: readonly NamedSchema[]): string {
  const names = new Map<PlainSchema, string>(list.map(({ name, schema }) => [schema, name]))
  return list
    .map(({ name, schema, about, unread = [] }) => {
      const read = Object.entries(schema.properties ?? {}).filter(([member]) => !unread.includes(member))
      const shown = unread.length === 0 ? schema : { ...schema, properties: Object.fromEntries(read) }
      return `${comment(about)}export ${declaration(name, shown, names)}\n`
    })
    .join('\n')
}

/** Renders a documentation comment on its own lines. Returns an empty string if there is nothing to say. */
export function comment(text: string | undefined): string {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '* /').replaceAll('\n', '\n * ')} */\n`
}

/**
 * Declares a schema's type. If the schema has all members of another named schema, its interface extends that schema's
 * interface. If several schemas qualify, it extends the largest.
 */
function declaration(name: string, schema: PlainSchema, names: SchemaNames): string {
  if (schema.properties === undefined) return `type ${name} = ${writtenOut(schema, names)}`
  const own = Object.entries(schema.properties)
  const bases = [...names.keys()].filter((base) => base !== schema && isPartOf(base, schema))
  const base = bases.toSorted((a, b) => memberCount(b) - memberCount(a))[0]
  if (base === undefined) return `interface ${name} ${writtenOut(schema, names)}`
  const rest = {
    ...schema,
    properties: Object.fromEntries(own.filter(([key]) => base.properties?.[key] === undefined)),
  }
  return `interface ${name} extends ${names.get(base)} ${writtenOut(rest, names)}`
}

function isPartOf(base: PlainSchema, schema: PlainSchema): boolean {
  const members = Object.entries(base.properties ?? {})
  const isKept = ([name, member]: readonly [string, PlainSchema]) =>
    Bun.deepEquals(schema.properties?.[name], member) &&
    base.required?.includes(name) === schema.required?.includes(name)
  return members.length > 0 && members.length < memberCount(schema) && members.every(isKept)
}

function memberCount({ properties = {} }: PlainSchema): number {
  return Object.keys(properties).length
}

/** Returns the type of a schema: the schema's name if it has one, otherwise the type written out. */
export function typeOf(schema: PlainSchema, names: SchemaNames): string {
  return names.get(schema) ?? writtenOut(schema, names)
}

function writtenOut(schema: PlainSchema, names: SchemaNames): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeOf(each, names)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return arrayOf(schema, names)
    case 'object':
      return objectOf(schema, names)
    default:
      throw new Error(`unsupported schema ${JSON.stringify(schema)}`)
  }
}

/** Returns an array type. Arrays of fixed length become tuples. */
function arrayOf({ items = {}, minItems, maxItems }: PlainSchema, names: SchemaNames): string {
  const item = typeOf(items, names)
  if (maxItems !== undefined && minItems === maxItems) {
    return `readonly [${Array.from({ length: maxItems }, () => item).join(', ')}]`
  }
  return `readonly (${item})[]`
}

function objectOf(schema: PlainSchema, names: SchemaNames): string {
  const { properties, required = [], additionalProperties } = schema
  const members = Object.entries(properties ?? {}).map(
    ([name, member]) => `readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(member, names)}\n`,
  )
  if (typeof additionalProperties === 'object') {
    members.push(`readonly [name: string]: ${typeOf(additionalProperties, names)}\n`)
  }
  return `{\n${members.join('')}}`
}
