// Schemas → TypeScript, for pages that may not import the service. Descriptions stay in the schemas, so that a change of
// words changes no contract.
import type { TSchema } from '@sinclair/typebox'

/** A type of a contract. */
export interface NamedSchema {
  readonly name: string
  readonly schema: TSchema
  /** What it is: one sentence. */
  readonly about: string
  /** Members that the page never asks for. */
  readonly unread?: readonly string[]
}

/** A schema as far as types show it: JSON Schema, as TypeBox writes it. */
interface PlainSchema extends Pick<TSchema, '$id'> {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly PlainSchema[]
  readonly items?: PlainSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, PlainSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: PlainSchema
}

/** The declarations of some schemas, in their order. A schema that stands in the list is referred to by its name. */
export function typeDeclarations(list: readonly NamedSchema[]): string {
  const names = new Map<PlainSchema, string>(list.map(({ name, schema }) => [schema, name]))
  return list
    .map(({ name, schema, about, unread = [] }) => {
      const read = Object.entries(schema['properties'] ?? {}).filter(([member]) => !unread.includes(member))
      const shown = unread.length === 0 ? schema : { ...schema, properties: Object.fromEntries(read) }
      return `/** ${about} */\nexport ${declaration(name, shown, names)}\n`
    })
    .join('\n')
}

/** An interface extends the largest named one whose members it has. */
function declaration(name: string, schema: PlainSchema, names: ReadonlyMap<PlainSchema, string>): string {
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
    schema.properties?.[name] === member && base.required?.includes(name) === schema.required?.includes(name)
  return members.length > 0 && members.length < memberCount(schema) && members.every(isKept)
}

function memberCount({ properties = {} }: PlainSchema): number {
  return Object.keys(properties).length
}

/** The type of a schema: its name, if it has one. */
function typeOf(schema: PlainSchema, names: ReadonlyMap<PlainSchema, string>): string {
  return names.get(schema) ?? writtenOut(schema, names)
}

function writtenOut(schema: PlainSchema, names: ReadonlyMap<PlainSchema, string>): string {
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
      throw new Error(`no type is known for the schema ${JSON.stringify(schema)}`)
  }
}

/** An array of a fixed length is a tuple. */
function arrayOf({ items = {}, minItems, maxItems }: PlainSchema, names: ReadonlyMap<PlainSchema, string>): string {
  const item = typeOf(items, names)
  if (maxItems !== undefined && minItems === maxItems) {
    return `readonly [${Array.from({ length: maxItems }, () => item).join(', ')}]`
  }
  return `readonly (${item})[]`
}

function objectOf(schema: PlainSchema, names: ReadonlyMap<PlainSchema, string>): string {
  const { properties, required = [], additionalProperties } = schema
  const members = Object.entries(properties ?? {}).map(
    ([name, member]) => `readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(member, names)}\n`,
  )
  if (additionalProperties !== undefined) {
    members.push(`readonly [name: string]: ${typeOf(additionalProperties, names)}\n`)
  }
  return `{\n${members.join('')}}`
}
