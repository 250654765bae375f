// Stops and areas as JSON, assembled from fragments: the same text in lists, groups and nearby answers; with their
// lines in detail answers; and as places in search results. The golden answers verify them.
import { stopsOfArea } from '../../indexes/timetable/areas.ts'
import { modesOfLines } from '../../indexes/timetable/lines.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import type { LineIndex } from '../../indexes/timetable/timetable.ts'
import { NONE } from '../../loaders/columns.ts'
import { EMPTY_STRING, type StringIndex, textOf } from '../../loaders/strings.ts'
import { COMMA, fragment, JsonBytes } from './json-bytes.ts'
import { degrees } from './line-geometry.ts'
import { compactLine } from './line-text.ts'
import { lineId } from './public-ids.ts'
import type { Place, SnapshotRows, TextCache } from './snapshot-view.ts'
import { linesOf } from './stop-text.ts'

const QUOTE = fragment('"')
const DISTANCE = fragment(',"distance_meters":')
const SCORE = fragment(',"score":')
const OBJECT_END = fragment('}')
/** A text to keep, under construction. */
const made = new JsonBytes()

/** The values to write for a stop or an area; texts by their index. */
interface PlaceFacts {
  readonly kind: 'stop' | 'area'
  readonly id: StringIndex
  readonly name: StringIndex
  /** Degrees. */
  readonly lat: number
  readonly lon: number
  readonly isAccessible: boolean
}

/** The stops and areas of one snapshot. */
export class PlaceWriter {
  private readonly view: SnapshotRows
  private readonly places: TextCache<Uint8Array>
  private readonly lineIds: Uint8Array[] = []
  private readonly lines: Uint8Array[] = []

  /** @param places keeps their texts */
  constructor(view: SnapshotRows, places: TextCache<Uint8Array>) {
    this.view = view
    this.places = places
  }

  /** Appends a stop or an area. */
  write(out: JsonBytes, place: Place): void {
    out.push(this.openPlace(place))
    out.push(OBJECT_END)
  }

  /** Appends a stop or an area with its distance from a place, in meters. */
  writeAt(out: JsonBytes, place: Place, distanceMeters: number): void {
    out.push(this.openPlace(place))
    out.push(DISTANCE)
    out.pushText(`${Math.round(distanceMeters)}}`)
  }

  /** Appends a stop or an area in detail, with its lines. The text is not kept: the answer is. */
  writeDetail(out: JsonBytes, place: Place): void {
    this.writeMembers(out, place)
    out.pushText(',"lines":[')
    const lines = linesOf(this.view, place)
    for (let at = 0; at < lines.length; at++) {
      if (at > 0) out.pushByte(COMMA)
      out.push(this.lines[lines[at]] ?? this.renderLine(lines[at]))
    }
    out.pushText(']}')
  }

  /** Appends a stop or an area near a point, as in reverse search results. */
  writeNear(out: JsonBytes, place: Place, distanceMeters: number): void {
    out.push(this.kept('near', place, () => this.writeNearMembers(place)))
    out.push(DISTANCE)
    out.pushText(`${Math.round(distanceMeters)}}`)
  }

  /** Appends a stop or an area as a search result. @param score as shown */
  writeFound(out: JsonBytes, place: Place, score: number): void {
    out.push(this.kept('found', place, () => this.writeFoundMembers(made, place)))
    out.push(SCORE)
    out.pushText(`${score}}`)
  }

  /** Appends a stop or an area as a search result whose label says more than others. The text is not kept. */
  writeFoundAs(out: JsonBytes, place: Place, as: { readonly score: number; readonly addition: string }): void {
    this.writeFoundMembers(out, place, ` (${as.addition})`)
    out.push(SCORE)
    out.pushText(`${as.score}}`)
  }

  /** A stop or an area, without its last brace. */
  private openPlace(place: Place): Uint8Array {
    return this.kept('place', place, () => this.writeMembers(made, place))
  }

  private kept(kind: 'place' | 'near' | 'found', place: Place, write: () => void): Uint8Array {
    const number = place.kind === 'stop' ? place.stop : this.view.timetable.stops.id.length + place.area
    return this.places.of(kind, number, () => {
      made.clear()
      write()
      return made.view().slice()
    })
  }

  private writeMembers(out: JsonBytes, place: Place): void {
    const { slug, timetable } = this.view
    const { strings, stops, areas } = timetable
    const { kind, id, name, lat, lon, isAccessible } = this.factsOf(place)
    out.pushText(`{"id":"${slug}:${kind}:`)
    out.pushPoolText(strings, id)
    out.pushText(`","network":"${slug}","kind":"${kind}","name":"`)
    out.pushPoolText(strings, name)
    out.pushText(`","lat":${numberText(degrees(lat))},"lon":${numberText(degrees(lon))},"parent_id":`)
    const parent = place.kind === 'stop' ? stops.area[place.stop] : NONE
    if (parent === NONE) out.pushText('null')
    else this.writeId(out, 'area', areas.id[parent])
    this.writeLines(out, place)
    out.pushText(`,"town":${JSON.stringify(this.view.townAt(lat, lon))},"accessible":${isAccessible},"platform_code":`)
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
  }

  /** The lines of a place, and their modes in the order of MODES. */
  private writeLines(out: JsonBytes, place: Place): void {
    const lines = linesOf(this.view, place)
    out.pushText(',"line_ids":[')
    for (let at = 0; at < lines.length; at++) {
      if (at > 0) out.pushByte(COMMA)
      out.push(this.lineIds[lines[at]] ?? this.renderLineId(lines[at]))
    }
    out.pushText(`],"modes":${JSON.stringify(modesOfLines(this.view.timetable, lines).map(modeWord))}`)
  }

  private writeNearMembers(place: Place): void {
    const { id, kind, name, lat, lon, network } = this.wordsOf(place)
    made.pushText(JSON.stringify({ id, kind, name, lat, lon, network }).slice(0, -1))
  }

  private writeFoundMembers(out: JsonBytes, place: Place, addition = ''): void {
    const { id, kind, name, lat, lon, network } = this.wordsOf(place)
    const town = this.view.townAt(lat, lon)
    const label = (town === '' ? name : `${name}, ${town}`) + addition
    const row = { id, kind, name, label, lat, lon, network, stop_id: id, town, postcode: null, source: 'store' }
    out.pushText(JSON.stringify(row).slice(0, -1))
  }

  private wordsOf(place: Place) {
    const { slug, timetable } = this.view
    const { kind, id, name, lat, lon } = this.factsOf(place)
    return {
      id: `${slug}:${kind}:${textOf(timetable.strings, id)}`,
      kind,
      name: textOf(timetable.strings, name),
      lat: degrees(lat),
      lon: degrees(lon),
      network: slug,
    }
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
    const bytes = fragment(JSON.stringify(compactLine(this.view, line)))
    this.lines[line] = bytes
    return bytes
  }
}

/** A number as JSON; null if the location is unknown. */
function numberText(value: number): string {
  return Number.isNaN(value) ? 'null' : String(value)
}
