// Makes hundreds of networks on disk, for `bench networks`: the feeds in a folder, and copies of them at other places
// on the globe. The dates in all feeds are moved to around today. A copy has its own stops.txt and shapes.txt; its
// other files are links. If QUAI_MANY_FOLDER names a folder, the networks are kept there between runs.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { makeCity, writeCity } from '../src/demo/city.ts'
import { openFeedSource } from '../src/sources/feed-source.ts'

/** Version of the generator. Increase it when the generator makes different networks from the same feeds. */
const MADE_AS = 1
/**
 * Maximum size of stop_times.txt in a feed that is copied, in bytes. With this limit, 400 networks have about 55
 * million stop times.
 */
const COPIED_BYTES = 45_000_000
/** Number of cities to generate if there is no folder of feeds. */
const CITIES = 12
/** Scales of the generated cities, used in turn. */
const SCALES = [0.02, 0.05, 0.1, 0.3]
const DAY_MILLIS = 86_400_000
const WEEK_DAYS = 7
/** Distance from one copy to the next, in degrees. */
const STEP = { lat: 4, lon: 9 }
const COLUMNS = 9
const MOST_LAT = 80
const PLACE_FILES: Readonly<Record<string, readonly [lat: string, lon: string]>> = {
  'stops.txt': ['stop_lat', 'stop_lon'],
  'shapes.txt': ['shape_pt_lat', 'shape_pt_lon'],
}

/** A network: its id, and the folder with its feed. */
export interface MadeNetwork {
  readonly id: string
  readonly feed: string
}

/**
 * Makes `count` networks. Networks that already exist on disk are reused.
 * @param feeds a folder with zip files; if absent, cities are generated
 */
export async function makeNetworks(root: string, count: number, feeds: string | undefined): Promise<MadeNetwork[]> {
  const stamp = join(root, 'made.json')
  const made = JSON.stringify([MADE_AS, feeds === undefined ? CITIES : listZips(feeds)])
  if (existsSync(stamp) && (await Bun.file(stamp).text()) !== made) rmSync(root, { recursive: true })
  mkdirSync(root, { recursive: true })
  const originals = feeds === undefined ? await makeCities(root) : await unpackFeeds(root, feeds)
  writeFileSync(stamp, made)
  const copied = originals.filter((feed) => statSync(join(feed, 'stop_times.txt')).size <= COPIED_BYTES)
  const networks: MadeNetwork[] = []
  for (let number = 0; number < count; number++) {
    const id = `n${String(number).padStart(3, '0')}`
    const later = number - originals.length
    const [original, copy] =
      later < 0 ? [originals[number], 0] : [copied[later % copied.length], 1 + Math.floor(later / copied.length)]
    if (original === undefined) throw new Error('no feed is small enough to be copied')
    networks.push({ id, feed: copy === 0 ? original : await copyFeed(root, original, copy) })
  }
  return networks
}

function listZips(folder: string): string[] {
  const inner = join(folder, 'gtfs')
  const holds = existsSync(inner) ? inner : folder
  return readdirSync(holds)
    .filter((name) => name.endsWith('.zip'))
    .sort()
    .map((name) => join(holds, name))
}

async function makeCities(root: string): Promise<string[]> {
  const today = new Date()
  const firstDate = Number(dateOf(today.getTime() - 30 * DAY_MILLIS))
  const folders: string[] = []
  for (let seed = 1; seed <= CITIES; seed++) {
    const folder = join(root, 'feeds', `city-${seed}`)
    folders.push(folder)
    if (existsSync(join(folder, 'stop_times.txt'))) continue
    mkdirSync(folder, { recursive: true })
    await writeCity(makeCity({ seed, scale: SCALES[seed % SCALES.length] ?? 1, firstDate, days: 90 }), folder)
  }
  return folders
}

