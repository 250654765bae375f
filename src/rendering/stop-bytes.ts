// Stops and areas as JSON, assembled from stored or cached JSON. Lists, groups and answers about a location contain
// this JSON unchanged. Detail answers add the lines of the stop or area. Search results have another form, assembled
// from pieces of the same JSON.
import { stopsOfArea } from '../../indexes/timetable/areas.ts'
import { modesOfLines } from '../../indexes/timetable/lines.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import type { LineIndex } from '../../indexes/timetable/timetable.ts'
import { NONE } from '../../loaders/columns.ts'
import { EMPTY_STRING, type StringIndex, textOf } from '../../loaders/strings.ts'
import { COMMA, fragment, JsonBytes } from './json-bytes.ts'
import { degrees } from './line-geometry.ts'
import { compactLine } from './line-text.ts'
import { linesOf } from './place-lines.ts'
import { lineId } from './public-ids.ts'
import { type Place, placeAt, type SnapshotRows, type TextCache } from './snapshot-view.ts'

const QUOTE = fragment('"')
const QUOTE_BYTE = 0x22
const BRACE = 0x7d
const NO_BYTES = new Uint8Array(0)
const ID_START = '{"id":"'
const TOWN = ',"town":"'
const TOWN_SEPARATOR = fragment(', ')
/**
 * Length of the JSON from the kind to the start of the name. It is the same for `area`, which has as many letters as
 * `stop`.
 */
const KIND_AND_NAME_LENGTH = ',"kind":"stop","name":"'.length
const DISTANCE = fragment(',"distance_meters":')
const LINES = fragment(',"lines":[')
const LINES_END = fragment(']}')
const LABEL = fragment(',"label":"')
const FOUND_END = fragment(',"postcode":null,"source":"store","score":')
/** Buffer in which JSON is rendered before it is cached. */
const rendered = new JsonBytes()

/** The values to write for a stop or an area. Strings are indexes in the string pool. */
interface PlaceFacts {
  readonly kind: 'stop' | 'area'
  readonly id: StringIndex
  readonly name: StringIndex
  /** Degrees. */
  readonly lat: number
  readonly lon: number
  readonly isAccessible: boolean
}

/**
 * Numbers of the positions at which the JSON of a stop or area can be cut. The forms for search results are assembled
 * from the pieces.
 */
const ID_END = 0
const LAT_AT = 1
const PARENT_AT = 2
const TOWN_AT = 3
const TOWN_END = 4
/** Size of the five cut positions, which are stored after the JSON in three bytes each. */
const CUT_BYTES = 5 * 3

/** Writes the stops and areas of one snapshot. */
export class PlaceWriter {
  private readonly view: SnapshotRows
  private readonly texts: TextCache<Uint8Array>
  private readonly lineIds: Uint8Array[] = []
  private readonly lines: Uint8Array[] = []
  private readonly networkText: Uint8Array
  private readonly networkAndStop: Uint8Array
  /** The bytes that contain the JSON of the current stop or area, from `start` to `end`. */
  private bytes: Uint8Array = NO_BYTES
  private start = 0
  private end = 0

  /** @param texts cache for JSON that is not stored in the snapshot */
  constructor(view: SnapshotRows, texts: TextCache<Uint8Array>) {
    this.view = view
    this.texts = texts
    this.networkText = fragment(`,"network":"${view.slug}"`)
    this.networkAndStop = fragment(`,"network":"${view.slug}","stop_id":`)
  }

  /** Appends a stop or an area. */
  write(out: JsonBytes, place: Place): void {
    this.open(place)
    this.pushPart(out, this.start, this.end)
    out.pushByte(BRACE)
  }

  /** Appends a stop or an area, with its distance in meters from a location. */
  writeAt(out: JsonBytes, place: Place, distanceMeters: number): void {
    this.open(place)
    this.pushPart(out, this.start, this.end)
    this.pushDistance(out, distanceMeters)
  }

