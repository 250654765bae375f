// Tests the types of API responses that the pages use. The types are generated from the response schemas. Fails if the
// generated file does not match the schemas, or if a kind of schema becomes the wrong type.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { listContracts } from '../../../src/build/contracts.ts'
import { typeDeclarations } from '../../../src/build/type-text.ts'

const ROOT = join(import.meta.dir, '..', '..', '..')

test('the contracts of the pages are up to date; if not: bun run contracts', async () => {
  const contracts = await listContracts()
  expect(contracts.map(({ path }) => path)).toEqual([
    'src/console/app/contract.ts',
    'src/explorer/app/contract.ts',
    'src/client/package/contract.ts',
    'src/client/package/operations.ts',
  ])
  for (const { path, text } of contracts) expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text)
})

const Color = Type.String({ enum: ['red', 'blue'], description: 'A color.' })
const Point = Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })
const Short = Type.Object({ id: Type.String(), color: Color })

function declared(schema: Parameters<typeof typeDeclarations>[0][number]['schema']): string {
  const list = [
    { name: 'Color', schema: Color, about: 'A color.' },
    { name: 'Point', schema: Point, about: 'A point.' },
    { name: 'Short', schema: Short, about: 'A short one.' },
    { name: 'It', schema, about: 'It.' },
  ]
  const text = typeDeclarations(list)
  return text.slice(text.indexOf('/** It. */\nexport ') + '/** It. */\nexport '.length).replaceAll(/\s+/g, ' ')
}

test('each kind of schema has the right type', () => {
  const schema = Type.Object({
    text: Type.String(),
    count: Type.Integer(),
    is_it: Type.Boolean(),
    none: Type.Union([Type.Number(), Type.Null()]),
    kind: Type.Literal('it'),
    words: Type.Array(Type.String({ enum: ['a', 'b'] })),
    color: Color,
    maybe: Type.Optional(Type.String()),
    by_name: Type.Object({}, { additionalProperties: Type.Number() }),
    course: Type.Array(Point),
  })
  expect(declared(schema)).toBe(
    'interface It { readonly text: string readonly count: number readonly is_it: boolean ' +
      'readonly none: number | null readonly kind: "it" readonly words: readonly ("a" | "b")[] ' +
      'readonly color: Color readonly maybe?: string readonly by_name: { readonly [name: string]: number } ' +
      'readonly course: readonly (Point)[] } ',
  )
})

test('an object that has all members of a named one extends it', () => {
  const { id, color } = Short.properties
  expect(declared(Type.Object({ id, color, more: Type.Number() }))).toBe(
    'interface It extends Short { readonly more: number } ',
  )
  // This type does not extend Short, since its `color` may be absent.
  expect(declared(Type.Object({ id, color: Type.Optional(color), more: Type.Number() }))).toContain('interface It {')
})

test('a schema without a type is rejected, not written as something else', () => {
  expect(() => declared(Type.Object({ any: Type.Unknown() }))).toThrow('unsupported schema {}')
})
