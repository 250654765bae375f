// TypeScript samples for the API reference. Each sample calls one operation with the client package that the service
// serves.
import type { Route } from '../contract/route.ts'
import { ALSO_NEEDED, type ExampleValues } from './example-ids.ts'

/** The value of a parameter in a sample, as TypeScript code. */
function sampleOf(parameter: string, values: ExampleValues): string {
  const value = values[parameter] ?? ''
  return typeof value === 'string' ? quoted(value) : `[${value.map(quoted).join(', ')}]`
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}

/** The code samples for an operation, in the form of `x-codeSamples`. */
export function clientSamples(
  route: Route,
  { baseUrl, values }: { readonly baseUrl: string; readonly values: ExampleValues },
): readonly { lang: string; label: string; source: string }[] {
  const { name, access } = route
  const key = access === 'public' ? [] : ['key: process.env.QUAI_KEY']
  const source = `// npm install ${baseUrl}/docs/client
import { QuaiClient } from 'quai-client'

const quai = new QuaiClient(${inLines([`baseUrl: '${baseUrl}'`, ...key])})
${useOf(route, `quai.${name}(${inLines(parametersOf(route, values))})`)}`
  return [{ lang: 'typescript', label: 'TypeScript, JavaScript', source }]
}

/** An object literal with one member per line, because the reference shows samples in a narrow column. */
function inLines(members: readonly string[]): string {
  return members.length === 0 ? '' : `{\n${members.map((each) => `  ${each},\n`).join('')}}`
}

function useOf({ event, parameters }: Route, call: string): string {
  if (event !== undefined) return `for await (const { data } of ${call}) {\n  console.log(data)\n}`
  if (!('cursor' in parameters)) return `const { data } = await ${call}\nconsole.log(data)`
  return `// Goes through the items of all pages.\nfor await (const item of ${call}) {\n  console.log(item)\n}`
}

function parametersOf({ name, path, parameters }: Route, values: ExampleValues): string[] {
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, id = '']) => `${id}: ${sampleOf(id, values)}`)
  const needed = Object.keys(parameters).filter(
    (each) => parameters[each]?.isRequired === true || ALSO_NEEDED[name] === each,
  )
  return [...ids, ...needed.map((each) => `${each}: ${sampleOf(each, values)}`)]
}
