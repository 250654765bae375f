// French names for the streets, communes and places of a fictional city. The names are composed of common words, so
// that none is taken from a real city.
import { pick, type Random } from './seeded-random.ts'

/** Name of the demo city, and of its first commune. */
export const CITY_NAME = 'Valmont-sur-Loire'

/** A street's full name, and the short form that is used as the name of a stop in the street. */
export interface StreetName {
  readonly full: string
  readonly short: string
}

/**
 * Each line below has an article and the words that can follow it. A stop's name is the word alone, or "Les" and the
 * word if the word is plural.
 */
const WORDS = words(`
de l'|Église|Abbaye|Hôtel-Dieu|Écluse|Étang|Orangerie|Observatoire|Arsenal|Ancien Lavoir|Ormeau|Abreuvoir|Octroi|Horloge|Île aux Moines|Épine|Oratoire|Enclos|Étoile|Aqueduc|Ermitage
de la|Fontaine|Vallée|Garenne|Croix Blanche|Tuilerie|Forge|Chapelle|Prairie|Grange aux Dîmes|Liberté|Paix|Fraternité|Bascule|Barre|Tannerie|Corderie|Levée|Poterne|Madeleine|Pommeraie|Roseraie|Batellerie|Poste|Verrerie|Gloriette|Huchette|Motte|Croix de Fer|Sablière|Châtaigneraie|Treille|Chaussée|Lanterne|Fonderie
du|Moulin|Pont Neuf|Château d'Eau|Vieux Bourg|Lavoir|Champ de Mars|Clos|Chêne Vert|Puits|Four à Chaux|Pressoir|Port|Gué|Colombier|Faubourg|Bac|Grand Pré|Ruisseau|Val|Marché|Coteau|Bois Joli|Verger|Rempart|Cloître|Petit Bois|Théâtre|Jardin des Plantes|Mail|Quartz|Calvaire|Commerce|Prieuré|Beffroi|Vieux Port|Manège|Carroi
des|Érables|Tilleuls|Acacias|Peupliers|Tanneurs|Carmes|Ursulines|Cordeliers|Lilas|Vignes|Saules|Mariniers|Tisserands|Jardins|Halles|Remparts|Alouettes|Hirondelles|Cerisiers|Platanes|Glycines|Bateliers|Marronniers|Fauvettes|Chênes|Vergers|Bleuets|Trois Fontaines|Quatre Vents|Deux Ponts|Fougères|Noyers|Mésanges|Capucins|Pêcheurs|Bouvreuils|Genêts|Sources|Sorbiers|Charmes|Aubépines|Métiers|Pépinières
|Victor Hugo|Pasteur|Jean Jaurès|Marie Curie|Voltaire|George Sand|Émile Zola|Louise Michel|Gambetta|Lamartine|Ronsard|Rabelais|Descartes|Ampère|Molière|Racine|Berlioz|Debussy|Jules Ferry|Victor Schœlcher|Hector Malot|Jules Verne|Honoré de Balzac|Alfred de Vigny|Arago|Carnot|Diderot|Montesquieu|Rouget de Lisle|Olympe de Gouges|Sophie Germain|Flora Tristan|Rosa Bonheur|Berthe Morisot|Camille Claudel|Saint-Martin|Saint-Nicolas|Sainte-Anne|Saint-Éloi|Saint-Jacques|Sainte-Geneviève|Saint-Clément|Saint-Hilaire|Notre-Dame|Beauséjour|Bellevue|Beauregard|Sans-Souci|Mirabeau|Turgot|Vauban|Colbert|La Fontaine|La Bruyère|Fénelon|Lavoisier|Monge|Becquerel|Champollion|Chateaubriand|Stendhal|Musset|Verlaine|Baudelaire|Gounod|Bizet|Rameau|Corot|Courbet|Delacroix|Millet
`)

const STREET_KINDS = ['Rue', 'Rue', 'Rue', 'Rue', 'Rue', 'Rue', 'Allée', 'Chemin', 'Rue', 'Cours']

const PLACE_FORMS = ['Mairie', 'Centre', 'Gare', 'Halles', 'Collège', 'Stade', 'Piscine', 'Médiathèque'] as const

/**
 * Places of the first commune. `away` is the distance from the commune's center in meters. `turn` is the direction from
 * the center, counterclockwise from east, as a fraction of a full circle.
 */
