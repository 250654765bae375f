// Which column of a file of addresses means what. The layouts of the Base Adresse Nationale, from the first to the
// present one, and those of the communes' own files differ in order and in some names.

/** What is read of a row; −1 where the file has no such column. */
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

/** Without one of these a file is no file of addresses. */
const REQUIRED = ['id', 'name', 'commune', 'lat', 'lon'] as const satisfies readonly (keyof Layout)[]

/** The columns of a header; the name of the first one that is missing, if it is no such file. */
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
