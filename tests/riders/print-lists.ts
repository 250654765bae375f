// `QUAI_FEEDS=folder bun tests/riders/print-lists.ts > lists.txt` prints the journey list for each rider's query, and
// what else the timetable offers, so that people can judge the lists. Starts the service with each city's feed, or uses
// the running service at QUAI_URL with the key QUAI_KEY. QUAI_ONLY selects cities by a part of their id.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReceivedJourney } from '../checked-lists.ts'
import type { JourneyQuery } from '../oracles/journey-ground.ts'
import { readJourneyOracle } from '../oracles/journey-oracle.ts'
import { metersWalked } from '../oracles/journey-places.ts'
import { startQuai } from '../quai-process.ts'
import { REAL_FEEDS } from '../size.ts'
import { readFeedNames } from './feed-names.ts'
import { type RiderCity, type RiderPlace, type RiderQuestion, riderCities } from './rider-questions.ts'
import { changesText, leavingNear, otherJourneys, type Timetable } from './timetable-beside.ts'

const LIMIT = 5
const DAY_SECONDS = 86_400

/** The members of a journey that are printed. */
interface PrintedJourney extends ReceivedJourney {
  readonly duration_seconds: number
  readonly walking_meters: number
  readonly sections: readonly PrintedSection[]
}

interface PrintedSection {
  readonly kind: string
  readonly departure_at: string
  readonly arrival_at: string
  readonly duration_seconds: number
  readonly distance_meters?: number
  readonly line?: { readonly code: string; readonly mode: string }
  readonly headsign?: string
  readonly stop_ids?: readonly string[]
  readonly stay_seated?: boolean
  readonly from_place: { readonly name?: string; readonly label?: string }
  readonly to_place: { readonly name?: string; readonly label?: string }
}

interface PrintedAnswer {
  readonly data: readonly PrintedJourney[]
  readonly meta: { readonly max_walk: number; readonly reason?: string }
}

/** Sends one query. `query` is the part of the URL after `?`. */
type Ask = (query: string) => Promise<PrintedAnswer>

async function printCity(city: RiderCity, folder: string): Promise<void> {
  const path = join(folder, city.feed)
  const timetable = { oracle: await readJourneyOracle(path), names: await readFeedNames(path) }
  const { ask, stop } = await openCity(city, path)
  try {
    for (const [at, question] of city.questions.entries()) {
      console.log(await questionText(timetable, ask, { city, question, number: at + 1 }))
    }
  } finally {
    await stop()
  }
}

/**
 * Connects to the service at QUAI_URL. If that is not set, starts a service with the city's feed and the addresses of
 * its places.
 */
