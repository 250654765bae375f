// Two linters for OpenAPI documents, used by the tests of both APIs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertValidRuleset, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

const REDOCLY = join(import.meta.dir, '../node_modules/.bin/redocly')

/** The number of findings by Redocly's recommended rules. */
export async function redoclyFindings(document: unknown): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'quai-openapi-'))
  try {
    const file = join(folder, 'openapi.json')
    writeFileSync(file, JSON.stringify(document))
    const lint = Bun.spawn([REDOCLY, 'lint', '--format=json', file], {
      stdout: 'pipe',
      stderr: 'pipe',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    const [output] = await Promise.all([new Response(lint.stdout).text(), lint.exited])
    return JSON.parse(output).totals
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The findings of all Spectral rules for OpenAPI except three. */
export async function spectralFindings(document: Record<string, unknown>): Promise<unknown[]> {
  const ruleset: unknown = {
    extends: [[oas, 'all']],
    rules: {
      // The contact would be the operator, who is different for each installation.
      'info-contact': 'off',
      // A license may have an SPDX identifier or a URL in OpenAPI 3.1, but not both. The documents have the identifier.
      'license-url': 'off',
      // Readers see the tags in the order of the document, so the tags are not sorted by name.
      'openapi-tags-alphabetical': 'off',
    },
  }
  assertValidRuleset(ruleset)
  const spectral = new Spectral()
  spectral.setRuleset(ruleset)
  return await spectral.run(document)
}
