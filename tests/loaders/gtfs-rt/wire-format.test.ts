// Tests the decoder on bytes that the bindings do not write. It must accept what the wire format allows, and refuse the
// rest with a reason. Fails if the last value of a repeated scalar is not used, if a repeated part replaces the earlier
// part instead of being merged with it, or if a length is not checked.
import { describe, expect, test } from 'bun:test'
import { decodeMessage, RealtimeUnreadable } from '../../../loaders/gtfs-rt/decode-message.ts'
import { bytes, fixed64, float, group, message, number, varint } from './wire-bytes.ts'

const HEADER = bytes(1, bytes(1, '2.0'))
const trip = (...fields: readonly (readonly number[])[]) =>
  decode(bytes(3, bytes(1, bytes(1, 't')), ...fields)).trips[0]
const call = (...fields: readonly (readonly number[])[]) => trip(bytes(2, ...fields))?.stopTimes[0]
const vehicle = (...fields: readonly (readonly number[])[]) => decode(bytes(4, ...fields)).vehicles[0]
const alert = (...fields: readonly (readonly number[])[]) => decode(bytes(5, ...fields)).alerts[0]

/** Decodes a message with one entity, whose fields are `content`. */
function decode(...content: readonly (readonly number[])[]) {
  return decodeMessage(message(HEADER, bytes(2, bytes(1, 'e'), ...content)))
}

/** Why a message with these fields is refused; `none` if it is accepted. */
function refusal(...fields: readonly (readonly number[])[]): string {
  try {
    decodeMessage(message(...fields))
    return 'none'
  } catch (error) {
    if (error instanceof RealtimeUnreadable) return error.reason
    throw error
  }
}

describe('repeated fields', () => {
  test('a value: the last one counts', () => {
    expect(call(number(1, 4), number(1, 5), bytes(4, 'A'), bytes(4, 'B'))).toMatchObject({
      stopSequence: 5,
      stopId: 'B',
    })
    expect(vehicle(bytes(2, float(1, 1), float(2, 2), float(1, 3)))).toMatchObject({ lat: 3, lon: 2 })
  })

  test('a part: it is merged, and its lists continue', () => {
    expect(call(bytes(2, number(1, 60)), bytes(2, number(2, 1000)))?.arrival).toEqual({
      timeSeconds: 1000,
      delaySeconds: 60,
      scheduledSeconds: undefined,
    })
    const twice = decode(
      bytes(3, bytes(1, bytes(1, 't')), bytes(2, number(1, 1))),
      bytes(3, bytes(1, bytes(5, 'r')), bytes(2, number(1, 2))),
    ).trips
    expect(twice).toHaveLength(1)
    expect(twice[0]).toMatchObject({
      trip: { tripId: 't', routeId: 'r' },
      stopTimes: [{ stopSequence: 1 }, { stopSequence: 2 }],
    })
    expect(vehicle(bytes(2, float(1, 1)), bytes(2, float(2, 2)))).toMatchObject({ lat: 1, lon: 2 })
    expect(vehicle(bytes(8, bytes(1, 'v')), bytes(8, bytes(2, 'l')))?.vehicle).toMatchObject({ id: 'v', label: 'l' })
    const texts = alert(bytes(10, bytes(1, bytes(1, 'a'))), bytes(10, bytes(1, bytes(1, 'b'))))?.header
    expect(texts?.map(({ text }) => text)).toEqual(['a', 'b'])
  })

  test('the header: it is merged, and may come after the entities', () => {
    const late = message(bytes(2, bytes(1, 'e'), number(2, 1)), bytes(1, number(2, 1)), bytes(1, number(3, 7)), HEADER)
    expect(decodeMessage(late)).toMatchObject({
      version: '2.0',
      incrementality: 'differential',
      timestampSeconds: 7,
      deletedIds: ['e'],
    })
  })

  test('an unknown enum value counts as absent', () => {
    expect(trip(bytes(1, number(4, 3)), bytes(1, number(4, 99)))?.trip.relationship).toBe('canceled')
    expect(alert(number(6, 4), number(6, 99), number(7, -1), number(14, 3))).toMatchObject({
      cause: 'strike',
      effect: 'unknown_effect',
      severity: 'warning',
    })
  })
})

describe('numbers', () => {
  test('a negative number has ten bytes; encodings longer than needed are also read', () => {
    expect(varint(-60)).toHaveLength(10)
    expect(trip(number(5, -60))?.delaySeconds).toBe(-60)
    expect(trip([5 * 8, 0xbc, 0x80, 0x80, 0x00])?.delaySeconds).toBe(60)
    // If a number is wider than its field, only its low 32 bits are used.
    expect(trip(number(5, 2n ** 40n + 7n))?.delaySeconds).toBe(7)
    expect(trip(number(5, 2 ** 32 - 1))?.delaySeconds).toBe(-1)
  })

  test('a 64-bit time is exact; one beyond the year 9999 is dropped', () => {
    const at = (value: number | bigint) => call(bytes(2, number(1, 5), number(2, value)))?.arrival?.timeSeconds
    expect([4_294_967_296, 253_402_300_799].map(at)).toEqual([4_294_967_296, 253_402_300_799])
    expect([0, 253_402_300_800, 2n ** 63n, 2n ** 64n - 1n, -1].map(at)).toEqual(new Array(5).fill(undefined))
    expect(decode(bytes(4, number(5, -1))).dropped).toEqual({ bad_instant: 1 })
  })

  test('a number that is not finite is absent', () => {
    const position = (lat: number, speed: number) => vehicle(bytes(2, float(1, lat), float(2, 2), float(5, speed)))
    expect(position(1, Number.NaN)).toMatchObject({ lat: 1, lon: 2, speedMetersPerSecond: undefined })
    expect(position(Number.POSITIVE_INFINITY, 3)).toMatchObject({ lat: undefined, lon: undefined })
    expect(position(Number.NEGATIVE_INFINITY, 3)).toMatchObject({ lat: undefined, lon: undefined })
  })
})

