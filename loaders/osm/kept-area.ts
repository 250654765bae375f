// The part of an extract that is loaded: cells of a hundredth of a degree around the stops of all networks.

/** Side of a cell, in units of 1e-7 degrees. */
const CELL_UNITS = 100_000
const UNITS_PER_DEGREE = 1e7
const METERS_PER_DEGREE = 111_195
const ROWS = 18_000
const COLUMNS = 36_000
/** The highest longitude in the last column, in units of 1e-7 degrees. */
const LARGEST_LON = (COLUMNS / 2) * CELL_UNITS - 1

/** Positions in degrees. */
export interface KeptPlaces {
  readonly lat: ArrayLike<number>
  readonly lon: ArrayLike<number>
}

/** A box in units of 1e-7 degrees. */
export interface KeptBox {
  readonly south: number
  readonly west: number
  readonly north: number
  readonly east: number
}

/** A set of cells. */
export class KeptArea {
  /**
   * Row of cells, counted from the south pole → one bit per cell, counted eastward from the antimeridian; undefined if no
   * cell of the row is kept.
   */
  private readonly rows: (Uint32Array | undefined)[] = new Array(ROWS)
  private cellCount = 0

  get count(): number {
    return this.cellCount
  }

  /** Adds all cells that are at most `meters` away from one of the positions. */
  keep({ lat, lon }: KeptPlaces, meters: number): void {
    const done = new Set<number>()
    for (let place = 0; place < lat.length; place++) {
      const [row, column] = [rowOf(lat[place] * UNITS_PER_DEGREE), columnOf(lon[place] * UNITS_PER_DEGREE)]
      // The distance is measured from the cell that contains the position, not from the position itself, so a second
      // position in the same cell adds nothing.
      if (done.has(row * COLUMNS + column)) continue
      done.add(row * COLUMNS + column)
      this.keepAround(row, column, meters)
    }
  }

  /** Whether a point, in units of 1e-7 degrees, is in a kept cell. */
  has(lat: number, lon: number): boolean {
    const row = this.rows[rowOf(lat)]
    if (row === undefined) return false
    const column = columnOf(lon)
    return ((row[column >>> 5] >>> (column & 31)) & 1) === 1
  }

  /** Whether any cell that a box touches is kept. The box is in units of 1e-7 degrees and must not cross the antimeridian. */
  touches({ south, west, north, east }: KeptBox): boolean {
    const [first, last] = [columnOf(west), columnOf(Math.min(east, LARGEST_LON))]
    for (let row = rowOf(south); row <= rowOf(north); row++) {
      const bits = this.rows[row]
      if (bits === undefined) continue
      for (let column = first; column <= last; column++) {
        if (((bits[column >>> 5] >>> (column & 31)) & 1) === 1) return true
      }
    }
    return false
  }

  /** The bounding box of all kept cells, in units of 1e-7 degrees; undefined if there are none. */
  box(): KeptBox | undefined {
    const runs = this.toRuns()
    if (runs.length === 0) return undefined
    let [west, east] = [COLUMNS, 0]
    for (let at = 0; at < runs.length; at += 3) {
      west = Math.min(west, runs[at + 1])
      east = Math.max(east, runs[at + 1] + runs[at + 2])
    }
    return {
      south: (runs[0] - ROWS / 2) * CELL_UNITS,
      north: (runs[runs.length - 3] + 1 - ROWS / 2) * CELL_UNITS,
      west: (west - COLUMNS / 2) * CELL_UNITS,
      east: (east - COLUMNS / 2) * CELL_UNITS,
    }
  }

  /** Whether this area contains all cells of another area. */
  includes(other: KeptArea): boolean {
    return other.rows.every((bits, row) => {
      const own = this.rows[row]
      return bits === undefined || bits.every((word, at) => own !== undefined && (word & ~own[at]) === 0)
    })
  }

  /**
   * The kept cells as runs of neighboring cells in a row. Each run has three numbers: row, first column, number of
   * cells.
   */
  toRuns(): number[] {
    const runs: number[] = []
    this.rows.forEach((bits, row) => {
      for (let column = 0; bits !== undefined && column < COLUMNS; column++) {
        const first = column
        while (column < COLUMNS && ((bits[column >>> 5] >>> (column & 31)) & 1) === 1) column++
        if (column > first) runs.push(row, first, column - first)
      }
    })
    return runs
  }

  /** Calls `visit` with the box of each kept cell, in units of 1e-7 degrees. */
  eachBox(visit: (box: KeptBox, row: number, column: number) => void): void {
    const runs = this.toRuns()
    for (let at = 0; at < runs.length; at += 3) {
      const row = runs[at]
      const south = (row - ROWS / 2) * CELL_UNITS
      for (let column = runs[at + 1]; column < runs[at + 1] + runs[at + 2]; column++) {
        const west = (column - COLUMNS / 2) * CELL_UNITS
        visit({ south, west, north: south + CELL_UNITS, east: west + CELL_UNITS }, row, column)
      }
    }
  }

  /** The kept cells for whose box `holds` returns true. */
  within(holds: (box: KeptBox) => boolean): KeptArea {
    const area = new KeptArea()
    this.eachBox((box, row, column) => {
      if (holds(box)) area.add(row, column)
    })
    return area
  }

  static fromRuns(runs: readonly number[]): KeptArea {
    const area = new KeptArea()
    for (let at = 0; at < runs.length; at += 3) {
      for (let column = 0; column < runs[at + 2]; column++) area.add(runs[at], runs[at + 1] + column)
    }
    return area
  }

  private keepAround(row: number, column: number, meters: number): void {
    const high = Math.ceil((meters / METERS_PER_DEGREE) * 100)
    for (let other = Math.max(0, row - high); other <= Math.min(ROWS - 1, row + high); other++) {
      const farthest = Math.max(Math.abs(other - ROWS / 2), Math.abs(other + 1 - ROWS / 2)) / 100
      const wide = Math.cos((Math.min(farthest, 89.99) * Math.PI) / 180)
      const width = Math.min(COLUMNS / 2, Math.ceil((meters / METERS_PER_DEGREE / wide) * 100))
      for (let step = -width; step <= width; step++) this.add(other, (column + step + COLUMNS) % COLUMNS)
    }
  }

  private add(row: number, column: number): void {
    let bits = this.rows[row]
    if (bits === undefined) {
      bits = new Uint32Array(COLUMNS / 32)
      this.rows[row] = bits
    }
    const bit = 1 << (column & 31)
    if ((bits[column >>> 5] & bit) !== 0) return
    bits[column >>> 5] |= bit
    this.cellCount++
  }
}

function rowOf(lat: number): number {
  return Math.min(ROWS - 1, Math.floor(lat / CELL_UNITS) + ROWS / 2)
}

function columnOf(lon: number): number {
  return (Math.floor(lon / CELL_UNITS) + COLUMNS / 2) % COLUMNS
}
