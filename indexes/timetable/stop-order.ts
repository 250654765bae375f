// Merges the stop lists of a direction into one list, as shown on a line's page.

/**
 * Merges the stop lists of a direction, most important first. The first list is taken unchanged. Each further list is
 * aligned with the result so far by a longest common subsequence. The stops of the list that were not aligned are then
 * inserted: stops between two aligned stops go directly before the second of the two, stops before the first aligned
 * stop go to the beginning, and stops after the last aligned stop go to the end. A list with no stop in common is
 * appended. So the branches after a fork are in the order of the lists, and a stop that one list visits twice appears
 * twice.
 *
 * Merging may repeat a stop although no list does: the lists AB and CD become ABCD before the list DA shows that CD
 * comes first. If there is an order that has every stop once and agrees with all lists, the result is such an order, as
 * near to the merged list as possible.
 *
 * Time: a list that is a subsequence of the result takes one pass over the result. Any other list also takes time in
 * proportion to its length, multiplied by the number of positions in the result that have one of its stops.
 */
export function mergeStopLists(lists: readonly Uint32Array[]): number[] {
  let merged: number[] = []
  for (const list of lists) {
    if (!isSubsequence(list, merged)) merged = merge(merged, list)
  }
  const distinct = new Set(merged)
  if (distinct.size === merged.length) return merged
  return orderOnce([...distinct], lists) ?? merged
}

/**
 * An order of all stops in which each list keeps its own order (a topological order). It is as near to the order of
 * `stops` as possible. Undefined if no such order exists, for example if the lists form a loop.
 */
function orderOnce(stops: readonly number[], lists: readonly Uint32Array[]): number[] | undefined {
  const placeOf = new Map(stops.map((stop, place) => [stop, place]))
  const behind = stops.map(() => new Set<number>())
  const waitsFor = new Uint32Array(stops.length)
  for (const list of lists) {
    for (let i = 1; i < list.length; i++) {
      const [from, to] = [placeOf.get(list[i - 1]), placeOf.get(list[i])]
      if (from === undefined || to === undefined || behind[from].has(to)) continue
      behind[from].add(to)
      waitsFor[to]++
    }
  }
  const isReady = Uint8Array.from(waitsFor, (count) => Number(count === 0))
  const order: number[] = []
  for (let place = isReady.indexOf(1); place >= 0; place = isReady.indexOf(1)) {
    order.push(stops[place])
    isReady[place] = 0
    for (const to of behind[place]) if (--waitsFor[to] === 0) isReady[to] = 1
  }
  return order.length === stops.length ? order : undefined
}

function isSubsequence(list: Uint32Array, of: readonly number[]): boolean {
  let found = 0
  for (const stop of of) if (found < list.length && stop === list[found]) found++
  return found === list.length
}

function merge(merged: readonly number[], list: Uint32Array): number[] {
  const alignedAt = align(merged, list)
  const firstAligned = alignedAt.findIndex((at) => at >= 0)
  if (firstAligned < 0) return [...merged, ...list]
  const result: number[] = [...list.subarray(0, firstAligned)]
  let taken = 0
  let run: number[] = []
  for (let i = firstAligned; i < list.length; i++) {
    const at = alignedAt[i]
    if (at < 0) {
      run.push(list[i])
      continue
    }
    while (taken < at) result.push(merged[taken++])
    result.push(...run, merged[taken++])
    run = []
  }
  while (taken < merged.length) result.push(merged[taken++])
  return [...result, ...run]
}

/**
 * For each stop of the list, the position in `merged` with which a longest common subsequence aligns it; -1 if it is
 * not aligned. Early positions are preferred. Stops of `merged` that the list lacks are not compared.
 */
function align(merged: readonly number[], list: Uint32Array): Int32Array {
  const stops = new Set(list)
  const places: number[] = []
  for (let place = 0; place < merged.length; place++) if (stops.has(merged[place])) places.push(place)
  const width = list.length + 1
  // `longest[i × width + j]` is the length of the longest common subsequence of `merged`, starting at `places[i]`, and
  // `list`, starting at `j`.
  const longest = new Uint16Array((places.length + 1) * width)
  for (let i = places.length - 1; i >= 0; i--) {
    const stop = merged[places[i]]
    for (let j = list.length - 1; j >= 0; j--) {
      const at = i * width + j
      longest[at] = stop === list[j] ? longest[at + width + 1] + 1 : Math.max(longest[at + width], longest[at + 1])
    }
  }
  const alignedAt = new Int32Array(list.length).fill(-1)
  let next = 0
  for (let i = 0, j = 0; i < places.length && j < list.length; ) {
    const at = i * width + j
    // Skips a stop of the list rather than stops of `merged` that the list lacks, if the subsequence gets no shorter.
    if (places[i] > next && longest[at + 1] >= longest[at]) j++
    else if (merged[places[i]] === list[j]) {
      alignedAt[j++] = places[i]
      next = places[i++] + 1
    } else if (longest[at + 1] >= longest[at + width]) {
      j++
      next = places[i]
    } else next = places[i++] + 1
  }
  return alignedAt
}
