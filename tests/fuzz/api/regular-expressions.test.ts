// Tests that every regular expression in the source takes linear time on any input. Fails if an expression may take
// more than linear time, or if a file that is not in MADE_AT_RUN_TIME builds an expression at run time.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'acorn'
import { checkSync } from 'recheck'
import { slowTest } from '../../slow-test.ts'

const ROOT = join(import.meta.dir, '..', '..', '..')

/** Files that build expressions at run time. The parts from which they are built have been reviewed. */
const MADE_AT_RUN_TIME = [
  'src/account-api/device-cookie.ts',
  'src/account-api/unknown-account-requests.ts',
  // highlight.ts joins its own regular-expression literals as alternatives. This test checks each literal.
  'src/docs/highlight.ts',
  'src/server/unknown-requests.ts',
]

interface Found {
  readonly place: string
  readonly source: string
  readonly flags: string
}

function findExpressions(): { literals: Found[]; made: string[] } {
  const literals: Found[] = []
  const made: string[] = []
  const withoutTypes = new Bun.Transpiler({ loader: 'ts', target: 'bun' })
  for (const path of new Bun.Glob('{src,indexes,loaders}/**/*.ts').scanSync({ cwd: ROOT })) {
    const text = withoutTypes.transformSync(readFileSync(join(ROOT, path), 'utf8'))
    const program = parse(text, { ecmaVersion: 'latest', sourceType: 'module' })
    const visit = (node: unknown): void => {
      if (Array.isArray(node)) return node.forEach(visit)
      if (typeof node !== 'object' || node === null) return
      if ('regex' in node) {
        const { pattern, flags } = node.regex as { pattern: string; flags: string }
        literals.push({ place: path, source: pattern, flags })
      }
      const callee = 'callee' in node ? (node.callee as { name?: string }) : undefined
      if (callee?.name === 'RegExp') made.push(path)
      Object.values(node).forEach(visit)
    }
    visit(program.body)
  }
  return { literals, made }
}

const { literals, made } = findExpressions()

slowTest(
  `${literals.length} regular expressions are linear`,
  () => {
    const flagged = literals
      .map((found) => ({ ...found, found: checkSync(found.source, found.flags, { timeout: 20_000 }) }))
      .filter(({ found }) => found.status !== 'safe')
      .map(({ place, source, found }) => `${place} /${source}/ ${found.status}`)
    expect(literals.length).toBeGreaterThan(40)
    expect(flagged).toEqual([])
  },
  300_000,
)

test('those built at run time are known', () => {
  expect([...new Set(made)].sort()).toEqual(MADE_AT_RUN_TIME)
})
