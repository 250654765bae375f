// The demo's alerts at an instant: incidents, planned works, and alerts about the day's cancellations and detours. A
// track repeats one kind of alert. Each repetition is an episode.
import { transit_realtime } from 'gtfs-realtime-bindings'
import { toRouteId } from '../city-tables.ts'
import { OPERATORS } from '../roster.ts'
import { between, pick, type Random, seededRandom } from '../seeded-random.ts'
import { type AlertText, type AlertTopic, writeAlert } from './alert-texts.ts'
import type { CityDay, CityDays } from './city-days.ts'
import type { Run } from './run.ts'
import { describeTrip, isKnown } from './trip-updates.ts'

type Entity = transit_realtime.IFeedEntity
type Alert = transit_realtime.IAlert
type Selector = transit_realtime.IEntitySelector
type Period = transit_realtime.ITimeRange

const { Cause, Effect, SeverityLevel } = transit_realtime.Alert
const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS
const INFO_URL = 'https://mobilites.valmont.example'

/** A kind of alert that repeats in episodes. Times within an episode are in seconds from its start. */
interface Track {
  readonly name: string
  /** Time between the starts of two consecutive episodes. */
  readonly everySeconds: number
  /** Seconds from 1970 to the start of the first episode. */
  readonly phaseSeconds: number
  /** How long an episode's alert is published. The alerts of consecutive episodes can overlap. */
  readonly publishedSeconds: number
  /** Active periods of the alert, in order. Empty if the alert is always active. */
  readonly periods: readonly { readonly from: number; readonly to: number }[]
  /** Share of the episodes that have an alert. The other episodes are skipped. */
  readonly share: number
  readonly describe: (days: CityDays, random: Random) => Story
}

/** What an alert is about. */
interface Story {
  readonly topic: AlertTopic
  readonly names: readonly string[]
  readonly selectors: readonly Selector[]
}

/** Cause, effect and severity of an alert, by topic. */
const KINDS: Readonly<Record<AlertTopic, Pick<Alert, 'cause' | 'effect' | 'severityLevel'>>> = {
  breakdown: {
    cause: Cause.TECHNICAL_PROBLEM,
    effect: Effect.SIGNIFICANT_DELAYS,
    severityLevel: SeverityLevel.WARNING,
  },
  accident: { cause: Cause.ACCIDENT, effect: Effect.REDUCED_SERVICE, severityLevel: SeverityLevel.WARNING },
  police: { cause: Cause.POLICE_ACTIVITY, effect: Effect.SIGNIFICANT_DELAYS, severityLevel: SeverityLevel.SEVERE },
  works: { cause: Cause.CONSTRUCTION, effect: Effect.DETOUR, severityLevel: SeverityLevel.INFO },
  movedStop: { cause: Cause.MAINTENANCE, effect: Effect.STOP_MOVED, severityLevel: SeverityLevel.INFO },
  lift: { cause: Cause.MAINTENANCE, effect: Effect.ACCESSIBILITY_ISSUE, severityLevel: SeverityLevel.WARNING },
  strike: { cause: Cause.STRIKE, effect: Effect.REDUCED_SERVICE, severityLevel: SeverityLevel.SEVERE },
  event: { cause: Cause.SPECIAL_EVENT, effect: Effect.ADDITIONAL_SERVICE, severityLevel: SeverityLevel.INFO },
  flood: { cause: Cause.WEATHER, effect: Effect.NO_SERVICE, severityLevel: SeverityLevel.SEVERE },
  survey: { cause: Cause.OTHER_CAUSE, effect: Effect.NO_EFFECT, severityLevel: SeverityLevel.UNKNOWN_SEVERITY },
  canceledTrip: { cause: Cause.OTHER_CAUSE, effect: Effect.NO_SERVICE, severityLevel: SeverityLevel.WARNING },
  detour: { cause: Cause.DEMONSTRATION, effect: Effect.MODIFIED_SERVICE, severityLevel: SeverityLevel.WARNING },
}

const EVENING_WORKS = [0, 1, 2].map((evening) => ({
  from: 16 * HOUR_SECONDS + evening * DAY_SECONDS,
  to: 22 * HOUR_SECONDS + evening * DAY_SECONDS,
}))

/**
 * At any time, these tracks publish six to eight alerts. With the alerts about the day's runs, there are up to ten. At
 * least one alert is not active yet, because the two tracks of moved stops alternate. At least one alert has ended,
 * because an incident lasts 35 minutes and is published for 80 minutes.
 */