async function openCity(city: RiderCity, path: string): Promise<{ ask: Ask; stop(): Promise<void> }> {
  const [url, key] = [process.env['QUAI_URL'], process.env['QUAI_KEY']]
  if (url !== undefined) {
    const ask: Ask = async (query) => {
      const answer = await fetch(`${url}/v1/journeys?${query}`, { headers: { authorization: `Bearer ${key}` } })
      if (answer.status !== 200) throw new Error(`${query}: ${await answer.text()}`)
      return (await answer.json()) as PrintedAnswer
    }
    return { ask, stop: async () => undefined }
  }
  const folder = mkdtempSync(join(tmpdir(), 'quai-riders-'))
  const addresses = join(folder, 'addresses.csv')
  writeFileSync(addresses, addressRows(Object.values(city.places)))
  const service = await startQuai(path, city.id, { addresses })
  await service.untilReady()
  return {
    ask: async (query) => (await service.get(`/v1/journeys?${query}`)) as PrintedAnswer,
    stop: async () => {
      await service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The addresses of some places as a CSV file in the format of the Base Adresse Nationale. */
function addressRows(places: readonly RiderPlace[]): string {
  const rows = places.flatMap(({ address, lat, lon }, at) => {
    if (address === undefined) return []
    const { number, street, postcode, town, code } = address
    return [`${code}_${at}_${number};${number};;${street};${postcode};${code};${town};${lon};${lat}`]
  })
  return ['id;numero;rep;nom_voie;code_postal;code_insee;nom_commune;lon;lat', ...rows].join('\n')
}

async function questionText(
  timetable: Timetable,
  ask: Ask,
  { city, question, number }: { readonly city: RiderCity; readonly question: RiderQuestion; readonly number: number },
): Promise<string> {
  const { from, to, at, isArriveBy } = question
  const { zone } = timetable.oracle.feed
  const moment = Temporal.PlainDateTime.from(at).toZonedDateTime(zone)
  const instant = moment.toInstant().toString()
  const parameters = new URLSearchParams({
    from: endText(from),
    to: endText(to),
    [isArriveBy ? 'arrive_by' : 'when']: instant,
    network: city.id,
    limit: `${LIMIT}`,
  })
  const { data, meta } = await ask(parameters.toString())
  const query: JourneyQuery = {
    from: { kind: 'point', lat: from.lat, lon: from.lon },
    to: { kind: 'point', lat: to.lat, lon: to.lon },
    seconds: moment.epochMilliseconds / 1000,
    isArriveBy,
    maxWalkMeters: meta.max_walk,
    followedSeconds: DAY_SECONDS,
  }
  const km = (metersWalked(from, to) / 1000).toFixed(1)
  const day = moment.toLocaleString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
  const kind = isArriveBy ? 'be there by' : 'leave at'
  return [
    '',
    '='.repeat(110),
    `${city.name} ${number}: from ${from.name} (${endText(from)})`,
    `   to ${to.name} (${endText(to)})`,
    `   ${day}, ${kind} ${at.slice(11)}; ${km} km on foot; the longest walk is ${meta.max_walk} m`,
    '-'.repeat(110),
    ...(data.length === 0 ? [`NO JOURNEY: ${meta.reason}`] : data.map(journeyText)),
    '',
    'Other good journeys in the timetable at that time, and why the list does not show them:',
    ...indented(otherJourneys(timetable, query, data)),
    'Leaving within 90 minutes from stops less than 500 m from the start:',
    ...indented(leavingNear(timetable, query)),
  ].join('\n')
}

function indented(lines: readonly string[]): string[] {
  return lines.length === 0 ? ['    none'] : lines.map((line) => `    ${line}`)
}

function endText({ lat, lon, address }: RiderPlace): string {
  if (address === undefined) return `${lat.toFixed(5)},${lon.toFixed(5)}`
  const { number, street, postcode, town } = address
  return `${number} ${street} ${postcode} ${town}`
}

function journeyText(journey: PrintedJourney, at: number): string {
  const { departure_at, arrival_at, duration_seconds, transfers, walking_meters, slack_seconds, sections } = journey
  const slack = slack_seconds === null ? '' : `, least spare time at a change ${slack_seconds} s`
  const times = `${clock(departure_at)} → ${clock(arrival_at)}`
  const head = `${at + 1}. ${times}  ${minutes(duration_seconds)} min, ${changesText(transfers)}, walk ${walking_meters} m${slack}`
  return [head, ...sections.flatMap((section, number) => sectionText(section, sections[number - 1]))].join('\n')
}

function sectionText(section: PrintedSection, before: PrintedSection | undefined): string[] {
  const { kind, departure_at, arrival_at, duration_seconds, line, headsign, stop_ids = [], stay_seated } = section
  const waited = before === undefined ? 0 : (Date.parse(departure_at) - Date.parse(before.arrival_at)) / 1000
  const wait = waited > 0 && stay_seated !== true ? [`        wait ${minutes(waited)} min`] : []
  const [from, to] = [section.from_place, section.to_place].map(({ name, label }) => name ?? label)
  const what =
    kind === 'walk'
      ? `walk ${section.distance_meters} m, ${minutes(duration_seconds)} min: ${from} → ${to}`
      : `${stay_seated === true ? 'stay in the vehicle, now ' : ''}${line?.mode} ${line?.code} to ${headsign}: ${from} → ${to} (${stop_ids.length - 1} stops)`
  return [...wait, `     ${clock(departure_at)} ${what}, there ${clock(arrival_at)}`]
}

function clock(timestamp: string): string {
  return timestamp.slice(11, 16)
}

function minutes(seconds: number): string {
  return (seconds / 60).toFixed(seconds % 60 === 0 ? 0 : 1)
}

if (import.meta.main) {
  if (REAL_FEEDS === undefined) throw new Error('QUAI_FEEDS must name a folder of GTFS zips')
  for (const city of riderCities()) {
    if (city.id.includes(process.env['QUAI_ONLY'] ?? '')) await printCity(city, REAL_FEEDS)
  }
}
