// Reads the samples from the Markdown of the guides. A fenced block in sh, ts or python is a sample, which a test runs.
// The fenced `text` block after it is its expected output, in which `…` stands for any characters within a line.
import { guideText } from '../../src/docs/guide-page.ts'
import type { Guide } from '../../src/docs/guides.ts'

/** The languages of samples. */
export type SampleLanguage = 'sh' | 'ts' | 'python'

/** A sample that can be run. */
export interface Sample {
  readonly guide: string
  /** The sample's number in its guide, from 1. */
  readonly number: number
  readonly language: SampleLanguage
  readonly code: string
  readonly printed: string
}

/**
 * Languages of blocks that are not samples. tests/architecture/documents.test.ts checks their commands and settings.
 */
const SHOWN: ReadonlySet<string> = new Set(['console', 'toml', 'json', 'nginx', 'caddyfile', 'haproxy'])
const FENCE = /^```(\w+)\n([\s\S]*?)^```$/gm

/** All samples in a guide, in order. Throws if a sample has no output, or if an output has no sample. */
export function samplesOf(guide: Guide): Sample[] {
  const { name } = guide
  const blocks = [...guideText(guide).matchAll(FENCE)].map(([, language = '', code = '']) => ({ language, code }))
  const samples: Sample[] = []
  for (const [at, { language, code }] of blocks.entries()) {
    if (SHOWN.has(language)) continue
    if (language === 'text') {
      if (!isSampleLanguage(blocks[at - 1]?.language)) throw new Error(`${name}: nothing prints ${code}`)
      continue
    }
    if (!isSampleLanguage(language)) throw new Error(`${name}: nothing runs ${language}`)
    const next = blocks[at + 1]
    if (next?.language !== 'text') throw new Error(`${name}: the following code has no output:\n${code}`)
    samples.push({ guide: name, number: samples.length + 1, language, code, printed: next.code })
  }
  return samples
}

/** Whether `printed`, the actual output of a sample, matches `output`, the expected output in the guide. */
export function isPrinted(output: string, printed: string): boolean {
  const parts = output
    .trimEnd()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^\\n]*')}$`).test(printed.trimEnd())
}

function isSampleLanguage(language: string | undefined): language is SampleLanguage {
  return language === 'sh' || language === 'ts' || language === 'python'
}
