// The tags of the features in a cell, as numbers. Each distinct set of tags and each distinct string is stored once.
import { ByteWriter } from '../../loaders/osm/byte-writer.ts'
import { GROUND_KINDS } from '../../loaders/osm/ground-kinds.ts'
import { EMPTY_STRING, type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'
import type { GroundFeatures } from './ground-features.ts'

/** The tag keys, in the order in which they are written to tiles. */
export const TAG_KEYS = ['kind', 'kind_detail', 'is_tunnel', 'name'] as const
const [KIND, DETAIL, TUNNEL, NAME] = TAG_KEYS.keys()

/** The lowest zoom at which tiles contain road names. */
const ROAD_NAME_ZOOM = 13
/** Protobuf field numbers of a string and of a boolean in the `Value` message of a vector tile. */
const TEXT_FIELD = 1
const BOOLEAN_FIELD = 7

/** The tag sets of a cell. */
export class CellTags {
  private readonly features: GroundFeatures
  private readonly names: StringPool
  /** Kind, name and `isTunnel`, combined in one number → tags. */
  private readonly made = new Map<number, readonly number[]>()
  /** String → the number of its value. Value 0 is `true`, which marks tunnels. */
  private readonly valueOfText = new Map<string, number>()
  private readonly values: Uint8Array[] = []
  private readonly writer = new ByteWriter()

  constructor(features: GroundFeatures, names: StringPool) {
    this.features = features
    this.names = names
    this.addValue(() => this.writer.number(BOOLEAN_FIELD, 1))
  }

  /**
   * The tags of a feature: for each tag, the index of its key in TAG_KEYS and the number of its value (see `value`).
   */
  tagsOf(feature: number, zoom: number): readonly number[] {
    const kind = this.features.kind[feature]
    const isTunnel = this.features.isTunnel[feature] === 1
    const isNamed = GROUND_KINDS[kind].layer !== 'roads' || zoom >= ROAD_NAME_ZOOM
    const name = isNamed ? this.features.name[feature] : EMPTY_STRING
    const look = (name * GROUND_KINDS.length + kind) * 2 + Number(isTunnel)
    let tags = this.made.get(look)
    if (tags === undefined) {
      tags = this.makeTags(kind, isTunnel, name)
      this.made.set(look, tags)
    }
    return tags
  }

  /** The encoded bytes of a value, as they appear in tiles. */
  value(number: number): Uint8Array {
    return this.values[number]
  }

  private makeTags(kind: number, isTunnel: boolean, name: number): number[] {
    const { kind: word, detail } = GROUND_KINDS[kind]
    const tags = [KIND, this.valueOf(word)]
    if (detail !== undefined) tags.push(DETAIL, this.valueOf(detail))
    if (isTunnel) tags.push(TUNNEL, 0)
    if (name !== EMPTY_STRING) tags.push(NAME, this.valueOf(textOf(this.names, name as StringIndex)))
    return tags
  }

  private valueOf(text: string): number {
    return this.valueOfText.getOrInsertComputed(text, () => this.addValue(() => this.writer.text(TEXT_FIELD, text)))
  }

  private addValue(write: () => void): number {
    this.writer.length = 0
    write()
    return this.values.push(this.writer.bytes()) - 1
  }
}
