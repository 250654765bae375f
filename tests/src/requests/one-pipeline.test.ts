// Tests that all requests go through one pipeline. Fails if a second file checks framing, credentials or units by
// itself.
import { expect, test } from 'bun:test'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')

/** Path → the content of a source file without its comments. */
const sources = new Map(
  [...new Bun.Glob('src/**/*.ts').scanSync(ROOT)].map((path): [string, Promise<string>] => [
    path,
    Bun.file(join(ROOT, path))
      .text()
      .then((text) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')),
  ]),
)

const CALLED_ONCE = [
  ['the framing check', /(?<!function )\bfindFramingFault\(/, 'src/requests/account-pipeline.ts'],
  ['the check of credentials', /\bgate\.authenticate\(/, 'src/requests/pipeline.ts'],
  ['the reservation of units', /\bgate\.reserve\(/, 'src/requests/pipeline.ts'],
  ['a reservation for the pipeline', /\bpassage\.reserve\(/, 'src/requests/pipeline.ts'],
  ['the charge', /\bgate\.charge\(/, 'src/requests/pipeline.ts'],
] as const

test.each(CALLED_ONCE)('%s is called in one file', async (_what, call, file) => {
  const callers: string[] = []
  for (const [path, text] of sources) {
    if (path.startsWith('src/access/') || path.startsWith('src/metrics/')) continue // these folders wrap the gate itself
    if (call.test(await text)) callers.push(path)
  }
  expect(callers).toEqual([file])
})
