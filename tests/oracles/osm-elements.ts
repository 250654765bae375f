// Reads an OpenStreetMap extract (.osm.pbf) exactly as the format is specified, field by field, with BigInt and objects.
// This is slow, but obviously correct. Shares no code with loaders/osm.
import { inflateSync, zstdDecompressSync } from 'node:zlib'

export interface OracleElement {
  readonly kind: 'node' | 'way' | 'relation'
  readonly id: number
  readonly tags: Readonly<Record<string, string>>
  /** Only for nodes, in units of 1e-7 degrees. */
  readonly lat?: number
  readonly lon?: number
  readonly refs?: readonly number[]
  readonly members?: readonly { readonly kind: string; readonly ref: number; readonly role: string }[]
}

type Field = { readonly number: number; readonly value: bigint; readonly bytes: Buffer }

/** All elements of a file, in order. */
export function readElements(file: Uint8Array): OracleElement[] {
  const buffer = Buffer.from(file)
  const elements: OracleElement[] = []
  for (let at = 0; at < buffer.length; ) {
    const headerEnd = at + 4 + buffer.readUInt32BE(at)
    const header = fieldsOf(buffer.subarray(at + 4, headerEnd))
    at = headerEnd + Number(only(header, 3).value)
    if (only(header, 1).bytes.toString() !== 'OSMData') continue
    elements.push(...elementsOf(unpack(fieldsOf(buffer.subarray(headerEnd, at)))))
  }
  return elements
}

function unpack(blob: readonly Field[]): Buffer {
  for (const { number, bytes } of blob) {
    if (number === 1) return bytes
    if (number === 3) return Buffer.from(inflateSync(bytes))
    if (number === 7) return Buffer.from(zstdDecompressSync(bytes))
  }
  throw new Error('a blob has no data')
}

function* elementsOf(bytes: Buffer): Generator<OracleElement> {
  const block = fieldsOf(bytes)
  const strings = fieldsOf(only(block, 1).bytes).map((field) => field.bytes.toString())
  const [granularity, latOffset, lonOffset] = [17, 19, 20].map(
    (number) => block.find((field) => field.number === number)?.value ?? (number === 17 ? 100n : 0n),
  ) as [bigint, bigint, bigint]
  const unit = (offset: bigint, value: bigint) =>
    Math.round(Number(BigInt.asIntN(64, offset) + granularity * value) / 100)
  for (const group of block.filter(({ number }) => number === 2)) {
    for (const { number, bytes: body } of fieldsOf(group.bytes)) {
      const fields = fieldsOf(body)
      const list = (field: number) => varintsOf(fields.find((each) => each.number === field)?.bytes ?? Buffer.alloc(0))
      const tags = () => {
        const values = list(3)
        return Object.fromEntries(list(2).map((key, at) => [strings[Number(key)], strings[Number(values[at])]]))
      }
      if (number === 1) {
        const [lat, lon] = [8, 9].map((field) => zigzag(only(fields, field).value)) as [bigint, bigint]
        const place = { lat: unit(latOffset, lat), lon: unit(lonOffset, lon) }
        yield { kind: 'node', id: Number(zigzag(only(fields, 1).value)), tags: tags(), ...place }
      } else if (number === 2) {
        const [lats, lons] = [sums(list(8)), sums(list(9))]
        const texts = list(10).map((text) => strings[Number(text)] as string)
        for (const [at, id] of sums(list(1)).entries()) {
          const own: [string, string][] = []
          while (texts.length > 0) {
            const key = texts.shift() as string
            if (key === '') break
            own.push([key, texts.shift() as string])
          }
          const place = { lat: unit(latOffset, lats[at] as bigint), lon: unit(lonOffset, lons[at] as bigint) }
          yield { kind: 'node', id: Number(id), tags: Object.fromEntries(own), ...place }
        }
      } else if (number === 3) {
        const id = Number(BigInt.asIntN(64, only(fields, 1).value))
        yield { kind: 'way', id, tags: tags(), refs: sums(list(8)).map(Number) }
      } else if (number === 4) {
        const id = Number(BigInt.asIntN(64, only(fields, 1).value))
        const [roles, kinds] = [list(8), list(10)]
        const members = sums(list(9)).map((ref, at) => ({
          kind: ['node', 'way', 'relation'][Number(kinds[at])] as string,
          ref: Number(ref),
          role: strings[Number(roles[at])] as string,
        }))
        yield { kind: 'relation', id, tags: tags(), members }
      }
    }
  }
}

function only(fields: readonly Field[], number: number): Field {
  const field = fields.find((each) => each.number === number)
  if (field === undefined) throw new Error(`there is no field ${number}`)
  return field
}

function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = []
  let at = 0
  const next = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] as number
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = Number(next())
    const none = Buffer.alloc(0)
    if ((tag & 7) === 0) fields.push({ number: tag >> 3, value: next(), bytes: none })
    else {
      const length = (tag & 7) === 2 ? Number(next()) : (tag & 7) === 1 ? 8 : 4
      fields.push({ number: tag >> 3, value: 0n, bytes: bytes.subarray(at, at + length) })
      at += length
    }
  }
  return fields
}

function varintsOf(bytes: Buffer): bigint[] {
  const values: bigint[] = []
  let [value, shift] = [0n, 0n]
  for (const byte of bytes) {
    value |= BigInt(byte & 0x7f) << shift
    shift += 7n
    if (byte >= 0x80) continue
    values.push(value)
    ;[value, shift] = [0n, 0n]
  }
  return values
}

const zigzag = (value: bigint) => (value & 1n ? -(value >> 1n) - 1n : value >> 1n)

function sums(values: readonly bigint[]): bigint[] {
  let sum = 0n
  return values.map((value) => {
    sum += zigzag(value)
    return sum
  })
}
