// Stores the contracts of both APIs in tests/golden/, so that additions are checked too from now on. Refuses to store a
// contract that breaks the stored one.
import { join } from 'node:path'
import { apiDocuments } from './api-documents.ts'
import { breakingChanges, contractOf, formatContract } from './contract-gate.ts'

for (const { golden, document } of await apiDocuments()) {
  const file = Bun.file(join(import.meta.dir, 'golden', golden))
  const faults = (await file.exists()) ? breakingChanges(await file.json(), document) : []
  if (faults.length > 0) {
    console.error(`${golden}: not stored, since it would break programs:\n${faults.join('\n')}`)
    process.exitCode = 1
  } else await file.write(`${formatContract(contractOf(document))}\n`)
}
