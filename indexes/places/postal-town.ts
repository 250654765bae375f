// The town names in postal addresses. Each commune is a town, except in Paris, Lyon and Marseille: all communes of such
// a city are one town.

/** The name of the town to which a commune belongs in postal addresses. */
export function postalTown(communeName: string): string {
  return communeName.replace(DISTRICT, '')
}

/**
 * The ending of the names of the communes into which Paris, Lyon and Marseille are divided. Postal addresses do not use
 * these communes.
 */
const DISTRICT = / \d{1,2}(?:er|e|ème|eme) arrondissement$/i
