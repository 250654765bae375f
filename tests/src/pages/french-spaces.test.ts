// Tests that no line breaks at the spaces that French puts before : ; ? ! and inside « ». Fails if a French text has a
// space at which a line could break.
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
