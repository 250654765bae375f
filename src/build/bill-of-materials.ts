// The software bill of materials for the binary, in CycloneDX. It lists Bun and every package in the binary, with
// license and checksum. The same packages always give the same bytes, because the bill contains no time, and its serial
// number is computed from its contents.
import { createHash } from 'node:crypto'
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import { PackageURL } from 'packageurl-js'
import parseSpdx from 'spdx-expression-parse'
import type { Package } from './packages.ts'

const LICENSES = new Contrib.License.Factories.LicenseFactory(parseSpdx)

/** The versions of Quai and of the Bun runtime in the binary. */
export interface Product {
  readonly version: string
  readonly bunVersion: string
}

/** Returns the bill of materials as CycloneDX 1.6 in JSON. */
export function billOfMaterials(product: Product, packages: readonly Package[]): string {
  const quai = new Models.Component(Enums.ComponentType.Application, 'quai', {
    version: product.version,
    bomRef: `quai@${product.version}`,
    licenses: new Models.LicenseRepository([new Models.SpdxLicense('MIT')]),
  })
  const bun = new Models.Component(Enums.ComponentType.Platform, 'bun', {
    version: product.bunVersion,
    bomRef: `bun@${product.bunVersion}`,
    licenses: new Models.LicenseRepository([new Models.SpdxLicense('MIT')]),
  })
  const components = [bun, ...packages.map(toComponent)]
  for (const { bomRef } of components) quai.dependencies.add(bomRef)
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: quai }),
    components: new Models.ComponentRepository(components),
    serialNumber: serialNumberOf([quai, ...components].map(({ bomRef }) => String(bomRef))),
  })
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)
  return `${new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 })}\n`
}

function toComponent({ name, version, license, integrity }: Package): Models.Component {
  const [group, ownName] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = new PackageURL('npm', group, ownName, version).toString()
  return new Models.Component(Enums.ComponentType.Library, ownName ?? name, {
    group,
    version,
    purl,
    bomRef: purl,
    licenses: new Models.LicenseRepository([LICENSES.makeFromString(license)]),
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm['SHA-512'], toHex(integrity)]]),
  })
}

function toHex(integrity: string): string {
  return Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
}

/** A UUID (version 8, RFC 9562) computed from these names. */
function serialNumberOf(names: readonly string[]): string {
  const hex = createHash('sha256').update(names.join('\n')).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return `urn:uuid:${parts.join('-')}`
}
