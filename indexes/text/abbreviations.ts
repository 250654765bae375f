// Generic words, and common abbreviations that riders type or that feeds use in names.

/** The numbers that occur in street names, as words. */
const NUMBER_WORDS = 'un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize'.split(
  ' ',
)

/** A number in digits → the same number as a word, and the reverse. */
const NUMBER_FORMS: ReadonlyMap<string, string> = new Map(
  NUMBER_WORDS.flatMap((word, at): [string, string][] => [
    [word, String(at + 1)],
    [String(at + 1), word],
  ]),
)

/** Abbreviation → its expansions. Normalized, lower case. */
const EXPANSIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    // French streets.
    r: 'rue',
    bd: 'boulevard',
    bld: 'boulevard',
    blvd: 'boulevard',
    boul: 'boulevard',
    bvd: 'boulevard',
    av: 'avenue',
    ave: 'avenue',
    pl: 'place',
    plc: 'place',
    crs: 'cours',
    imp: 'impasse',
    ch: 'chemin',
    che: 'chemin',
    chem: 'chemin',
    fg: 'faubourg',
    fbg: 'faubourg',
    sq: 'square',
    all: 'allee allees',
    rte: 'route',
    qu: 'quai',
    q: 'quai',
    pass: 'passage',
    psg: 'passage',
    prom: 'promenade',
    rpt: 'rond point',
    car: 'carrefour',
    carr: 'carrefour',
    res: 'residence',
    lot: 'lotissement',
    ham: 'hameau',
    sen: 'sente sentier',
    sent: 'sente sentier',
    sente: 'sentier',
    esp: 'esplanade',
    vla: 'villa',
    // Saints, ranks and titles.
    st: 'saint sainte street',
    ste: 'sainte',
    sts: 'saints',
    gd: 'grand',
    gde: 'grande',
    gal: 'general',
    gen: 'general',
    mal: 'marechal',
    col: 'colonel',
    cdt: 'commandant',
    cap: 'capitaine',
    cne: 'capitaine',
    lt: 'lieutenant',
    sgt: 'sergent',
    pdt: 'president',
    pres: 'president',
    pr: 'professeur',
    prof: 'professeur',
    dr: 'docteur drive',
    doct: 'docteur',
    mgr: 'monseigneur',
    nd: 'notre',
    // Transit.
    hbf: 'hauptbahnhof',
    bf: 'bahnhof',
    bhf: 'bahnhof',
    univ: 'universite universitat university',
    hop: 'hopital',
    hp: 'hopital',
    cc: 'centre',
    ctre: 'centre',
    ctr: 'center centre',
    mt: 'mont mount',
    str: 'strasse strada',
    stn: 'station',
    sta: 'station',
    // English streets.
    rd: 'road',
    ln: 'lane',
    hwy: 'highway',
    pkwy: 'parkway',
    ct: 'court',
    ter: 'terrace',
    n: 'north',
    s: 'south',
    e: 'east',
    w: 'west',
  }).map(([short, long]) => [short, long.split(' ')]),
)

/** The expansions of an abbreviation; empty for other words. */
export function expansionsOf(word: string): readonly string[] {
  return EXPANSIONS.get(word) ?? []
}

/** The other words that a typed word may mean: its expansions, or the other form of a number. */
export function meaningsOf(typed: string): readonly string[] {
  const number = NUMBER_FORMS.get(typed)
  return number === undefined ? expansionsOf(typed) : [...expansionsOf(typed), number]
}

/** Classes of words, by how much a word helps to identify a place. Significant words, such as `rivoli`, help most. */
export const SIGNIFICANT = 0
/** The type of a street or stop: `rue`, `gare`. */
export const TYPE_WORD = 1
/** An article or a preposition. */
export const LINK_WORD = 2
export type WordClass = typeof SIGNIFICANT | typeof TYPE_WORD | typeof LINK_WORD

const WORD_CLASSES: ReadonlyMap<string, WordClass> = new Map([
  ...classed(TYPE_WORD, [
    'rue avenue boulevard place cours impasse chemin faubourg square allee allees route quai passage promenade sentier',
    'sente esplanade villa cite voie residence lotissement hameau carrefour pont porte street road drive lane court',
    'gare station arret halte terminus metro tram tramway bus stop bahnhof hauptbahnhof',
  ]),
  ...classed(LINK_WORD, [
    'de du des d la le les l a au aux et en sur sous the of and der die das am an im in zum zur do da dos das',
  ]),
])

function classed(as: WordClass, lines: readonly string[]): [string, WordClass][] {
  return lines.flatMap((line) => line.split(' ').map((word): [string, WordClass] => [word, as]))
}

/** The class of a word as it is written in a name. */
export function classOfWord(word: string): WordClass {
  return WORD_CLASSES.get(word) ?? SIGNIFICANT
}

/**
 * The class of a typed word. An abbreviation is a type word if none of its expansions is significant. `st` may be a
 * saint or a street, so it is significant.
 */
export function classOfTyped(word: string): WordClass {
  const own = classOfWord(word)
  const expansions = expansionsOf(word)
  if (own !== SIGNIFICANT || expansions.length === 0) return own
  return expansions.every((long) => classOfWord(long) !== SIGNIFICANT) ? TYPE_WORD : SIGNIFICANT
}