  /** Appends a stop or an area with its lines, for a detail answer. */
  writeDetail(out: JsonBytes, place: Place): void {
    this.open(place)
    this.pushPart(out, this.start, this.end)
    out.push(LINES)
    const lines = linesOf(this.view, place)
    for (let at = 0; at < lines.length; at++) {
      if (at > 0) out.pushByte(COMMA)
      out.push(this.lines[lines[at]] ?? this.renderLine(lines[at]))
    }
    out.push(LINES_END)
  }

  /** Appends a stop or an area in the form of reverse search results. */
  writeNear(out: JsonBytes, place: Place, distanceMeters: number): void {
    this.open(place)
    const idEnd = this.cut(ID_END)
    this.pushPart(out, this.start, idEnd)
    this.pushPart(out, idEnd + this.networkText.length, this.cut(PARENT_AT))
    out.push(this.networkText)
    this.pushDistance(out, distanceMeters)
  }

  /** Appends a stop or an area as a search result. @param score written without rounding */
  writeFound(out: JsonBytes, place: Place, score: number): void {
    this.writeFoundAs(out, place, { score, addition: '' })
  }

  /**
   * Appends a stop or an area as a search result, with an addition to its label. The score is written without rounding.
   */
  writeFoundAs(out: JsonBytes, place: Place, as: { readonly score: number; readonly addition: string }): void {
    this.open(place)
    const [idEnd, latAt, townAt, townEnd] = [this.cut(ID_END), this.cut(LAT_AT), this.cut(TOWN_AT), this.cut(TOWN_END)]
    const kindAt = idEnd + this.networkText.length
    this.pushPart(out, this.start, idEnd)
    this.pushPart(out, kindAt, latAt)
    out.push(LABEL)
    this.pushPart(out, kindAt + KIND_AND_NAME_LENGTH, latAt - 1)
    if (townEnd - townAt > TOWN.length + 1) {
      out.push(TOWN_SEPARATOR)
      this.pushPart(out, townAt + TOWN.length, townEnd - 1)
    }
    if (as.addition !== '') out.pushText(JSON.stringify(` (${as.addition})`).slice(1, -1))
    out.pushByte(QUOTE_BYTE)
    this.pushPart(out, latAt, this.cut(PARENT_AT))
    out.push(this.networkAndStop)
    this.pushPart(out, this.start + ID_START.length - 1, idEnd)
    this.pushPart(out, townAt, townEnd)
    out.push(FOUND_END)
    out.pushText(`${as.score}}`)
  }

  /** Appends a stop or area in the form that `makeTexts` stores. @param number see `placeAt` */
  writeText(out: JsonBytes, number: number): void {
    this.writeMembers(out, placeAt(this.view.timetable, number))
  }

  /** A line as JSON, in the form that is used within a stop or area. */
  lineText(line: LineIndex): string {
    return JSON.stringify(compactLine(this.view, line))
  }

  private pushPart(out: JsonBytes, from: number, to: number): void {
    out.pushRange(this.bytes, from, to)
  }

  private pushDistance(out: JsonBytes, meters: number): void {
    out.push(DISTANCE)
    out.pushNumber(Math.round(meters))
    out.pushByte(BRACE)
  }

  /** Finds or renders the JSON of a stop or area, and makes it the current one. */
  private open(place: Place): void {
    const number = place.kind === 'stop' ? place.stop : this.view.timetable.stops.id.length + place.area
    const { made } = this.view
    if (made !== undefined) {
      this.bytes = made.bytes
      this.start = made.startOf('place', number)
      this.end = made.startOf('place', number + 1) - CUT_BYTES
      return
    }
    this.bytes = this.texts.of('place', number, () => this.renderText(place))
    this.start = 0
    this.end = this.bytes.length - CUT_BYTES
  }

  /**
   * The position of a cut in the current JSON, as an index in `bytes`.
   * @param which number of the cut, such as ID_END
   */
  private cut(which: number): number {
    const { bytes } = this
    const at = this.end + which * 3
    return this.start + bytes[at] + (bytes[at + 1] << 8) + (bytes[at + 2] << 16)
  }

  private renderText(place: Place): Uint8Array {
    rendered.clear()
    this.writeMembers(rendered, place)
    return rendered.view().slice()
  }

