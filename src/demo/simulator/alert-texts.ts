// The wording of the demo's alerts in French and English. `{0}` and `{1}` are placeholders for the names of lines,
// stops or operators.

/** What an alert can be about. */
export type AlertTopic =
  | 'breakdown'
  | 'accident'
  | 'police'
  | 'works'
  | 'movedStop'
  | 'lift'
  | 'strike'
  | 'event'
  | 'flood'
  | 'survey'
  | 'canceledTrip'
  | 'detour'

/** The wording of an alert in one language. */
interface Wording {
  readonly header: string
  readonly description: string
}

/** The wording of an alert in both languages. */
export interface AlertText {
  readonly fr: Wording
  readonly en: Wording
}

/** Returns the wording for a topic, with names filled in. */
export function writeAlert(topic: AlertTopic, names: readonly string[]): AlertText {
  const fill = (text: string): string => text.replace(/\{(\d)\}/g, (_, place: string) => names[Number(place)] ?? '')
  const { fr, en } = TEXTS[topic]
  return {
    fr: { header: fill(fr[0]), description: fill(fr[1]) },
    en: { header: fill(en[0]), description: fill(en[1]) },
  }
}

type Pair = readonly [header: string, description: string]

const TEXTS: Readonly<Record<AlertTopic, { readonly fr: Pair; readonly en: Pair }>> = {
  breakdown: {
    fr: ['Ligne {0} : trafic ralenti', 'Panne d’un véhicule vers {1}. Prévoyez 10 à 15 minutes de plus.'],
    en: ['Line {0}: slow service', 'A vehicle has broken down near {1}. Allow 10 to 15 more minutes.'],
  },
  accident: {
    fr: ['Ligne {0} : trafic réduit', 'Accident de la circulation vers {1}. Certains départs ne sont pas assurés.'],
    en: ['Line {0}: reduced service', 'Road accident near {1}. Some departures will not run.'],
  },
  police: {
    fr: ['Ligne {0} : fortes perturbations', 'Intervention de police à {1}. La ligne est très perturbée.'],
    en: ['Line {0}: severe disruption', 'Police operation at {1}. Service is severely disrupted.'],
  },
  works: {
    fr: [
      'Travaux à {1} : ligne {0} déviée',
      'Trois soirées de travaux : la ligne {0} passe par les rues voisines de {1}.',
    ],
    en: ['Roadwork at {1}: line {0} diverted', 'Three evenings of roadwork: line {0} uses the streets around {1}.'],
  },
  movedStop: {
    fr: ['{0} : arrêt déplacé', 'L’arrêt {0} est reporté de 80 mètres pendant des travaux de voirie.'],
    en: ['{0}: stop moved', 'The stop {0} has been moved 80 meters during roadwork.'],
  },
  lift: {
    fr: ['{0} : ascenseur en panne', 'L’accès 2 de {0} est sans ascenseur. La réparation est en cours.'],
    en: ['{0}: elevator out of order', 'Entrance 2 of {0} has no elevator. Repairs are under way.'],
  },
  strike: {
    fr: ['Mouvement social chez {0}', 'Service réduit sur toutes les lignes de {0}. Vérifiez votre départ.'],
    en: ['Industrial action at {0}', 'Reduced service on all lines of {0}. Check your departure.'],
  },
  event: {
    fr: ['Match au Stade de la Loire : renforts', 'Départs supplémentaires sur {0} avant et après le match.'],
    en: ['Match at Stade de la Loire: extra service', 'Extra departures on {0} before and after the match.'],
  },
  flood: {
    fr: ['Crue de la Loire : bacs à l’arrêt', 'Les bacs ne circulent pas tant que le courant est trop fort.'],
    en: ['Loire in flood: ferries stopped', 'Ferries do not run while the current is too strong.'],
  },
  survey: {
    fr: ['Votre avis nous intéresse', 'Répondez en ligne à l’enquête annuelle sur vos déplacements.'],
    en: ['Tell us what you think', 'Take our annual online survey about how you travel.'],
  },
  canceledTrip: {
    fr: ['Ligne {0} : un départ supprimé', 'Un départ de la ligne {0} vers {1} n’est pas assuré.'],
    en: ['Line {0}: one departure canceled', 'One departure on line {0} to {1} will not run.'],
  },
  detour: {
    fr: [
      'Ligne {0} : arrêts non desservis',
      'Manifestation : la ligne {0} est déviée et ne dessert pas certains arrêts.',
    ],
    en: ['Line {0}: stops not served', 'Demonstration: line {0} is diverted and skips some stops.'],
  },
}
