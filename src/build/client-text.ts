// Generates a part of the client from the API document: the types of its schemas and parameters, the client's
// interface, and the class that implements it.
import { comment, type PlainSchema, typeDeclarations, typeOf } from './type-text.ts'

/** The parts of an OpenAPI document from which the client is generated. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, PlainSchema>> }
}

/**
 * A remark in parameter descriptions for people who generate their own client. It is removed here, because this client
 * encodes ids itself.
 */
const ENCODING = /, percent-encoded\. Clients generated from this document encode it for you\./
/**
 * The names of schema objects, which `typeOf` needs. This map is empty, because an API document refers to named schemas
 * by `$ref`.
 */
const PLAIN = new Map()

interface DocumentedOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly DocumentedParameter[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, DocumentedContent>> }>>
}

interface DocumentedParameter {
  readonly name: string
  readonly required: boolean
  readonly description: string
  readonly schema: PlainSchema
}

interface DocumentedContent {
  readonly schema: PlainSchema
  readonly 'x-events'?: Readonly<Record<string, PlainSchema>>
}

/** An operation that the client offers. */
export interface ClientOperation {
  /** The operation's name in the document, and the name of the client's method. */
  readonly name: string
  readonly path: string
  readonly about: string
  readonly parameters: readonly DocumentedParameter[]
  readonly answer: PlainSchema
  /** Name of the events if the operation is a stream. */
  readonly event?: string | undefined
  readonly hasPages: boolean
}

/** Reads the operations of a document, in the document's order. Throws if the client cannot call one of them. */
export function readOperations({ paths }: ApiDocument): ClientOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, summary, description, parameters, responses } = operation
      const names = new Set(parameters.map(({ name }) => name))
      const [content] = Object.values(responses['200']?.content ?? {})
      if (method !== 'get' || names.size < parameters.length || content === undefined) {
        throw new Error(
          `the client cannot call ${operationId}: it is not a GET, repeats a parameter name, or has no response`,
        )
      }
      const events = Object.entries(content['x-events'] ?? {}).filter(([name]) => name !== 'end')
      const [[event, answer] = [undefined, content.schema]] = events
      const about = `${summary}. ${costIn(description)}.`
      return { name: operationId, path, about, parameters, answer, event, hasPages: names.has('cursor') }
    }),
  )
}

/** The source code of the document's types and of the client's interface. */
export function clientTypes({ components }: ApiDocument, operations: readonly ClientOperation[]): string {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    return { name, schema, about: undefined }
  })
  const answers = operations
    .filter(({ answer }) => answer.$ref === undefined)
    .map((operation) => {
      return { name: answerType(operation), schema: operation.answer, about: undefined }
    })
  const methods = operations.map((operation) => `${comment(operation.about)}${signature(operation)}\n`)
  return `import type { CallOptions, Limits, PagedAnswer, StreamEvent } from './surface.ts'

${typeDeclarations([...schemas, ...answers])}
${operations.map(parametersType).join('')}
/** A client of the API: one method for each operation. */
export interface QuaiClient {
/** The limits from the latest response that contained them. */
readonly limits: Limits
${methods.join('\n')}}
`
}

/** The source code of the class that implements the client's interface. */
export function clientOperations(operations: readonly ClientOperation[]): string {
  const methods = operations.map((operation) => {
    const { path, event } = operation
    const row = event === undefined ? `'${path}'` : `{ path: '${path}', event: '${event}' }`
    const call = event === undefined ? (operation.hasPages ? 'list' : 'call') : 'follow'
    return `${signature(operation)} {\nreturn this.${call}(${row}, ${operation.parameters.length === 0 ? '{}' : 'parameters'}, options)\n}\n`
  })
  const parameters = operations.filter((each) => each.parameters.length > 0).map(parametersName)
  const types = new Set(['QuaiClient', ...operations.map(answerType), ...parameters, ...operations.flatMap(itemType)])
  return `import { Connection } from './connection.ts'
import type { ${[...types].sort().join(', ')} } from './contract.ts'
import type { CallOptions, PagedAnswer, StreamEvent } from './surface.ts'

/** A client of the API. */
export class Client extends Connection implements QuaiClient {
${methods.join('\n')}}
`
}

function signature(operation: ClientOperation): string {
  const { name, parameters } = operation
  const isRequired = parameters.some(({ required }) => required)
  const own = parameters.length === 0 ? '' : `parameters${isRequired ? '' : '?'}: ${parametersName(operation)}, `
  return `${name}(${own}options?: CallOptions): ${returnedType(operation)}`
}

function returnedType(operation: ClientOperation): string {
  const { event, hasPages } = operation
  const type = answerType(operation)
  if (event !== undefined) return `AsyncGenerator<StreamEvent<${type}>, void, undefined>`
  if (!hasPages) return `Promise<${type}>`
  return `PagedAnswer<${type}, ${itemType(operation).join('')}>`
}

/** The item type of a paged list; an empty array for other operations. */
function itemType({ name, hasPages, answer }: ClientOperation): string[] {
  if (!hasPages) return []
  const item = answer.properties?.['data']?.items
  if (item?.$ref === undefined) throw new Error(`the schema of the items of ${name} has no name; add it to COMPONENTS`)
  return [typeOf(item, PLAIN)]
}

function answerType({ name, answer }: ClientOperation): string {
  return answer.$ref === undefined ? `${capitalized(name)}Answer` : typeOf(answer, PLAIN)
}

function parametersName({ name }: ClientOperation): string {
  return `${capitalized(name)}Parameters`
}

function parametersType(operation: ClientOperation): string {
  const { parameters } = operation
  if (parameters.length === 0) return ''
  const members = parameters.map(({ name: member, required, description, schema }) => {
    const type = typeOf(schema, PLAIN)
    const usual = 'default' in schema && !description.includes('Default') ? ` Default: ${schema.default}.` : ''
    const optional = required ? `: ${type}` : `?: ${type} | undefined`
    return `${comment(description.replace(ENCODING, '.') + usual)}readonly ${member}${optional}\n`
  })
  return `
export interface ${parametersName(operation)} {
${members.join('')}}
`
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/**
 * The sentence about the cost in an operation's description. To keep the package small, the client contains only this
 * sentence of the description. The reference contains the whole description.
 */
function costIn(description: string): string {
  const sentences = description.split('.').map((each) => each.trim())
  const cost = sentences.find((each) => each.startsWith('Costs ') || each.startsWith('Public: '))
  if (cost === undefined) {
    throw new Error(
      `"${description}" has no sentence about the cost of a call; add one that starts with "Costs " or "Public: "`,
    )
  }
  return cost
}
