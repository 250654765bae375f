// From a GTFS-Realtime message, keeps only the trips to which a train is assigned. New York's subway (NYCT) marks these
// trips with `is_assigned`, a field of its own extension. The official bindings and the product's reader skip
// extensions. Part of the realtime oracle.

/**
 * The field numbers of FeedMessage.entity, FeedEntity.trip_update, TripUpdate.trip, NYCT's extension of TripDescriptor,
 * and is_assigned within that extension.
 */
const [ENTITY, TRIP_UPDATE, TRIP, NYCT, IS_ASSIGNED] = [2, 3, 1, 1001, 2]

interface Field {
  readonly number: number
  /** All bytes of the field, including its tag. */
  readonly whole: Uint8Array
  /** The bytes of the value, without tag and length. */
  readonly content: Uint8Array
}

/** Removes all entities except those whose trip is marked as assigned. Keeps all other fields of the message. */
export function keepAssigned(message: Uint8Array): Uint8Array {
  const kept = fieldsOf(message).filter(({ number, content }) => number !== ENTITY || isAssigned(content))
  return Buffer.concat(kept.map(({ whole }) => whole))
}

function isAssigned(entity: Uint8Array): boolean {
  const marks = [TRIP_UPDATE, TRIP, NYCT, IS_ASSIGNED].reduce(
    (found, wanted) =>
      found.flatMap((bytes) =>
        fieldsOf(bytes)
          .filter(({ number }) => number === wanted)
          .map(({ content }) => content),
      ),
    [entity],
  )
  return marks.at(-1)?.[0] === 1
}

function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = []
  let at = 0
  const readNumber = () => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const from = at
    const tag = readNumber()
    const start = at
    const [number, kind] = [Math.floor(tag / 8), tag % 8]
    let content = start
    if (kind === 0) readNumber()
    else if (kind === 1) at += 8
    else if (kind === 5) at += 4
    else if (kind === 2) {
      const length = readNumber()
      content = at
      at += length
    } else throw new Error(`unknown wire type ${kind}`)
    fields.push({ number, whole: bytes.subarray(from, at), content: bytes.subarray(content, at) })
  }
  return fields
}