const TRACKS: readonly Track[] = [
  track('incident', { every: 40 * MINUTE_SECONDS, published: 80 * MINUTE_SECONDS, describe: describeIncident }),
  { ...track('works', { every: 3 * DAY_SECONDS, describe: describeWorks }), periods: EVENING_WORKS },
  track('moved stop', {
    every: DAY_SECONDS,
    after: 17 * HOUR_SECONDS,
    lasting: 6 * HOUR_SECONDS,
    describe: describeMovedStop,
  }),
  {
    ...track('moved stop elsewhere', { every: DAY_SECONDS, after: 17 * HOUR_SECONDS, describe: describeMovedStop }),
    phaseSeconds: DAY_SECONDS / 2,
  },
  track('lift', { every: 5 * DAY_SECONDS, describe: describeLift }),
  { ...track('survey', { every: 30 * DAY_SECONDS, describe: describeSurvey }), periods: [], share: 0.7 },
  { ...track('event', { every: 8 * HOUR_SECONDS, after: HOUR_SECONDS, describe: describeEvent }), share: 0.7 },
]

/** A track whose episodes follow each other without gaps. */
function track(
  name: string,
  story: { every: number; published?: number; after?: number; lasting?: number; describe: Track['describe'] },
): Track {
  const from = story.after ?? 0
  return {
    name,
    everySeconds: story.every,
    phaseSeconds: 0,
    publishedSeconds: story.published ?? story.every,
    periods: [{ from, to: from + (story.lasting ?? story.every - from - 5 * MINUTE_SECONDS) }],
    share: 1,
    describe: story.describe,
  }
}

/** The Alert entities at an instant, in seconds since 1970. */
export function listAlerts(days: CityDays, nowSeconds: number): Entity[] {
  const episodes = TRACKS.flatMap((each) => listEpisodes(days, each, nowSeconds))
  return [...episodes, ...listOfTheDay(days, nowSeconds)]
}

/** A track's alerts that are published at an instant, latest first. */
function listEpisodes(days: CityDays, track: Track, nowSeconds: number): Entity[] {
  const { everySeconds, phaseSeconds, publishedSeconds } = track
  const entities: Entity[] = []
  const latest = Math.floor((nowSeconds - phaseSeconds) / everySeconds)
  for (let episode = latest; ; episode--) {
    const start = phaseSeconds + episode * everySeconds
    if (start + publishedSeconds <= nowSeconds) return entities
    const random = seededRandom(days.seed, `alert ${track.name} ${episode}`)
    if (random() >= track.share) continue
    const periods = track.periods.map(({ from, to }) => ({ start: start + from, end: start + to }))
    entities.push(toEntity(`${track.name.replaceAll(/\W+/g, '-')}-${episode}`, track.describe(days, random), periods))
  }
}

/** Alerts about the day's runs: the earliest canceled run and the earliest rerouted run in the feed. */
function listOfTheDay(days: CityDays, nowSeconds: number): Entity[] {
  const entities: Entity[] = []
  const canceled = firstKnown(days, nowSeconds, 'canceled')
  if (canceled !== undefined) {
    const { day, run } = canceled
    const story = { topic: 'canceledTrip', names: [lineName(days, run.pattern.line), run.pattern.headsign] } as const
    const { tripId, startDate } = describeTrip(days, day, run)
    const selectors = [{ trip: { tripId, startDate }, routeId: routeId(days, run.pattern.line) }]
    entities.push(toEntity(`canceled-${day.date}-${run.id}`, { ...story, selectors }, [periodOf(day, run)]))
  }
  const rerouted = firstKnown(days, nowSeconds, 'replacement')
  if (rerouted !== undefined) {
    const { day, run } = rerouted
    const route = routeId(days, run.pattern.line)
    const stops = run.leftOut.map((position) => days.parts.stops.platformIds[run.pattern.calls[position].platform])
    const story = { topic: 'detour', names: [lineName(days, run.pattern.line)] } as const
    const selectors = stops.map((stopId) => ({ routeId: route, stopId, directionId: run.pattern.direction }))
    entities.push(toEntity(`detour-${day.date}-${run.id}`, { ...story, selectors }, [periodOf(day, run)]))
  }
  return entities
}

