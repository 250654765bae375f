// The parameters in parameters.ts as schemas for the API document: one TypeBox schema per rule, with the bounds that
// the parser checks.
import { type TSchema, Type } from '@sinclair/typebox'
import type { ParameterRule } from './parameters.ts'

/**
 * The schema of a parameter's value, with its description, bounds and default. A list is an array whose members are
 * joined by commas in the query.
 */
export function parameterSchema(rule: ParameterRule): TSchema {
  const { description } = rule
  switch (rule.kind) {
    case 'integer': {
      const bounds = { minimum: rule.min, maximum: rule.max, description }
      const usual = rule.default ?? rule.usualValue
      return Type.Integer(usual === undefined ? bounds : { ...bounds, default: usual })
    }
    case 'word':
      return Type.String({ enum: [...rule.words], description })
    case 'words':
      return Type.Array(Type.String({ enum: [...rule.words, ...(rule.someWords ?? [])] }), { minItems: 1, description })
    case 'slugs':
      return Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description })
    case 'text':
      return Type.String({ minLength: rule.minLength, maxLength: rule.maxLength, description })
    case 'point':
      return Type.String({ examples: ['48.5839,7.7455'], description })
    case 'box':
      return Type.String({ examples: ['7.70,48.55,7.80,48.62'], description })
    case 'moment':
      return Type.String({ default: 'now', examples: ['2026-11-21T08:15:00+01:00'], description })
    case 'moment_if_given':
      return Type.String({ examples: ['2026-11-21T08:15:00+01:00'], description })
    case 'arrival':
      return Type.Union([Type.String({ format: 'date-time' }), Type.Boolean()], { description })
    case 'line':
      return Type.String({ examples: ['cts:line:A'], description })
    case 'trip':
      return Type.String({ examples: ['cts:trip:20260610:A-0712'], description })
    case 'cursor':
      return Type.String({ minLength: 1, description })
    case 'ignored':
      return Type.String({ description })
    case 'refused':
      return Type.Never({ description })
  }
}
