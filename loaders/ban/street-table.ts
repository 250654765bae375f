// Finds streets by the values that identify them. The hash table is an array of numbers (open addressing), so that the
// millions of streets of a country need little memory.
import type { StringIndex } from '../strings.ts'
import type { RawStreets } from './sorted-streets.ts'

/** The values that identify a street, as indexes into the string pool. */
export interface StreetKey {
  readonly id: StringIndex
  readonly name: StringIndex
  readonly postcode: StringIndex
  readonly communeCode: StringIndex
  readonly formerCommune: StringIndex
}

/** A hash table of streets. Streets are numbered in the order in which they are added. */
export class StreetTable {
  private readonly streets: RawStreets
  /** Slots: 0 if empty, otherwise the number of a street plus one. */
  private slots = new Uint32Array(1 << 12)

  constructor(streets: RawStreets) {
    this.streets = streets
  }

  /** The street with the given key; undefined if there is none. */
  find(key: StreetKey): number | undefined {
    const { slots } = this
    const mask = slots.length - 1
    for (let slot = hashOf(key) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.isKey(slots[slot] - 1, key)) return slots[slot] - 1
    }
    return undefined
  }

  /** Adds a street and returns its number. The key must not be in the table yet. */
  add(key: StreetKey): number {
    const { streets } = this
    const street = streets.id.length
    streets.id.push(key.id)
    streets.name.push(key.name)
    streets.postcode.push(key.postcode)
    streets.communeCode.push(key.communeCode)
    streets.formerCommune.push(key.formerCommune)
    if ((street + 1) * 2 > this.slots.length) this.rebuild(this.slots.length * 2)
    else this.enter(street)
    return street
  }

  /** Frees the memory. */
  free(): void {
    this.slots = new Uint32Array(1)
  }

  private rebuild(size: number): void {
    this.slots = new Uint32Array(size)
    for (let street = 0; street < this.streets.id.length; street++) this.enter(street)
  }

  private enter(street: number): void {
    const { slots } = this
    const mask = slots.length - 1
    let slot = hashOf(this.keyOf(street)) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = street + 1
  }

  private isKey(street: number, key: StreetKey): boolean {
    const { streets } = this
    return (
      streets.id.at(street) === key.id &&
      streets.name.at(street) === key.name &&
      streets.postcode.at(street) === key.postcode &&
      streets.communeCode.at(street) === key.communeCode &&
      streets.formerCommune.at(street) === key.formerCommune
    )
  }

  private keyOf(street: number): Readonly<Record<keyof StreetKey, number>> {
    const { id, name, postcode, communeCode, formerCommune } = this.streets
    return {
      id: id.at(street),
      name: name.at(street),
      postcode: postcode.at(street),
      communeCode: communeCode.at(street),
      formerCommune: formerCommune.at(street),
    }
  }
}

function hashOf({ id, name, postcode, communeCode, formerCommune }: Readonly<Record<keyof StreetKey, number>>): number {
  let hash = 0
  for (const part of [id, name, postcode, communeCode, formerCommune]) {
    hash = Math.imul(hash ^ part, 0x9e37_79b1)
    hash ^= hash >>> 15
  }
  return hash
}
