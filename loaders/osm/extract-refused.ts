// Why an OpenStreetMap extract cannot be used.

export type RefusalReason =
  /** The file ends within a blob. */
  | 'truncated'
  /** Bytes contradict the format, or a checksum does not match. */
  | 'damaged'
  /** The file is not an `.osm.pbf`. */
  | 'not_an_extract'
  /** Blobs are compressed with something other than zlib or Zstandard. */
  | 'unknown_compression'
  /** The file requires a feature that this reader does not have. */
  | 'unknown_feature'
  /** A length is above its limit. */
  | 'too_large'

/** Thrown if an extract cannot be read. The message names the file, the byte and the fault. */
export class ExtractRefused extends Error {
  readonly reason: RefusalReason
  readonly file: string
  /** Position in the file of the blob or value at fault. */
  readonly byte: number

  constructor(reason: RefusalReason, fault: { readonly file: string; readonly byte: number; readonly what: string }) {
    super(`${fault.file} at byte ${fault.byte}: ${fault.what}`)
    this.name = 'ExtractRefused'
    this.reason = reason
    this.file = fault.file
    this.byte = fault.byte
  }
}
