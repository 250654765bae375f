// Compares an API document with an earlier version, and lists the added routes, parameters and members. Removals are
// not listed, because a test forbids them.
import { join } from 'node:path'

interface Operation {
  readonly parameters?: readonly { readonly in?: string; readonly name?: string }[]
}

interface StoredDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: Readonly<Record<string, unknown>> }>>
  }
}

/** The stored copies of the API documents. They contain the parts that programs rely on, without descriptions. */
const STORED = { 'Data API': 'tests/golden/openapi.json', 'Account API': 'tests/golden/account-openapi.json' }

/** The routes, parameters and members that the later document adds, as sorted lines of Markdown. */
export function additionsOf(earlier: StoredDocument, later: StoredDocument): string[] {
  const known = operationsOf(earlier)
  const routes: string[] = []
  const parameters: string[] = []
  for (const [route, names] of operationsOf(later)) {
    const before = known.get(route)
    if (before === undefined) routes.push(`- New route: \`${route}\``)
    else {
      const added = [...names].filter((name) => !before.has(name))
      parameters.push(...added.map((name) => `- New parameter for \`${route}\`: ${name}`))
    }
  }
  return [...routes.sort(), ...parameters.sort(), ...newMembers(earlier, later).sort()]
}

/** Route, such as `GET /v1/stops` → its parameters, such as `near` (query). */
function operationsOf({ paths }: StoredDocument): Map<string, ReadonlySet<string>> {
  const operations = new Map<string, ReadonlySet<string>>()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters = [] }] of Object.entries(methods)) {
      const names = parameters.map(({ in: place, name }) => `\`${name}\` (${place})`)
      operations.set(`${method.toUpperCase()} ${path}`, new Set(names))
    }
  }
  return operations
}

/**
 * The members that were added to existing schemas. Members of new schemas are not listed, because the route or member
 * that uses the new schema is itself listed as new.
 */
function newMembers(earlier: StoredDocument, later: StoredDocument): string[] {
  return Object.entries(later.components.schemas).flatMap(([schema, { properties = {} }]) => {
    const before = earlier.components.schemas[schema]
    if (before === undefined) return []
    const added = Object.keys(properties).filter((member) => !Object.hasOwn(before.properties ?? {}, member))
    return added.map((member) => `- New member in \`${schema}\`: \`${member}\``)
  })
}

/**
 * A Markdown section about what this version adds to the API documents of the last release. The last release is the one
 * with the newest tag `v…`, not counting this version's own tag. Undefined if there is no git repository or no tagged
 * release. Throws if git cannot read the tagged documents.
 */
export async function documentChanges(root: string, version: string): Promise<string | undefined> {
  const tags = await Bun.$`git -C ${root} tag --list ${'v*'} --sort=-version:refname`.quiet().nothrow().text()
  const last = tags.split('\n').find((tag) => tag !== '' && tag !== `v${version}`)
  if (last === undefined) return undefined
  const parts: string[] = []
  for (const [title, path] of Object.entries(STORED)) {
    const earlier: StoredDocument = await Bun.$`git -C ${root} show ${last}:${path}`.quiet().json()
    const additions = additionsOf(earlier, await Bun.file(join(root, path)).json())
    parts.push(`### ${title}\n\n${additions.length === 0 ? 'Nothing new.' : additions.join('\n')}\n`)
  }
  return `## Changes to the API documents since ${last}\n\n${parts.join('\n')}`
}
