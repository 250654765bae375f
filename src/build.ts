// `bun run build`: writes the binary (dist/quai), its bill of materials (dist/quai.cdx.json) and the client
// (dist/quai-client.tgz).
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { billOfMaterials } from './build/bill-of-materials.ts'
import { writeClient } from './build/client.ts'
import { compile, prepareParts, ROOT } from './build/compile.ts'
import { VERSION } from './system/version.ts'

const OUT = join(ROOT, 'dist', 'quai')

mkdirSync(join(ROOT, 'dist'), { recursive: true })
const started = performance.now()
const parts = await prepareParts()
await compile(OUT, parts)
writeFileSync(`${OUT}.cdx.json`, billOfMaterials({ version: VERSION, bunVersion: Bun.version }, parts.packages))
await writeClient(join(ROOT, 'dist', 'quai-client.tgz'))
const megabytes = (statSync(OUT).size / 1e6).toFixed(1)
console.log(`dist/quai: ${megabytes} MB in ${((performance.now() - started) / 1000).toFixed(1)} s`)