export const CENTRAL_PLACES: readonly { readonly name: string; readonly away: number; readonly turn: number }[] = [
  { name: 'Place de la République', away: 0, turn: 0 },
  { name: 'Gare Centrale', away: 950, turn: 0.14 },
  { name: 'Hôtel de Ville', away: 420, turn: 0.55 },
  { name: 'Opéra', away: 560, turn: 0.32 },
  { name: 'Cathédrale Saint-Maurice', away: 480, turn: 0.83 },
  { name: 'Porte des Arts', away: 1500, turn: 0.45 },
  { name: 'Hôpital Saint-Jean', away: 3100, turn: 0.4 },
  { name: 'Université – Les Deux Rives', away: 4400, turn: 0.1 },
  { name: 'Stade de la Loire', away: 3300, turn: 0.93 },
  { name: 'Parc des Expositions', away: 4700, turn: 0.24 },
  { name: 'Technopôle', away: 5300, turn: 0.6 },
  { name: 'Aéroport', away: 6000, turn: 0.33 },
  { name: 'Zénith', away: 3700, turn: 0.7 },
  { name: 'Lycée Sophie Germain', away: 2400, turn: 0.57 },
  { name: "Pôle d'Échanges Sud", away: 2600, turn: 0.8 },
]

/** The places around every center but the first. The members have the same meaning as in CENTRAL_PLACES. */
export const OTHER_PLACES: typeof CENTRAL_PLACES = CENTRAL_PLACES.map((place, index) => ({
  ...place,
  name:
    ['Grand-Place', 'Gare', 'Mairie', 'Halles', 'Basilique', 'Porte Neuve', 'Clinique', 'Campus', 'Stade'][index] ??
    place.name,
}))

/**
 * A random name for a commune, such as `Montreuil` or `Montreuil-le-Haut`. Another commune may already have this name.
 */
export function composeCommune(random: Random): string {
  const first = pick(random, COMMUNE_FIRSTS)
  const tail = pick(random, COMMUNE_TAILS)
  return `${first}${tail}`
}

/** The name of a stop at a commune's center. */
export function communePlace(commune: string, index: number): string {
  return `${commune} – ${PLACE_FORMS[index % PLACE_FORMS.length]}`
}

/**
 * A random name for a street. `rank` is 2 for an avenue, 1 for a boulevard, otherwise 0. The name may already be in
 * use.
 */
export function composeStreet(random: Random, rank: number): StreetName {
  const word = pick(random, WORDS)
  const kind = rank === 2 ? 'Avenue' : rank === 1 ? 'Boulevard' : pick(random, STREET_KINDS)
  return {
    full: `${kind} ${word.article}${word.name}`,
    short: word.article === 'des ' ? `Les ${word.name}` : word.name,
  }
}

/** A random name for a ferry landing. The name may already be in use. */
export function composeLanding(random: Random): string {
  const word = pick(random, WORDS)
  return `${pick(random, LANDING_KINDS)} ${word.article}${word.name}`
}

/** Composes a name that is not in `taken`, and adds it to `taken`. After 40 tries, adds a number to the last name. */
export function takeName(taken: Set<string>, compose: () => string): string {
  const tries = 40
  let name = compose()
  for (let i = 0; taken.has(name) && i < tries; i++) name = compose()
  let number = 2
  const base = name
  while (taken.has(name)) name = `${base} ${number++}`
  taken.add(name)
  return name
}

/** Converts a name for use in an id: lowercase letters, digits and single dashes. */
export function toSlug(name: string): string {
  return name
    .replaceAll('œ', 'oe')
    .replaceAll('Œ', 'Oe')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

const LANDING_KINDS = ['Quai', 'Port', 'Embarcadère', 'Cale']

const COMMUNE_FIRSTS = [
  'Saint-Aubin',
  'Saint-Rémy',
  'Saint-Genès',
  'Sainte-Radegonde',
  'Saint-Cyprien',
  'Saint-Étienne',
  'Montreuil',
  'Villebrune',
  'Beaumesnil',
  'Chanteloup',
  'Rochefleur',
  'Bréhaumont',
  'Fontclaire',
  'Clairval',
  'Hautefeuille',
  'Mareuil',
  'Noyelles',
  'Pontlieue',
  'Courcelles',
  'Ligneuil',
  'Vernoux',
  'Aubigné',
  'Champtocé',
  'Brissandre',
  'Varennes',
  'Orvault',
  'Savigné',
  'Thouarcelles',
  'Échigné',
  'Lussières',
]

const COMMUNE_TAILS = [
  '',
  '',
  '-le-Château',
  '-les-Vignes',
  '-sur-Loire',
  '-en-Vallée',
  '-la-Forêt',
  '-le-Vieil',
  '-aux-Bois',
  '-des-Prés',
  '-lès-Valmont',
  "-l'Abbaye",
  '-la-Rivière',
  '-le-Haut',
  '-le-Bas',
  '-sous-Coteau',
  '-les-Tours',
  '-du-Désert',
  '-la-Plaine',
  '-sur-Aubraie',
]

function words(table: string): { readonly article: string; readonly name: string }[] {
  return table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [article, ...names] = line.split('|')
      const space = article === '' || article.endsWith("'") ? '' : ' '
      return names.map((name) => ({ article: `${article}${space}`, name }))
    })
}
