// Decodes TripModifications and Shape: detours of scheduled trips and their shapes.
import type { LiveShape, Modification, ReplacementStop, StopSelector, TripModifications } from './message.ts'
import { readStartTime, type Unfinished } from './trip-updates.ts'
import { bytesTag, varintTag, type WireReader } from './wire-reader.ts'

type SelectedTrips = TripModifications['selected'][number]

/** A partly decoded TripModifications. */
export interface TripModificationsParts {
  readonly selected: SelectedTrips[]
  readonly startTimes: number[]
  readonly serviceDates: string[]
  readonly modifications: Modification[]
}

/** A partly decoded Shape. */
export type ShapeParts = Unfinished<Omit<LiveShape, 'entityId'>>

/** A TripModifications without any fields. */
export function emptyTripModifications(): TripModificationsParts {
  return { selected: [], startTimes: [], serviceDates: [], modifications: [] }
}

/** A Shape without any fields. */
export function emptyShape(): ShapeParts {
  return { shapeId: undefined, polyline: undefined }
}

/** Reads a TripModifications. */
export function readTripModifications(reader: WireReader, parts: TripModificationsParts): TripModificationsParts {
  const { selected, startTimes, serviceDates, modifications } = parts
  eachField(reader, (tag) => {
    if (tag === bytesTag(1)) selected.push(readSelectedTrips(reader))
    else if (tag === bytesTag(2)) pushGiven(startTimes, readStartTime(reader))
    else if (tag === bytesTag(3)) pushGiven(serviceDates, reader.text())
    else if (tag === bytesTag(4)) modifications.push(readModification(reader))
    else reader.skip(tag)
  })
  return parts
}

/** Reads a Shape. */
export function readShape(reader: WireReader, shape: ShapeParts): ShapeParts {
  eachField(reader, (tag) => {
    if (tag === bytesTag(1)) shape.shapeId = reader.text()
    else if (tag === bytesTag(2)) shape.polyline = reader.text()
    else reader.skip(tag)
  })
  return shape
}

function readSelectedTrips(reader: WireReader): SelectedTrips {
  const tripIds: string[] = []
  let shapeId: string | undefined
  eachField(reader, (tag) => {
    if (tag === bytesTag(1)) pushGiven(tripIds, reader.text())
    else if (tag === bytesTag(2)) shapeId = reader.text()
    else reader.skip(tag)
  })
  return { tripIds, shapeId }
}

function readModification(reader: WireReader): Modification {
  const replacements: ReplacementStop[] = []
  const part: Unfinished<Modification> = {
    start: undefined,
    end: undefined,
    delaySeconds: 0,
    replacements,
    alertId: undefined,
  }
  eachField(reader, (tag) => {
    if (tag === bytesTag(1)) part.start = readSelector(reader)
    else if (tag === bytesTag(2)) part.end = readSelector(reader)
    else if (tag === varintTag(3)) part.delaySeconds = reader.int32()
    else if (tag === bytesTag(4)) replacements.push(readReplacement(reader))
    else if (tag === bytesTag(5)) part.alertId = reader.text()
    else reader.skip(tag)
  })
  return part
}

function readSelector(reader: WireReader): StopSelector {
  const selector: Unfinished<StopSelector> = { stopSequence: undefined, stopId: undefined }
  eachField(reader, (tag) => {
    if (tag === varintTag(1)) selector.stopSequence = reader.uint32()
    else if (tag === bytesTag(2)) selector.stopId = reader.text()
    else reader.skip(tag)
  })
  return selector
}

function readReplacement(reader: WireReader): ReplacementStop {
  const stop: Unfinished<ReplacementStop> = { travelSeconds: undefined, stopId: undefined }
  eachField(reader, (tag) => {
    if (tag === varintTag(1)) stop.travelSeconds = reader.int32()
    else if (tag === bytesTag(2)) stop.stopId = reader.text()
    else reader.skip(tag)
  })
  return stop
}

/** Reads one message field by field. */
function eachField(reader: WireReader, read: (tag: number) => void): void {
  const outerEnd = reader.enter()
  while (reader.at < reader.end) read(reader.tag())
  reader.leave(outerEnd)
}

function pushGiven<T>(list: T[], value: T | undefined): void {
  if (value !== undefined) list.push(value)
}
