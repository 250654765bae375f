// Counts the edits between two words directly by the definition. An edit leaves out, inserts or replaces a letter, or
// swaps two neighboring letters.

/** The number of edits between two words, or limit + 1 if it is greater than the limit. */
export function slipsBetween(typed: string, word: string, limit: number): number {
  if (Math.abs(typed.length - word.length) > limit) return limit + 1
  return Math.min(limit + 1, tableOf(typed, word).at(-1)?.at(-1) ?? 0)
}

/**
 * The lowest number of edits between a word and any prefix of another word; limit + 1 if it is greater than the limit.
 */
export function startSlips(typed: string, word: string, limit: number): number {
  const start = word.slice(0, typed.length + limit)
  return Math.min(limit + 1, ...tableOf(start, typed).map((row) => row.at(-1) ?? 0))
}

/** The table of edit distances: a row for each prefix of the first word, a column for each prefix of the second. */
function tableOf(first: string, second: string): number[][] {
  const table: number[][] = []
  for (let i = 0; i <= first.length; i++) {
    table.push([])
    for (let j = 0; j <= second.length; j++) {
      const choices = [i === 0 ? j : Infinity, j === 0 ? i : Infinity]
      if (i > 0) choices.push(table[i - 1][j] + 1)
      if (j > 0) choices.push(table[i][j - 1] + 1)
      if (i > 0 && j > 0) choices.push(table[i - 1][j - 1] + Number(first[i - 1] !== second[j - 1]))
      if (i > 1 && j > 1 && first[i - 1] === second[j - 2] && first[i - 2] === second[j - 1]) {
        choices.push(table[i - 2][j - 2] + 1)
      }
      table[i].push(Math.min(...choices))
    }
  }
  return table
}
