// Column names of address files. The layouts of the Base Adresse Nationale over the years, and those of the communes'
// own files, differ in order and in some names.

/** The columns that are read; −1 if the file does not have one. */
export interface Layout {
  readonly id: number
  readonly fantoir: number
  readonly number: number
  readonly suffix: number
  readonly name: number
  readonly lieuDit: number
  readonly postcode: number
  readonly communeCode: number
  readonly commune: number
  readonly formerCommune: number
  readonly lat: number
  readonly lon: number
}

/** The names of each column over the years. */
const NAMES: Readonly<Record<keyof Layout, readonly string[]>> = {
  id: ['id', 'cle_interop'],
  fantoir: ['id_fantoir'],
  number: ['numero'],
  suffix: ['rep', 'suffixe'],
  name: ['nom_voie', 'voie_nom', 'nom_lieu_dit'],
  lieuDit: ['nom_ld', 'lieudit_complement_nom'],
  postcode: ['code_postal', 'code_post'],
  communeCode: ['code_insee', 'commune_insee'],
  commune: ['nom_commune', 'commune_nom'],
  formerCommune: ['nom_ancienne_commune', 'commune_deleguee_nom'],
  lat: ['lat', 'latitude'],
  lon: ['lon', 'long', 'longitude'],
}

/** A file without one of these columns is not an address file. */
const REQUIRED = ['id', 'name', 'commune', 'lat', 'lon'] as const satisfies readonly (keyof Layout)[]

/** Finds the columns in a header; returns the name of the first missing one if it is not an address file. */
export function findLayout(header: readonly string[]): Layout | { readonly missing: string } {
  const find = (meaning: keyof Layout) => header.findIndex((name) => NAMES[meaning].includes(name))
  const missing = REQUIRED.find((meaning) => find(meaning) < 0)
  if (missing !== undefined) return { missing: NAMES[missing].join(' or ') }
  return {
    id: find('id'),
    fantoir: find('fantoir'),
    number: find('number'),
    suffix: find('suffix'),
    name: find('name'),
    lieuDit: find('lieuDit'),
    postcode: find('postcode'),
    communeCode: find('communeCode'),
    commune: find('commune'),
    formerCommune: find('formerCommune'),
    lat: find('lat'),
    lon: find('lon'),
  }
}
