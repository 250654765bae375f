// The towns of postal addresses. Each commune is a town, except that all communes of a divided city are one town.

/** The town of a commune in postal addresses. */
export function postalTown(communeName: string): string {
  return communeName.replace(DISTRICT, '')
}

/** Paris, Lyon and Marseille are divided into communes that postal addresses do not use. */
const DISTRICT = / \d{1,2}(?:er|e|ème|eme) arrondissement$/i
