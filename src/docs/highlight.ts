// Colors comments, strings and keywords in the samples of the guides. Command output is not colored.
import { html, type Markup } from '../pages/markup.ts'

/** A quoted string. The samples have no quotes within quotes. */
const STRING = /"[^"\n]*"|'[^'\n]*'/
const HASH_COMMENT = /(?<=^|\s)#.*/
const SLASH_COMMENT = /(?<=^|\s)\/\/.*/
const TS_WORDS = /\b(?:async|await|const|else|export|for|from|function|if|import|let|new|of|return|throw|while)\b/
const PYTHON_WORDS = /\b(?:as|def|else|for|from|if|import|in|not|return|while|with)\b/
const PROMPT = /^\$ /

/** Language → CSS class → the pattern of the code that gets this class. */
const LANGUAGES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  sh: { comment: HASH_COMMENT, string: STRING },
  toml: { comment: HASH_COMMENT, string: STRING },
  python: { comment: HASH_COMMENT, string: STRING, word: PYTHON_WORDS },
  ts: { comment: SLASH_COMMENT, string: STRING, word: TS_WORDS },
  json: { string: STRING },
  console: { prompt: PROMPT },
}

/** A sample with its colored parts in spans; unchanged if the language is unknown. */
export function highlighted(text: string, language: string): readonly (string | Markup)[] {
  const parts = LANGUAGES[language]
  if (parts === undefined) return [text]
  const source = Object.entries(parts).map(([name, { source }]) => `(?<${name}>${source})`)
  const pieces: (string | Markup)[] = []
  let at = 0
  for (const match of text.matchAll(new RegExp(source.join('|'), 'gm'))) {
    const [name] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? ['']
    pieces.push(text.slice(at, match.index), html`<span class="code-${name}">${match[0]}</span>`)
    at = match.index + match[0].length
  }
  return [...pieces, text.slice(at)]
}
