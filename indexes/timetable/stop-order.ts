// Merges the stop lists of a direction into one list, as shown on the line's page.

/**
 * Merges the stop lists of a direction, most important first. The first list is taken unchanged; each other is
 * aligned with the result so far by a longest common subsequence, and its additional stops are inserted: a run between
 * two aligned stops just before the later one, a run before the first aligned stop at the beginning, a run after
 * the last at the end (a list with nothing in common is appended). So branches follow the fork by
 * weight, and a stop that one list visits twice appears twice.
 *
 * A stop may appear twice although no list needs it: AB and CD are merged before DA shows that CD comes
 * first. If an order with every stop once exists, the result is the one nearest to the merged order.
 *
 * Time: for lists with new stops, one pass over the result plus the list's length times the occurrences of its
 * stops in the result; for other lists one pass.
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
 * A topological order of all lists that prefers the order of `stops`;
 * undefined if there is none, as with loops.
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
 * For each stop of the list, its position in `merged` by a longest common subsequence, or -1; early positions are
 * preferred. Only positions of stops in the list are compared, since no other can align.
 */
function align(merged: readonly number[], list: Uint32Array): Int32Array {
  const stops = new Set(list)
  const places: number[] = []
  for (let place = 0; place < merged.length; place++) if (stops.has(merged[place])) places.push(place)
  const width = list.length + 1
  // longest[i × width + j]: length of the longest common subsequence of merged from places[i] and list from j.
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
    // Skips a stop if possible, rather than use a position that the list does not have.
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
