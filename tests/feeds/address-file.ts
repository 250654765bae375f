// Test addresses as text: rows in the current format of the Base Adresse Nationale, and files made of such rows.
import { type AddressIndex, buildAddressIndex } from '../../indexes/places/address-index.ts'
import { type AddressFile, type LoadedAddresses, loadAddresses } from '../../loaders/ban/load-addresses.ts'

/** The header row of the current format, with 23 columns. */
export const PRESENT_HEADER =
  'id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;' +
  'nom_ancienne_commune;x;y;lon;lat;type_position;alias;nom_ld;libelle_acheminement;nom_afnor;source_position;' +
  'source_nom_voie;certification_commune;cad_parcelles'

/** The address in one row of an address file. */
export interface AddressRow {
  readonly streetId: string
  readonly number: number
  readonly suffix?: string
  readonly street: string
  readonly postcode: string
  readonly communeCode: string
  readonly commune: string
  readonly lat: number
  readonly lon: number
}

/** The id of a row, formed like the ids in the Base Adresse Nationale. */
export function rowId({ streetId, number, suffix }: AddressRow): string {
  const digits = String(number).padStart(5, '0')
  return suffix === undefined ? `${streetId}_${digits}` : `${streetId}_${digits}_${suffix}`
}

/** A row in the current format. */
export function presentRow(row: AddressRow): string {
  const { number, suffix = '', street, postcode, communeCode, commune, lat, lon } = row
  return `${rowId(row)};;${number};${suffix};${street};${postcode};${communeCode};${commune};;;0;0;${lon};${lat};entrée;;;${commune};;commune;commune;1;`
}

/** A file of rows in the current format. */
export function presentFile(rows: readonly AddressRow[]): string {
  return [PRESENT_HEADER, ...rows.map(presentRow), ''].join('\n')
}

/** An address file with this content. It is read in chunks of `chunkBytes`. */
export function addressFile(bytes: string | Uint8Array, chunkBytes = 1 << 16, name = 'addresses.csv'): AddressFile {
  const whole = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
  return {
    name,
    async *open() {
      for (let at = 0; at < whole.length; at += chunkBytes) yield whole.slice(at, at + chunkBytes)
    },
  }
}

/** Loads addresses from strings. Each string is the content of one file. */
export function loadText(...texts: readonly string[]): Promise<LoadedAddresses> {
  return loadAddresses(texts.map((text, at) => addressFile(text, 1 << 16, `addresses-${at}.csv`)))
}

/** The address index of some rows. */
export async function indexOf(rows: readonly AddressRow[]): Promise<AddressIndex> {
  return buildAddressIndex((await loadText(presentFile(rows))).addresses)
}
