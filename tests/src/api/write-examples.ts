// Writes the document's example answers anew.
import { join } from 'node:path'
import { exampleAnswers } from './example-answers.ts'

const path = join(import.meta.dir, '../../../src/api/examples.json')
await Bun.write(path, `${JSON.stringify(await exampleAnswers(), null, 2)}\n`)
