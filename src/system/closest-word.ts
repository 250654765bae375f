// "Did you mean": finds the known word closest to a mistyped one.

/** Maximum number of edits between the two words, as a share of the mistyped word's length. */
const EDIT_SHARE = 0.4

/** The known word with the fewest edits, or undefined if no word is close enough. */
export function closestWord(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let bestEdits = Math.max(1, Math.floor(word.length * EDIT_SHARE)) + 1
  for (const candidate of known) {
    const edits = countEdits(word.toLowerCase(), candidate.toLowerCase())
    if (edits < bestEdits) {
      best = candidate
      bestEdits = edits
    }
  }
  return best
}

/** Edit distance with insertions, deletions, replacements and swaps of neighboring letters. */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      let edits = Math.min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (isSwap) edits = Math.min(edits, beforeLast[column - 2] + 1)
      current.push(edits)
    }
    beforeLast = last
    last = current
  }
  return last[to.length]
}
