// `bun bench/street-country.ts` measures the time and memory that `quai import` needs for the streets in a generated
// OpenStreetMap extract of 4.6 GB, the size of a country's extract. The stops are so close together that the whole
// extract is loaded. QUAI_COUNTRY_STREETS names a folder that keeps the extract. Needs 10 GB of disk space.
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StreetReport } from '../src/streets/street-report.ts'
import { showFigure } from './figures.ts'
import { makeConfig, runCommand } from './service.ts'
import { writeStopFeed } from './street-stops.ts'
import { countryStops, writeCountry } from './street-towns.ts'

const BYTES = Number(process.env['QUAI_COUNTRY_BYTES'] ?? 4.6e9)
const BARS = { minutes: 8, peakMegabytes: 4_000 }

const kept = process.env['QUAI_COUNTRY_STREETS']
const folder = kept ?? mkdtempSync(join(tmpdir(), 'quai-bench-country-'))
mkdirSync(folder, { recursive: true })
if (kept === undefined) process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const [path, feed] = [join(folder, 'country.osm.pbf'), join(folder, 'feed')]
if (!existsSync(feed)) {
  const started = performance.now()
  const towns = writeCountry(path, BYTES)
  writeStopFeed(feed, countryStops(towns))
  console.log(`${towns} towns written in ${((performance.now() - started) / 1000).toFixed(0)} s`)
}
const config = makeConfig(feed, [path])
process.on('exit', () => rmSync(config.folder, { recursive: true, force: true }))
const { seconds, peakMegabytes } = await runCommand(['import', '--config', config.file])
const report: StreetReport = await Bun.file(join(config.folder, 'data', 'streets', 'last-import.report.json')).json()
const { streets, networks, problem } = report
const [network] = networks
if (streets === undefined || network === undefined) throw new Error(`no streets were imported: ${problem?.message}`)
const { linkedStops, unlinkedStops } = network
const name = `country of ${(statSync(path).size / 1e9).toFixed(2)} GB, ${Math.round(streets.kilometers)} km`
showFigure({ name: `${name}: stops near streets, of ${linkedStops + unlinkedStops}`, value: linkedStops, unit: '' })
showFigure({ name: `${name}: import of streets`, value: report.seconds / 60, unit: 'min', atMost: BARS.minutes })
showFigure({ name: `${name}: whole import`, value: seconds / 60, unit: 'min' })
showFigure({ name: `${name}: peak memory`, value: peakMegabytes, unit: 'MB', atMost: BARS.peakMegabytes })
showFigure({ name: `${name}: graph on disk`, value: statSync(streets.path).size / 1e6, unit: 'MB' })
