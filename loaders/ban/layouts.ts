// Column names in address files. The layout of the Base Adresse Nationale has changed over the years, and the communes'
// own files have yet another layout. The layouts differ in the order of the columns and in some of their names.

/** Field index of each column; −1 if the file does not have it. */
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

/** For each column, all names that it has in any layout. */
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

/** Finds the columns in a header. If required columns are missing, returns the name of the first of them instead. */
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
