// The town names in postal addresses. Each commune is a town, except in Paris, Lyon and Marseille: all communes of such
// a city are one town.

/** The name of the town to which a commune belongs in postal addresses. */
export function postalTown(communeName: string): string {
  return communeName.replace(DISTRICT, '')
}

/**
 * Matches the ending of a commune's name if the commune is a district of Paris, Lyon or Marseille. Postal addresses do
 * not use these communes.
 */
const DISTRICT = / \d{1,2}(?:er|e|ème|eme) arrondissement$/i
