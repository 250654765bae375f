// Samples of the reference in TypeScript: for each operation, a call by the client that the service serves.
import { PATH_EXAMPLES } from '../contract/documented.ts'
import type { Route } from '../contract/route.ts'

/** Values of parameters that samples send: all that are required, and `line` of explanations, which need a line or trip. */
const VALUES: Readonly<Record<string, string>> = {
  from: "'cts:stop:HOFER_04'",
  to: "'48.5839,7.7455'",
  near: "'48.5839,7.7455'",
  networks: "['cts']",
  q: "'homme de fer'",
}
const MORE_VALUES: Readonly<Record<string, readonly string[]>> = { listExplanations: ["line: 'cts:line:A'"] }

/** Returns the samples of an operation, as `x-codeSamples`. */
export function clientSamples(
  route: Route,
  baseUrl: string,
): readonly { lang: string; label: string; source: string }[] {
  const { name, access } = route
  const key = access === 'public' ? [] : ['key: process.env.QUAI_KEY']
  const source = `// npm install ${baseUrl}/docs/client
import { QuaiClient } from 'quai-client'

const quai = new QuaiClient(${inLines([`baseUrl: '${baseUrl}'`, ...key])})
${useOf(route, `quai.${name}(${inLines(parametersOf(route))})`)}`
  return [{ lang: 'typescript', label: 'TypeScript, JavaScript', source }]
}

/** An object with a line for each member, since the reference shows samples in a narrow column. */
function inLines(members: readonly string[]): string {
  return members.length === 0 ? '' : `{\n${members.map((each) => `  ${each},\n`).join('')}}`
}

function useOf({ event, parameters }: Route, call: string): string {
  if (event !== undefined) return `for await (const { data } of ${call}) {\n  console.log(data)\n}`
  if (!('cursor' in parameters)) return `const { data } = await ${call}\nconsole.log(data)`
  return `for await (const item of ${call}) {\n  console.log(item) // of all pages\n}`
}

function parametersOf({ name, path, parameters }: Route): string[] {
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, id = '']) => `${id}: '${PATH_EXAMPLES[id]}'`)
  const required = Object.entries(parameters).filter(([, rule]) => rule.isRequired === true)
  return [...ids, ...required.map(([each]) => `${each}: ${VALUES[each]}`), ...(MORE_VALUES[name] ?? [])]
}
