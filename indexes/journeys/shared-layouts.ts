// Layouts shared by planner threads: built by one thread, stored in shared memory, read by all.
import type { FootpathPair } from './footpaths.ts'
import type { RouteLayer } from './route-layer.ts'
import type { SeatedPairs } from './seated.ts'
import type { Span } from './span.ts'

/** The shared data: the changes of a network, or some of its days. Only plain objects, numbers and typed arrays. */
export type SharedLayout =
  | { readonly kind: 'changes'; readonly footpaths: FootpathPair }
  | {
      readonly kind: 'days'
      readonly span: Span
      readonly mirrored: RouteLayer
      readonly seated: SeatedPairs | undefined
    }

/** The store for the layouts of one timetable. */
export interface LayoutShare {
  find(key: string): SharedLayout | undefined
  /** Publishes a layout; use the returned layout in its place. */
  put<Layout extends SharedLayout>(key: string, layout: Layout): Layout
}

const ALIGNMENT_BYTES = 8

/** The same layout with all its arrays in one block of shared memory; aliased arrays stay aliased. */
export function inSharedMemory<Layout extends SharedLayout>(layout: Layout): Layout {
  const offsets = new Map<ArrayBufferView, number>()
  let bytes = 0
  eachArray(layout, (array) => {
    if (offsets.has(array)) return
    offsets.set(array, bytes)
    bytes += Math.ceil(array.byteLength / ALIGNMENT_BYTES) * ALIGNMENT_BYTES
  })
  const memory = new SharedArrayBuffer(bytes)
  const moved = new Map<ArrayBufferView, ArrayBufferView>()
  for (const [array, offset] of offsets) moved.set(array, moveArray(array, memory, offset))
  // The copy has the members of the original, with arrays of the same types.
  return withArrays(layout, moved) as Layout
}

function eachArray(value: unknown, visit: (array: ArrayBufferView) => void): void {
  if (ArrayBuffer.isView(value)) visit(value)
  else if (value !== null && typeof value === 'object') {
    for (const member of Object.values(value)) eachArray(member, visit)
  }
}

function moveArray(array: ArrayBufferView, memory: SharedArrayBuffer, offset: number): ArrayBufferView {
  new Uint8Array(memory, offset, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
  if (array instanceof Uint32Array) return new Uint32Array(memory, offset, array.length)
  if (array instanceof Int32Array) return new Int32Array(memory, offset, array.length)
  if (array instanceof Uint8Array) return new Uint8Array(memory, offset, array.length)
  throw new Error('a layout has arrays of three kinds')
}

function withArrays(value: unknown, moved: ReadonlyMap<ArrayBufferView, ArrayBufferView>): unknown {
  if (ArrayBuffer.isView(value)) return moved.get(value)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withArrays(member, moved)]))
}
