// Reasons why an OpenStreetMap extract cannot be used.

export type RefusalReason =
  /** The file ends within a blob. */
  | 'truncated'
  /** Bytes violate the format, or a checksum does not match. */
  | 'damaged'
  /** The file is not an `.osm.pbf`. */
  | 'not_an_extract'
  /** A blob is compressed by a method other than zlib and Zstandard. */
  | 'unknown_compression'
  /** The file requires a feature that this reader does not support. */
  | 'unknown_feature'
  /** A length exceeds its maximum. */
  | 'too_large'

/** Thrown if an extract cannot be read. The message contains the file, the offset in bytes and what is wrong. */
export class ExtractRefused extends Error {
  readonly reason: RefusalReason
  readonly file: string
  /** Offset in the file at which the damaged or refused blob starts. */
  readonly byte: number

  constructor(reason: RefusalReason, fault: { readonly file: string; readonly byte: number; readonly what: string }) {
    super(`${fault.file} at byte ${fault.byte}: ${fault.what}`)
    this.name = 'ExtractRefused'
    this.reason = reason
    this.file = fault.file
    this.byte = fault.byte
  }
}