describe('unknown content', () => {
  test('fields of any wire type are skipped in any part', () => {
    const strange = [...number(1001, -1), ...fixed64(1002), ...bytes(1003, 'x'), ...float(1004, 1), ...group(1005)]
    expect(call(strange, number(1, 9), strange)).toMatchObject({ stopSequence: 9 })
    expect(vehicle(bytes(2, strange, float(1, 1), float(2, 2)))).toMatchObject({ lat: 1 })
    expect(decodeMessage(message(strange, HEADER, strange)).version).toBe('2.0')
  })

  test('a known field with another wire type is ignored, even if packed', () => {
    expect(call(bytes(1, [3, 4]), number(4, 5), float(1, 1))).toMatchObject({
      stopSequence: undefined,
      stopId: undefined,
    })
    expect(vehicle(bytes(2, number(1, 5), fixed64(2)))).toMatchObject({ lat: undefined, lon: undefined })
  })

  test('groups may nest, to a limit', () => {
    const nested = (depth: number): number[] => (depth === 0 ? number(1, 1) : group(9, nested(depth - 1)))
    expect(refusal(HEADER, nested(100))).toBe('none')
    expect(refusal(HEADER, nested(101))).toBe('too_deep')
    const open = varint(9 * 8 + 3)
    expect(refusal(HEADER, new Array(100_000).fill(open).flat())).toBe('too_deep')
    expect(refusal(HEADER, open)).toBe('truncated')
    expect(refusal(HEADER, varint(9 * 8 + 4))).toBe('decode_error')
    expect(refusal(HEADER, [...open, ...varint(10 * 8 + 4)])).toBe('decode_error')
  })

  test('bytes that are not UTF-8 become replacement characters', () => {
    expect(call(bytes(4, [0x41, 0xff, 0xc3]))?.stopId).toBe('A\ufffd\ufffd')
    expect(call(bytes(4, [0xed, 0xa0, 0x80]))?.stopId?.isWellFormed()).toBe(true)
    expect(call(bytes(4, '\ufeffa\u0000b'))?.stopId).toBe('\ufeffa\u0000b')
  })
})

describe('malformed messages are rejected whole', () => {
  const entity = bytes(2, bytes(1, 'e'), bytes(3, bytes(1, bytes(1, 't'))))

  test('lengths beyond the end', () => {
    for (const length of [1, 2 ** 31, 2 ** 32 - 1, 2 ** 53, 2n ** 64n - 1n]) {
      expect(refusal(HEADER, [0x12, ...varint(length)])).toBe('truncated')
      // The field ends within the message, but beyond the part that contains it.
      expect(refusal(HEADER, bytes(2, [0x0a, ...varint(length)]), entity)).toBe('decode_error')
    }
    expect(refusal(HEADER, bytes(2, bytes(4, bytes(2, [0x0d, 1, 2])), entity))).toBe('decode_error')
  })

  test('invalid tags and numbers', () => {
    expect(refusal(HEADER, [0x00, 0x00])).toBe('decode_error')
    expect(refusal(HEADER, [0x07])).toBe('decode_error')
    expect(refusal(HEADER, [0x0e, 0x00])).toBe('decode_error')
    expect(refusal(HEADER, [0xff, 0xff, 0xff, 0xff, 0xff, 0x01])).toBe('decode_error')
    expect(refusal(HEADER, [0x18, ...new Array(10).fill(0xff), 0x01])).toBe('decode_error')
    expect(refusal(HEADER, [0x18, 0xff])).toBe('truncated')
  })

  test('a missing header, or one without a version', () => {
    expect(refusal()).toBe('missing_header')
    expect(refusal(entity)).toBe('missing_header')
    expect(refusal(bytes(1, number(3, 5)), entity)).toBe('missing_header')
    expect(refusal([...Buffer.from('<!doctype html><html></html>')])).toBe('decode_error')
  })

  test('more parts than the memory limit allows', () => {
    const hostile = Buffer.concat([message(HEADER), Buffer.alloc(8_000_002, Buffer.from([0x12, 0]))])
    expect(() => decodeMessage(hostile)).toThrow('4000000 nested messages')
  })
})

test('an invalid entity is dropped and counted; the others are kept', () => {
  const parts = [
    bytes(2, bytes(4, number(3, 1))),
    bytes(2, bytes(1, ''), bytes(4, number(3, 1))),
    bytes(2, bytes(1, 'a')),
    bytes(2, bytes(1, 'b'), number(2, 1), bytes(3, bytes(1, bytes(1, 't')))),
    bytes(2, bytes(1, 'c'), bytes(3, number(5, 60))),
    bytes(2, bytes(1, 'd'), bytes(7, bytes(1, 's'))),
    bytes(2, bytes(1, 'e'), bytes(5, bytes(5))),
    bytes(2, bytes(1, 'f'), bytes(3, bytes(1, bytes(1, 't')))),
  ]
  const { trips, alerts, vehicles, deletedIds, dropped } = decodeMessage(message(HEADER, ...parts))
  expect([trips, alerts, vehicles].map((list) => list.map(({ entityId }) => entityId))).toEqual([['f'], ['e'], []])
  expect(deletedIds).toEqual([])
  expect(dropped).toEqual({
    entity_without_id: 2,
    entity_without_content: 1,
    deleted_in_full_dataset: 1,
    trip_update_without_trip: 1,
    unused_content: 1,
    empty_selector: 1,
  })
})
