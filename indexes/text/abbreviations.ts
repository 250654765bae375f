// Common abbreviations in names, in search input and feeds, and generic words. Handles words, not places.

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

const GENERIC_WORDS: ReadonlySet<string> = new Set(
  [
    'rue avenue boulevard place cours impasse chemin faubourg square allee allees route quai passage promenade sentier',
    'sente esplanade villa cite voie residence lotissement hameau carrefour pont porte street road drive lane court',
    'de du des d la le les l a au aux et en sur sous the of and der die das am an im in zum zur do da dos das',
  ].flatMap((words) => words.split(' ')),
)

/** Whether a word alone does not identify a name: a street type or an article. */
export function isGenericWord(word: string): boolean {
  return GENERIC_WORDS.has(word)
}
