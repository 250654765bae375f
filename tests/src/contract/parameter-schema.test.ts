// Tests that each parameter's documented schema and the parser allow the same values. Both are generated from one
// table. Fails if the schema and the parser treat a kind of rule differently.
import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { QueryParser } from '../../../src/contract/parameter-parser.ts'
import { parameterSchema } from '../../../src/contract/parameter-schema.ts'
import type { ParameterRule } from '../../../src/contract/parameters.ts'
import { ROUTE_LIST } from '../../../src/contract/routes.ts'
import { Problem } from '../../../src/http/problem.ts'

const RULES = ROUTE_LIST.flatMap((route) =>
  Object.entries(route.parameters).map(([name, rule]) => ({ where: `${route.name} ${name}`, rule })),
)

function isParsed(rule: ParameterRule, text: string): boolean {
  const parser = new QueryParser({ it: rule })
  return !(parser.parse(`it=${encodeURIComponent(text)}`) instanceof Problem)
}

/**
 * Random values, some of which the rule allows. Each has two forms: the value that the document describes, and the
 * string in a query.
 */
function candidates(rule: ParameterRule): fc.Arbitrary<{ value: unknown; text: string }> | undefined {
  const asText = (value: string | number) => ({ value, text: String(value) })
  switch (rule.kind) {
    case 'integer':
      return fc
        .oneof(
          fc.constantFrom(rule.min - 1, rule.min, rule.max, rule.max + 1),
          fc.integer(),
          fc.integer({ min: 0, max: 9999 }),
        )
        .map(asText)
    case 'word':
      return fc.oneof(fc.constantFrom(...rule.words), fc.string({ minLength: 1 })).map(asText)
    case 'words': {
      const word = fc.oneof(fc.constantFrom(...wordsOf(rule)), fc.stringMatching(/^[a-z]{1,6}$/))
      return fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => ({ value: words, text: words.join(',') }))
    }
    case 'text':
      return fc.stringMatching(/^[a-zé]{0,130}$/).map(asText)
    default:
      return undefined
  }
}

/**
 * All words that the value of a parameter may contain. The route refuses some of these words for networks that do not
 * support them.
 */
function wordsOf(rule: ParameterRule): readonly string[] {
  return rule.kind === 'words' ? [...rule.words, ...(rule.someWords ?? [])] : []
}

test('the parser and the schema allow the same values', () => {
  for (const { where, rule } of RULES) {
    const arbitrary = candidates(rule)
    if (arbitrary === undefined) continue
    const schema = parameterSchema(rule)
    fc.assert(
      fc.property(arbitrary, ({ value, text }) => {
        const isWord = rule.kind !== 'word' || rule.words.includes(text)
        const isWords = !Array.isArray(value) || value.every((word) => wordsOf(rule).includes(word))
        // TypeBox ignores `enum` in schemas of strings, so the words are checked here.
        const isDocumented = Value.Check(schema, value) && isWord && isWords
        expect({ where, text, isAllowed: isParsed(rule, text) }).toEqual({ where, text, isAllowed: isDocumented })
      }),
      { numRuns: 100, seed: 7 },
    )
  }
})

test('the parser accepts the examples and defaults in the document', () => {
  for (const { where, rule } of RULES) {
    const schema = parameterSchema(rule)
    const values: unknown[] = [...(schema.examples ?? []), ...(schema.default === undefined ? [] : [schema.default])]
    for (const value of values) {
      expect({ where, value, isAllowed: isParsed(rule, String(value)) }).toEqual({ where, value, isAllowed: true })
    }
  }
})