  /** Writes a stop or area without its closing brace, followed by the positions at which its JSON can be cut. */
  private writeMembers(out: JsonBytes, place: Place): void {
    const start = out.size
    const { slug, timetable } = this.view
    const { strings, stops, areas } = timetable
    const { kind, id, name, lat, lon, isAccessible } = this.factsOf(place)
    out.pushText(`${ID_START}${slug}:${kind}:`)
    out.pushPoolText(strings, id)
    out.push(QUOTE)
    const idEnd = out.size
    out.pushText(`,"network":"${slug}","kind":"${kind}","name":"`)
    out.pushPoolText(strings, name)
    out.push(QUOTE)
    const latAt = out.size
    out.pushText(`,"lat":${numberText(degrees(lat))},"lon":${numberText(degrees(lon))}`)
    const parentAt = out.size
    out.pushText(',"parent_id":')
    const parent = place.kind === 'stop' ? stops.area[place.stop] : NONE
    if (parent === NONE) out.pushText('null')
    else this.writeId(out, 'area', areas.id[parent])
    this.writeLines(out, place)
    const townAt = out.size
    out.pushText(`${TOWN}${JSON.stringify(this.view.townAt(lat, lon)).slice(1)}`)
    const townEnd = out.size
    out.pushText(`,"accessible":${isAccessible},"platform_code":`)
    const code = place.kind === 'stop' ? stops.platformCode[place.stop] : EMPTY_STRING
    if (code === EMPTY_STRING) out.pushText('null')
    else out.pushText(JSON.stringify(textOf(strings, code)))
    out.pushText(',"children":[')
    if (place.kind === 'area') {
      for (const [at, stop] of stopsOfArea(timetable, place.area).entries()) {
        if (at > 0) out.pushByte(COMMA)
        this.writeId(out, 'stop', stops.id[stop])
      }
    }
    out.pushText(']')
    for (const cut of [idEnd, latAt, parentAt, townAt, townEnd]) {
      for (let shift = 0; shift < 24; shift += 8) out.pushByte(((cut - start) >>> shift) & 0xff)
    }
  }

  /** Writes the ids of a stop's or area's lines, and the modes of these lines in the order of MODES. */
  private writeLines(out: JsonBytes, place: Place): void {
    const lines = linesOf(this.view, place)
    out.pushText(',"line_ids":[')
    for (let at = 0; at < lines.length; at++) {
      if (at > 0) out.pushByte(COMMA)
      out.push(this.lineIds[lines[at]] ?? this.renderLineId(lines[at]))
    }
    out.pushText(`],"modes":${JSON.stringify(modesOfLines(this.view.timetable, lines).map(modeWord))}`)
  }

  private writeId(out: JsonBytes, kind: 'stop' | 'area', id: StringIndex): void {
    out.pushText(`"${this.view.slug}:${kind}:`)
    out.pushPoolText(this.view.timetable.strings, id)
    out.push(QUOTE)
  }

  private factsOf(place: Place): PlaceFacts {
    const { stops, areas } = this.view.timetable
    if (place.kind === 'area') {
      const { kind, area } = place
      const isAccessible = areas.accessible[area] === 1
      return {
        kind,
        id: areas.id[area],
        name: areas.name[area],
        lat: areas.lat[area],
        lon: areas.lon[area],
        isAccessible,
      }
    }
    const { kind, stop } = place
    const isAccessible = stops.wheelchair[stop] === 1
    return {
      kind,
      id: stops.id[stop],
      name: stops.name[stop],
      lat: stops.lat[stop],
      lon: stops.lon[stop],
      isAccessible,
    }
  }

  private renderLineId(line: LineIndex): Uint8Array {
    const bytes = fragment(JSON.stringify(lineId(this.view, line)))
    this.lineIds[line] = bytes
    return bytes
  }

  private renderLine(line: LineIndex): Uint8Array {
    const bytes = this.view.made?.find('line', line) ?? fragment(this.lineText(line))
    this.lines[line] = bytes
    return bytes
  }
}

/** A coordinate as JSON; null if the location is unknown. */
function numberText(value: number): string {
  return Number.isNaN(value) ? 'null' : String(value)
}
