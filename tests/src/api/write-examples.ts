// Writes the example responses for the OpenAPI document, formatted like the repository. This is a part of `bun run
// contracts`.
import { join } from 'node:path'
import { exampleAnswers } from './example-answers.ts'

const root = join(import.meta.dir, '../../..')
const path = join(root, 'src/api/examples.json')
await Bun.write(path, `${JSON.stringify(await exampleAnswers(), null, 2)}\n`)
const formatter = Bun.spawn([join(root, 'node_modules/.bin/biome'), 'format', '--write', path], { stdout: 'ignore' })
process.exit(await formatter.exited)
