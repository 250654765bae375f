// Tests that `[networks.planner]` in the configuration is read, checked and printed. Fails if a secret is printed, or
// if an invalid value is not named.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig, loadRedactedSettings } from '../../../src/config/config.ts'
import { configJsonSchema } from '../../../src/config/config-document.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-native-'))
afterAll(() => rmSync(folder, { recursive: true }))

function sources(planner: string) {
  const file = join(folder, 'quai.toml')
  writeFileSync(file, `[[networks]]\nid = "ville"\ngtfs = "feed.zip"\n[networks.planner]\n${planner}`)
  return { file, env: { MOTIS_KEY: 'hush-4711' } }
}
const REFERENCE = '$' + '{MOTIS_KEY}'
const plannerOf = (text: string) => loadConfig(sources(text)).networks[0]?.journeys.native

describe('the planner of a network', () => {
  test('has its kind, its address and its headers', () => {
    expect(plannerOf('kind = "motis"\nurl = "https://motis.example"')).toEqual({
      kind: 'motis',
      url: 'https://motis.example',
      headers: {},
      tag: undefined,
      deadlineMillis: 2_000,
    })
    const text = [
      'kind = "motis"',
      `url = "https://motis.example/api/v5/plan?apiKey=${REFERENCE}"`,
      'tag = "de"',
      'deadline_seconds = 1.5',
      '[networks.planner.headers]',
      `Authorization = "Bearer ${REFERENCE}"`,
    ].join('\n')
    expect(plannerOf(text)).toEqual({
      kind: 'motis',
      url: 'https://motis.example/api/v5/plan?apiKey=hush-4711',
      headers: { Authorization: 'Bearer hush-4711' },
      tag: 'de',
      deadlineMillis: 1_500,
    })
  })

  test('is printed without its secrets', () => {
    const text = 'kind = "motis"\nurl = "https://motis.example?apiKey=hush-1"\nheaders = { key = "hush-2" }'
    const printed = JSON.stringify(loadRedactedSettings(sources(text)))
    expect(printed).toContain('motis.example')
    expect(printed).not.toContain('hush')
  })

  test('is optional', () => {
    const file = join(folder, 'plain.toml')
    writeFileSync(file, '[[networks]]\nid = "ville"\ngtfs = "feed.zip"\n')
    expect(loadConfig({ file, env: {} }).networks[0]?.journeys.native).toBeUndefined()
  })

  test('is rejected if invalid, with the name of the setting and what is allowed', () => {
    const refusals: readonly (readonly [string, string])[] = [
      ['url = "https://motis.example"', 'networks[0].planner.kind is missing'],
      ['kind = "motis"', 'networks[0].planner.url is missing'],
      ['kind = "otp"\nurl = "https://a.example"', 'networks[0].planner.kind must be "motis"'],
      ['kind = "motis"\nurl = "a.example"', 'networks[0].planner.url must be a URL that starts with http'],
      [
        'kind = "motis"\nurl = "https://a.example"\ndeadline_seconds = 60',
        'networks[0].planner.deadline_seconds must be a number from 0.1 to 30',
      ],
      ['kind = "motis"\nurl = "https://a.example"\nheader = {}', 'did you mean "headers"?'],
    ]
    for (const [text, sentence] of refusals) expect(() => plannerOf(text)).toThrow(sentence)
  })

  test('is in the schema for editors', () => {
    const text = JSON.stringify(configJsonSchema())
    expect(text).toContain('"planner":')
    expect(text).toContain('"const":"motis"')
  })
})
