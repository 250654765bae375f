// Checks that the stamp of a source changes with each of its files.
import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stampSources } from '../../../src/sources/source-stamp.ts'

test('a stamp changes with a file in a folder, in a subfolder, and with a missing file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quai-stamp-'))
  try {
    mkdirSync(join(folder, 'google_transit'))
    const files = ['stops.txt', 'google_transit/stops.txt']
    for (const file of files) writeFileSync(join(folder, file), 'stop_id\n')
    const sources = [folder, join(folder, 'missing.zip')]
    const stamps = [stampSources(sources)]
    expect(stampSources(sources)).toBe(stamps[0] ?? '')
    for (const file of files) {
      utimesSync(join(folder, file), 1_000, 2_000)
      stamps.push(stampSources(sources))
    }
    writeFileSync(join(folder, 'google_transit', 'trips.txt'), '')
    stamps.push(stampSources(sources))
    writeFileSync(join(folder, 'missing.zip'), '')
    stamps.push(stampSources(sources.slice(1)))
    expect(new Set(stamps).size).toBe(stamps.length)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
