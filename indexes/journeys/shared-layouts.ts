// Layouts that planner threads share. One thread builds a layout in shared memory, and all planner threads read it.
import type { FootpathPair } from './footpaths.ts'
import type { RouteLayer } from './route-layer.ts'
import type { SeatedPairs } from './seated.ts'
import type { Span } from './span.ts'

/**
 * A layout: all transfers between the vehicles of a network, or the routes of some of its service days. A layout
 * consists only of plain objects, numbers and typed arrays.
 */
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
  /**
   * Whether layouts outlast the process. If so, it is worthwhile to build the layouts of days in advance, even if they
   * do not fit in memory.
   */
  readonly isLasting?: boolean
  find(key: string): SharedLayout | undefined
  /** Stores a layout. Returns the stored layout, which the caller must use from now on. */
  put<Layout extends SharedLayout>(key: string, layout: Layout): Layout
}

const ALIGNMENT_BYTES = 8

/** A layout in which each array is replaced by an index in `arrays`. */
interface Unfilled {
  readonly shape: unknown
  /** The arrays of the layout. An array that occurs several times is listed once. */
  readonly arrays: readonly ArrayBufferView[]
}

/** Separates the arrays of a layout from the rest of it. */
export function takeArrays(layout: SharedLayout): Unfilled {
  const places = new Map<ArrayBufferView, number>()
  const shapeOf = (value: unknown): unknown => {
    if (ArrayBuffer.isView(value)) return { array: places.getOrInsertComputed(value, () => places.size) }
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
  }
  const shape = shapeOf(layout)
  return { shape, arrays: [...places.keys()] }
}

/** The layout with this shape and these arrays. The inverse of `takeArrays`. */
export function fillArrays(shape: unknown, arrays: readonly ArrayBufferView[]): unknown {
  if (shape === null || typeof shape !== 'object') return shape
  if ('array' in shape && typeof shape.array === 'number') return arrays[shape.array]
  return Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, fillArrays(member, arrays)]))
}

/**
 * Copies a layout so that all its arrays are in one block of shared memory. An array that occurs several times is
 * copied once.
 */
export function inSharedMemory<Layout extends SharedLayout>(layout: Layout): Layout {
  const { shape, arrays } = takeArrays(layout)
  const sizes = arrays.map(({ byteLength }) => Math.ceil(byteLength / ALIGNMENT_BYTES) * ALIGNMENT_BYTES)
  const memory = new SharedArrayBuffer(sizes.reduce((sum, size) => sum + size, 0))
  let offset = 0
  const moved = arrays.map((array, place) => {
    const copy = moveArray(array, memory, offset)
    offset += sizes[place] ?? 0
    return copy
  })
  // The cast is safe: the copy has the members of the original, and arrays of the same types.
  return fillArrays(shape, moved) as Layout
}

function moveArray(array: ArrayBufferView, memory: SharedArrayBuffer, offset: number): ArrayBufferView {
  new Uint8Array(memory, offset, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
  if (array instanceof Uint32Array) return new Uint32Array(memory, offset, array.length)
  if (array instanceof Int32Array) return new Int32Array(memory, offset, array.length)
  if (array instanceof Uint8Array) return new Uint8Array(memory, offset, array.length)
  throw new Error(`a layout has an array of type ${array.constructor.name}, which cannot be shared`)
}
