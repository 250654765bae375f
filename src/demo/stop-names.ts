// Names for the stops of the demo city, as French networks give them: each one once.
import type { Chance } from './random.ts'

/** Names of the places where many lines meet, the greatest first. */
export const HUB_NAMES = [
  'Gare Centrale',
  'Place de la République',
  'Hôtel de Ville',
  'Les Halles',
  'Pont Neuf',
  'Palais de Justice',
  'Université',
  'Hôpital Saint-Jean',
]

const PEOPLE = [
  'Jean Jaurès',
  'Victor Hugo',
  'Jules Ferry',
  'Marie Curie',
  'Émile Zola',
  'George Sand',
  'Louise Michel',
  'Léon Blum',
  'Simone Veil',
  'Aristide Briand',
  'Claude Debussy',
  'Berthe Morisot',
  'Jules Verne',
  'Ampère',
  'Pasteur',
  'Voltaire',
  'Molière',
  'Rabelais',
  'Olympe de Gouges',
  'Joséphine Baker',
  'Gustave Eiffel',
  'Hélène Boucher',
  'Lamartine',
  'Colette',
  'Descartes',
  'Lucie Aubrac',
  'Jean Moulin',
  'Rosa Parks',
  'Camille Claudel',
  'Stendhal',
  'Condorcet',
  'Flora Tristan',
]
const SAINTS = ['Martin', 'Éloi', 'Anne', 'Nicolas', 'Symphorien', 'Gatien', 'Barbe', 'Maurice', 'Clotilde', 'Roch']
const NATURE = [
  'Érables',
  'Tilleuls',
  'Acacias',
  'Grands Champs',
  'Aubépines',
  'Saules',
  'Peupliers',
  'Coteaux',
  'Quatre Vents',
  'Sources',
  'Bleuets',
  'Genêts',
  'Mésanges',
  'Hirondelles',
  'Alouettes',
  'Vignes',
  'Noyers',
  'Fontaines',
  'Prés Hauts',
  'Carrières',
]
const TRADES = [
  'Tanneurs',
  'Forges',
  'Tisserands',
  'Bateliers',
  'Tonneliers',
  'Meuniers',
  'Maraîchers',
  'Potiers',
  'Verriers',
  'Cordeliers',
]

type Form = (chance: Chance) => string

const feminine = (name: string) => (/^(Anne|Barbe|Clotilde)$/.test(name) ? 'Sainte' : 'Saint')

const FORMS: readonly Form[] = [
  (chance) => chance.pick(PEOPLE),
  (chance) => `Collège ${chance.pick(PEOPLE)}`,
  (chance) => `Lycée ${chance.pick(PEOPLE)}`,
  (chance) => `Stade ${chance.pick(PEOPLE)}`,
  (chance) => `Square ${chance.pick(PEOPLE)}`,
  (chance) => `Mairie ${chance.pick(PEOPLE)}`,
  (chance) => `Place ${chance.pick(PEOPLE)}`,
  (chance) => `Avenue ${chance.pick(PEOPLE)}`,
  (chance) => `École ${chance.pick(PEOPLE)}`,
  (chance) => `Théâtre ${chance.pick(PEOPLE)}`,
  (chance) => `Médiathèque ${chance.pick(PEOPLE)}`,
  (chance) => `Piscine ${chance.pick(PEOPLE)}`,
  (chance) => `Pont ${chance.pick(PEOPLE)}`,
  (chance) => `Cité des ${chance.pick(NATURE)}`,
  (chance) => `Chemin des ${chance.pick(NATURE)}`,
  (chance) => `Résidence des ${chance.pick(NATURE)}`,
  (chance) => `Cour des ${chance.pick(TRADES)}`,
  (chance) => `Passage des ${chance.pick(TRADES)}`,
  (chance) => `Les ${chance.pick(NATURE)}`,
  (chance) => `Clos des ${chance.pick(NATURE)}`,
  (chance) => `Parc des ${chance.pick(NATURE)}`,
  (chance) => `Allée des ${chance.pick(NATURE)}`,
  (chance) => `Quai des ${chance.pick(TRADES)}`,
  (chance) => `Rue des ${chance.pick(TRADES)}`,
  (chance) => `Porte des ${chance.pick(TRADES)}`,
  (chance) => `Moulin des ${chance.pick(TRADES)}`,
  (chance) => {
    const saint = chance.pick(SAINTS)
    return `${feminine(saint)}-${saint}`
  },
  (chance) => {
    const saint = chance.pick(SAINTS)
    return `Église ${feminine(saint)}-${saint}`
  },
]

/** Gives out names; a second meeting with a name adds what tells it apart. */
export class CityNames {
  private readonly chance: Chance
  private readonly taken = new Set<string>(HUB_NAMES)

  constructor(chance: Chance) {
    this.chance = chance
  }

  next(): string {
    for (let tries = 0; tries < 400; tries++) {
      const name = this.chance.pick(FORMS)(this.chance)
      if (this.take(name)) return name
    }
    // A large city has used up the plain names: two of them make another.
    for (;;) {
      const name = `${this.chance.pick(FORMS)(this.chance)} - ${this.chance.pick(FORMS)(this.chance)}`
      if (this.take(name)) return name
    }
  }

  private take(name: string): boolean {
    if (this.taken.has(name)) return false
    this.taken.add(name)
    return true
  }
}
