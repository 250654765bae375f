// The search words of stops and areas: each distinct word of a name or code, with the stops and areas that have it.
import { columnArray, sealColumn } from '../../loaders/columns.ts'
import { type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'
import { normalizeWords } from '../text/normalize.ts'
import type { Areas, Stops, StopWords } from './timetable.ts'

type Named = Pick<Stops, 'name' | 'code'> | Pick<Areas, 'name' | 'code'>

/** Builds the search words. A posting is a stop index or, for an area, the number of stops plus the area index. */
export function buildStopWords(
  strings: StringPool,
  stops: Pick<Stops, 'name' | 'code'>,
  areas: Pick<Areas, 'name' | 'code'>,
): StopWords {
  const postings = new Map<string, number[]>()
  const wordsOfText = new Map<number, string[]>()
  const wordsOf = (text: number): string[] => {
    return wordsOfText.getOrInsertComputed(text, () => normalizeWords(textOf(strings, text as StringIndex)))
  }
  const post = (named: Named, firstNumber: number) => {
    const names = columnArray(named.name)
    const codes = columnArray(named.code)
    for (let i = 0; i < names.length; i++) {
      const words = new Set([...wordsOf(names[i]), ...wordsOf(codes[i])])
      for (const word of words) {
        postings.getOrInsertComputed(word, () => []).push(firstNumber + i)
      }
    }
  }
  post(stops, 0)
  post(areas, stops.name.length)
  return toColumns(postings)
}

function toColumns(postings: ReadonlyMap<string, readonly number[]>): StopWords {
  const encoder = new TextEncoder()
  // Without a comparison function, `sort` compares UTF-16 code units.
  const tokens = [...postings.keys()].sort()
  const bytes = tokens.map((token) => encoder.encode(token))
  const tokenOffset = new Uint32Array(tokens.length + 1)
  const postingOffset = new Uint32Array(tokens.length + 1)
  for (const [i, token] of tokens.entries()) {
    tokenOffset[i + 1] = tokenOffset[i] + (bytes[i]?.length ?? 0)
    postingOffset[i + 1] = postingOffset[i] + (postings.get(token)?.length ?? 0)
  }
  const tokenBytes = new Uint8Array(tokenOffset[tokens.length])
  const posting = new Uint32Array(postingOffset[tokens.length])
  for (const [i, token] of tokens.entries()) {
    tokenBytes.set(bytes[i] ?? [], tokenOffset[i])
    posting.set(postings.get(token) ?? [], postingOffset[i])
  }
  return {
    tokenBytes: sealColumn(tokenBytes),
    tokenOffset: sealColumn(tokenOffset),
    postingOffset: sealColumn(postingOffset),
    posting: sealColumn(posting),
  }
}
