// Two linters of OpenAPI documents, as the tests of both APIs ask them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertValidRuleset, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

const REDOCLY = join(import.meta.dir, '../node_modules/.bin/redocly')

/** How many findings Redocly's recommended rules have. */
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

/** What Spectral finds by all its rules for OpenAPI but three. */
export async function spectralFindings(document: Record<string, unknown>): Promise<unknown[]> {
  const ruleset: unknown = {
    extends: [[oas, 'all']],
    rules: {
      // Whoever runs the service is to be asked, and is not known here.
      'info-contact': 'off',
      // OpenAPI 3.1 takes an SPDX identifier instead, and forbids both.
      'license-url': 'off',
      // Readers see the groups in this order.
      'openapi-tags-alphabetical': 'off',
    },
  }
  assertValidRuleset(ruleset)
  const spectral = new Spectral()
  spectral.setRuleset(ruleset)
  return await spectral.run(document)
}
