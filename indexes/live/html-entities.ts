// Decodes HTML character references: numeric references, and the names in HTML 4, which are the ones that people and
// editors use.

/** The names of the characters U+00A0 to U+00FF, in order. */
const LATIN_NAMES =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave ' +
  'Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc ' +
  'Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc ' +
  'iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
/** The names of other characters, each followed by its character. */
const OTHER_NAMES =
  'amp & lt < gt > quot " apos \' OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ ndash – mdash — lsquo ‘ ' +
  'rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › ' +
  'oline ‾ frasl ⁄ euro € trade ™ larr ← uarr ↑ rarr → darr ↓ harr ↔ crarr ↵ lArr ⇐ uArr ⇑ rArr ⇒ dArr ⇓ hArr ⇔ minus − ' +
  'lowast ∗ radic √ infin ∞ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sum ∑ prod ∏ part ∂ forall ∀ exist ∃ empty ∅ nabla ∇ isin ∈ ' +
  'notin ∉ ni ∋ prop ∝ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ cong ≅ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ ' +
  'otimes ⊗ perp ⊥ sdot ⋅ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦ image ℑ weierp ℘ real ℜ alefsym ℵ Alpha Α Beta Β ' +
  'Gamma Γ Delta Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π Rho Ρ Sigma Σ ' +
  'Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ ' +
  'lambda λ mu μ nu ν xi ξ omicron ο pi π rho ρ sigmaf ς sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω thetasym ϑ ' +
  'upsih ϒ piv ϖ'
/** The names of invisible spaces and marks, with their code points. */
const UNSEEN: readonly (readonly [string, number])[] = [
  ['ensp', 0x2002],
  ['emsp', 0x2003],
  ['thinsp', 0x2009],
  ['zwnj', 0x200c],
  ['zwj', 0x200d],
  ['lrm', 0x200e],
  ['rlm', 0x200f],
]

const CHARACTERS = listCharacters()
/** Matches `&name;`, `&#10;` and `&#x0a;`. The length limits keep the search time linear. */
const REFERENCE = /&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,8}));/g
/**
 * Decodes references to the code points U+0080 to U+009F, which mean Windows-1252 characters (HTML, numeric character
 * reference end state).
 */
const WINDOWS = new TextDecoder('windows-1252')
const REPLACEMENT = '\ufffd'
const MAX_CODE_POINT = 0x10ffff

/** Decodes the character references in a string. Unknown references stay as they are. Takes linear time. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    REFERENCE,
    (reference, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return CHARACTERS.get(name) ?? reference
      return characterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
    },
  )
}

function characterOf(codePoint: number): string {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff
  if (codePoint === 0 || codePoint > MAX_CODE_POINT || isSurrogate) return REPLACEMENT
  return codePoint >= 0x80 && codePoint <= 0x9f
    ? WINDOWS.decode(Uint8Array.of(codePoint))
    : String.fromCodePoint(codePoint)
}

function listCharacters(): ReadonlyMap<string, string> {
  const others = OTHER_NAMES.split(' ')
  return new Map<string, string>([
    ...LATIN_NAMES.split(' ').map((name, place) => [name, String.fromCharCode(0xa0 + place)] as const),
    ...others.flatMap((name, place) => (place % 2 === 0 ? [[name, others[place + 1] ?? ''] as const] : [])),
    ...UNSEEN.map(([name, codePoint]) => [name, String.fromCharCode(codePoint)] as const),
  ])
}
