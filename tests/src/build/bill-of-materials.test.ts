// Tests the binary's bill of materials and license texts. Fails if a package of the service is missing, if the bill is
// not valid CycloneDX, or if two bills of the same packages differ in any byte.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { billOfMaterials } from '../../../src/build/bill-of-materials.ts'
import { formatLicenses } from '../../../src/build/licenses.ts'
import { listPackages } from '../../../src/build/packages.ts'
import { SIZE } from '../../size.ts'
import { slowTest } from '../../slow-test.ts'

const ROOT = join(import.meta.dir, '..', '..', '..')
const PRODUCT = { version: '1.2.3', bunVersion: '1.4.5' }
// Bundling everything takes seconds, so quick runs skip it.
const packages = SIZE === 'quick' ? [] : await listPackages(ROOT)
const names = packages.map(({ name }) => name)

slowTest('every package of the service is listed, with its dependencies', () => {
  const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  )
  expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)))
  expect(names).toEqual(expect.arrayContaining(['memoirist', 'earcut', 'protobufjs']))
  expect(names).not.toContain('fast-check')
})

slowTest('the bill of materials is CycloneDX 1.6, and the same packages give the same bytes', async () => {
  const bill = billOfMaterials(PRODUCT, packages)
  expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(bill)).toBeNull()
  expect(billOfMaterials(PRODUCT, [...packages].reverse())).not.toContain('timestamp')
  expect(billOfMaterials(PRODUCT, packages)).toBe(bill)
  const { components, serialNumber } = JSON.parse(bill)
  expect(components.length).toBe(packages.length + 1)
  expect(billOfMaterials(PRODUCT, packages.slice(1))).not.toContain(serialNumber)
  const typebox = components.find(({ purl }: { purl?: string }) => purl?.startsWith('pkg:npm/%40sinclair/typebox@'))
  expect(typebox).toMatchObject({
    group: '@sinclair',
    name: 'typebox',
    licenses: [{ license: { id: 'MIT' } }],
    hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
  })
})

slowTest('the licenses list each package with its text', () => {
  const text = formatLicenses(packages)
  for (const { name, version, licenseText } of packages) {
    expect(text).toContain(`\n${name} ${version}\nLicense: `)
    expect(text).toContain(licenseText)
  }
  expect(text.startsWith(`Quai\n\n${readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim()}`)).toBe(true)
})

const binary = process.env['QUAI_BINARY']
test.skipIf(binary === undefined)(
  'the binary contains no folder names from the build machine, and prints its licenses',
  () => {
    expect(readFileSync(String(binary)).includes(ROOT)).toBe(false)
    const { stdout, exitCode } = Bun.spawnSync([String(binary), 'licenses'])
    expect([exitCode, stdout.toString()]).toEqual([0, formatLicenses(packages)])
  },
)