/** Unpacks feeds into folders, and moves their dates by whole weeks to around today. */
async function unpackFeeds(root: string, feeds: string): Promise<string[]> {
  const folders: string[] = []
  for (const zip of listZips(feeds)) {
    const folder = join(root, 'feeds', basename(zip, '.zip'))
    folders.push(folder)
    if (existsSync(join(folder, 'stop_times.txt'))) continue
    const part = `${folder}.part`
    rmSync(part, { recursive: true, force: true })
    mkdirSync(part, { recursive: true })
    const source = await openFeedSource(zip)
    try {
      for (const name of source.names) {
        const stream = source.open(name)
        if (stream !== undefined && name.endsWith('.txt')) await Bun.write(join(part, name), await textOf(stream))
      }
    } finally {
      await source.close()
    }
    await moveCalendars(part)
    await Bun.$`mv ${part} ${folder}`.quiet()
  }
  return folders
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

/** Moves all dates by whole weeks, so that the middle of the service period is as close to today as possible. */
async function moveCalendars(folder: string): Promise<void> {
  const files = ['calendar.txt', 'calendar_dates.txt']
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
  const texts = await Promise.all(files.map((path) => Bun.file(path).text()))
  const days = texts.flatMap((text) => (text.match(/\b20\d{6}\b/g) ?? []).map(millisOf)).sort((a, b) => a - b)
  const [first = 0, last = 0] = [days[0], days.at(-1)]
  const weeks = Math.round((Date.now() - (first + last) / 2) / (WEEK_DAYS * DAY_MILLIS))
  for (const [at, path] of files.entries()) {
    const moved = (texts[at] ?? '').replace(/\b20\d{6}\b/g, (date) =>
      dateOf(millisOf(date) + weeks * WEEK_DAYS * DAY_MILLIS),
    )
    await Bun.write(path, moved)
  }
}

function millisOf(date: string): number {
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6, 8)))
}

function dateOf(millis: number): string {
  return new Date(millis).toISOString().slice(0, 10).replaceAll('-', '')
}

async function copyFeed(root: string, original: string, copy: number): Promise<string> {
  const folder = join(root, 'feeds', `${basename(original)}-${copy}`)
  if (existsSync(join(folder, 'stops.txt'))) return folder
  mkdirSync(folder, { recursive: true })
  const degrees = { lat: (Math.floor(copy / COLUMNS) - 1) * STEP.lat, lon: (copy % COLUMNS) * STEP.lon + STEP.lon }
  const names = readdirSync(original).sort((a, b) => Number(a === 'stops.txt') - Number(b === 'stops.txt'))
  for (const name of names) {
    const place = PLACE_FILES[name]
    if (place === undefined) symlinkSync(join(original, name), join(folder, name))
    else await Bun.write(join(folder, name), movePlaces(await Bun.file(join(original, name)).text(), place, degrees))
  }
  return folder
}

/** Moves the points in a file. Latitudes stay within `MOST_LAT`, and longitudes within 180 degrees. */
function movePlaces(
  text: string,
  [latName, lonName]: readonly [string, string],
  degrees: { readonly lat: number; readonly lon: number },
): string {
  const [header = '', ...lines] = text.split('\n')
  const names = header.split(',').map((name) => name.replace(/[\s"\uFEFF]/g, ''))
  const [lat, lon] = [names.indexOf(latName), names.indexOf(lonName)]
  const moved = lines.map((line) => {
    const fields = splitFields(line)
    if (fields.length <= Math.max(lat, lon)) return line
    fields[lat] = moveField(fields[lat] ?? '', (value) => Math.max(-MOST_LAT, Math.min(MOST_LAT, value + degrees.lat)))
    fields[lon] = moveField(fields[lon] ?? '', (value) => ((value + degrees.lon + 540) % 360) - 180)
    return fields.join(',')
  })
  return [header, ...moved].join('\n')
}

function moveField(field: string, move: (value: number) => number): string {
  const text = field.replace(/["\s]/g, '')
  return text === '' || Number.isNaN(Number(text)) ? field : move(Number(text)).toFixed(6)
}

/** Splits a line of a CSV file into its fields, with their quotes. Commas inside quotes do not separate fields. */
function splitFields(line: string): string[] {
  if (!line.includes('"')) return line.split(',')
  const fields: string[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at <= line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted
    if (at < line.length && (isQuoted || line[at] !== ',')) continue
    fields.push(line.slice(start, at))
    start = at + 1
  }
  return fields
}

/** The settings of networks, as TOML for a configuration file. */
export function networkSettings(networks: readonly MadeNetwork[]): string {
  return networks
    .map(
      ({ id, feed }) =>
        `[[networks]]\nid = "${id}"\nname = "Network ${id}"\ncity = "City ${id}"\ngtfs = ${JSON.stringify(feed)}\nattribution = ["Licence of ${id}"]\n`,
    )
    .join('\n')
}