/** The earliest run of the given kind among all runs in the feed at an instant. */
function firstKnown(
  days: CityDays,
  nowSeconds: number,
  kind: Run['kind'],
): { readonly day: CityDay; readonly run: Run } | undefined {
  return days
    .listAt(nowSeconds)
    .flatMap((day) =>
      day.runs
        .filter((run) => run.kind === kind && isKnown(run, nowSeconds - day.zeroSeconds))
        .map((run) => ({ day, run, at: day.zeroSeconds + run.startSeconds })),
    )
    .sort((a, b) => a.at - b.at)[0]
}

function periodOf(day: CityDay, run: Run): Period {
  const margin = 10 * MINUTE_SECONDS
  const last = run.times[run.times.length - 1]
  return { start: day.zeroSeconds + run.startSeconds - margin, end: day.zeroSeconds + last + margin }
}

function describeIncident(days: CityDays, random: Random): Story {
  const line = pickLine(days, random)
  const topic = pick(random, ['breakdown', 'accident', 'police'] as const)
  const area = pickArea(days, random, line)
  return { topic, names: [lineName(days, line), area.name], selectors: [{ routeId: routeId(days, line) }] }
}

/** Describes works. The alert selects the affected stops, not the whole line. */
function describeWorks(days: CityDays, random: Random): Story {
  const line = pickLine(days, random)
  const area = pickArea(days, random, line)
  const selectors = [{ routeId: routeId(days, line), stopId: area.id }]
  return { topic: 'works', names: [lineName(days, line), area.name], selectors }
}

function describeMovedStop(days: CityDays, random: Random): Story {
  const { stops } = days.parts
  const platform = Math.floor(between(random, 0, stops.platforms.length))
  const area = stops.areas[stops.platforms[platform].area]
  return { topic: 'movedStop', names: [area.name], selectors: [{ stopId: stops.platformIds[platform] }] }
}

function describeLift(days: CityDays, random: Random): Story {
  const { stops } = days.parts
  const area = stops.areas[pick(random, stops.detailed)]
  return { topic: 'lift', names: [area.name], selectors: [{ stopId: area.id }] }
}

/** Describes a strike at one operator, a flood that stops the ferries, or a match with extra runs. */
function describeEvent(days: CityDays, random: Random): Story {
  const chance = random()
  if (chance < 0.25) {
    const operator = pick(random, OPERATORS)
    return { topic: 'strike', names: [operator.name], selectors: [{ agencyId: operator.id }] }
  }
  if (chance < 0.5) return { topic: 'flood', names: [], selectors: [{ routeType: FERRY_ROUTE_TYPE }] }
  const lines = [...new Set([pickLine(days, random), pickLine(days, random)])]
  return {
    topic: 'event',
    names: [lines.map((line) => lineName(days, line)).join(', ')],
    selectors: lines.map((line) => ({ routeId: routeId(days, line) })),
  }
}

function describeSurvey(): Story {
  return { topic: 'survey', names: [], selectors: OPERATORS.map(({ id }) => ({ agencyId: id })) }
}

const FERRY_ROUTE_TYPE = 4

function pickLine({ parts }: CityDays, random: Random): number {
  return Math.floor(between(random, 0, parts.roster.length))
}

function pickArea({ parts }: CityDays, random: Random, line: number) {
  const pattern = pick(
    random,
    parts.patterns.filter((each) => each.line === line),
  )
  const { platform } = pick(random, pattern.calls.slice(1, -1))
  return parts.stops.areas[parts.stops.platforms[platform].area]
}

function lineName({ parts }: CityDays, line: number): string {
  return parts.roster[line].id
}

function routeId({ parts }: CityDays, line: number): string {
  return toRouteId(parts.roster[line])
}

function toEntity(id: string, story: Story, periods: readonly Period[]): Entity {
  const text = writeAlert(story.topic, story.names)
  return {
    id,
    alert: {
      activePeriod: [...periods],
      informedEntity: [...story.selectors],
      ...KINDS[story.topic],
      headerText: translate(text, 'header'),
      descriptionText: translate(text, 'description'),
      url: {
        translation: [
          { language: 'fr', text: `${INFO_URL}/infos/${id}` },
          { language: 'en', text: `${INFO_URL}/en/news/${id}` },
        ],
      },
    },
  }
}

function translate(text: AlertText, part: 'header' | 'description'): transit_realtime.ITranslatedString {
  return {
    translation: [
      { language: 'fr', text: text.fr[part] },
      { language: 'en', text: text.en[part] },
    ],
  }
}
