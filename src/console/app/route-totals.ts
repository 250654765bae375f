// Counts of responses by route, summed over keys.
import type { RouteAnswers } from './contract.ts'

/** The classes into which responses are counted. */
export const ANSWER_CLASSES = ['answered', 'refused', 'over_limit', 'failed'] as const
/** A class of responses. */
export type AnswerClass = (typeof ANSWER_CLASSES)[number]

/** The response counts for one route. */
export interface RouteTotal extends Readonly<Record<AnswerClass, number>> {
  readonly route: string
  readonly calls: number
}

/**
 * Returns the totals for each route, for one key, or for all keys if `keyId` is empty. Routes with the most calls come
 * first.
 */
export function toRouteTotals(rows: readonly RouteAnswers[], keyId: string): readonly RouteTotal[] {
  const totals = new Map<string, RouteTotal>()
  for (const row of rows) {
    if (keyId !== '' && row.key_id !== keyId) continue
    const { route } = row
    const known = totals.get(route) ?? { route, calls: 0, answered: 0, refused: 0, over_limit: 0, failed: 0 }
    totals.set(route, {
      route,
      calls: ANSWER_CLASSES.reduce((calls, name) => calls + row[name], known.calls),
      answered: known.answered + row.answered,
      refused: known.refused + row.refused,
      over_limit: known.over_limit + row.over_limit,
      failed: known.failed + row.failed,
    })
  }
  return [...totals.values()].sort((one, other) => other.calls - one.calls)
}
