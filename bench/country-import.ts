// `bun bench/country-import.ts FOLDER` imports the addresses of a generated country as the service does, and prints the
// result. It runs as a separate process, so that the memory use of the import can be measured.
import { join } from 'node:path'
import { importAddresses } from '../src/places/address-store.ts'

const [folder = ''] = process.argv.slice(2)
const started = performance.now()
const { outcome, houseCount, problems } = await importAddresses({
  dataDir: join(folder, 'data'),
  sources: [join(folder, 'addresses.csv')],
})
for (const { rule, count, example } of problems) console.error(`${rule} ${count}: ${example}`)
console.log(JSON.stringify({ outcome, houseCount, seconds: (performance.now() - started) / 1000 }))
