// Checks the table of dependencies in the README. Fails if the table does not list exactly the dependencies in
// package.json, or if it names a place that does not use the package.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRODUCT } from './sources.ts'

const ROOT = join(import.meta.dir, '../..')

/** Each package in the table → the files and folders in its row. */
function readTable(): Map<string, readonly string[]> {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const section = text.split('## Dependencies\n')[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  return new Map(
    rows.flatMap((row) => {
      const cells = row.split('|')
      const [packages = '', places = ''] = [cells[1], cells.at(-2)]
      return quoted(packages).map((name) => [name, quoted(places)] as const)
    }),
  )
}

function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')
}

const table = readTable()

test('the README’s table lists exactly the service’s packages', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  expect([...table.keys()].sort()).toEqual(Object.keys(dependencies).sort())
})

test('each listed place uses the package', () => {
  const wrong = [...table].flatMap(([name, places]) =>
    places
      .filter((place) => !PRODUCT.some(({ path, text }) => path.startsWith(place) && uses(text, name)))
      .map((place) => `${name} is not used in ${place}`),
  )
  expect(wrong).toEqual([])
})

function uses(text: string, name: string): boolean {
  return text.includes(`'${name}'`) || text.includes(`'${name}/`)
}
