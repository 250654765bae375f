// Tests that no line can break at the spaces that French has before : ; ? ! and inside « ». Fails if a French string
// has an ordinary space there, since a line could break at it.
import { expect, test } from 'bun:test'
import ts from 'typescript-api'
import { nodesOf, PRODUCT } from '../../architecture/sources.ts'

const BREAKING = / [:;?!»]|« /

test('French texts have no-break spaces before and inside their punctuation', () => {
  const tables = PRODUCT.filter(({ path }) => /\/app\/texts\/french/.test(path))
  const texts = tables.flatMap((table) =>
    [...nodesOf(table)].flatMap((node) =>
      ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node) ? [node.text] : [],
    ),
  )
  expect(texts.length).toBeGreaterThan(300)
  expect(texts.filter((text) => BREAKING.test(text))).toEqual([])
})
