// Generates random histories of a live feed. Trips and calls have every relationship. Updates and vehicles name the
// right trip or a wrong one, and the right day, a wrong day or no day. The messages of a history are sent within an
// hour, which may include midnight. Only a few different times and delays are used, so that messages affect each other.
import type { Dice } from '../../board-questions.ts'
import type {
  CallWord,
  ReportedCall,
  ReportedEvent,
  ReportedMessage,
  ReportedTrip,
  ReportedUpdate,
  ReportedVehicle,
  TripWord,
} from './history-messages.ts'
import { DATES, type PlainRun, plannedCalls, STOPS, TRIPS, zeroOf } from './plain-city.ts'

const MINUTE = 60
const HOUR = 3600
const MOST_MESSAGES = 4
const MOST_UPDATES = 4
const DELAYS = [-900, -300, -90, -60, -30, 0, 0, 30, 60, 90, 300, 600, 1500]
const GAPS = [0, 30, 60, 120, 300, 600]
const WORDS: readonly TripWord[] = [
  ...new Array<TripWord>(12).fill('SCHEDULED'),
  'UNSCHEDULED',
  'CANCELED',
  'CANCELED',
  'DELETED',
  'REPLACEMENT',
  'REPLACEMENT',
  'ADDED',
  'NEW',
  'DUPLICATED',
]
const CALL_WORDS: readonly CallWord[] = [
  ...new Array<CallWord>(9).fill('SCHEDULED'),
  'SKIPPED',
  'SKIPPED',
  'NO_DATA',
  'UNSCHEDULED',
]

/** Generates a history of one to four messages. */
export function randomHistory(dice: Dice): ReportedMessage[] {
  const day = zeroOf(dice.pick(DATES) ?? '')
  const hour = dice.pick([7, 8, 8, 8, 9, 15, 23, 24, 24, 30, 40]) ?? 8
  let seconds = day + hour * HOUR + dice.below(60) * MINUTE + dice.below(2) * 17
  const messages: ReportedMessage[] = []
  const favorites = runsAround(seconds)
  for (let left = 1 + dice.below(MOST_MESSAGES); left > 0; left--) {
    const before = messages.flatMap(({ updates }) => updates)
    messages.push(randomMessage(dice, { seconds, favorites, before }))
    seconds += 1 + dice.below(12) * MINUTE
  }
  return messages
}

interface Around {
  readonly seconds: number
  readonly favorites: readonly PlainRun[]
  readonly before: readonly ReportedUpdate[]
}

function randomMessage(dice: Dice, around: Around): ReportedMessage {
  const { seconds, before } = around
  const updates = new Map<string, ReportedUpdate>()
  for (let left = dice.below(MOST_UPDATES); left > 0; left--) {
    const update = randomUpdate(dice, around)
    updates.set(update.id, update)
  }
  const vehicles = Array.from({ length: dice.below(3) }, (_, at) => randomVehicle(dice, around, at))
  const isDifferential = dice.below(3) === 0
  const deleted =
    isDifferential && dice.below(3) === 0 ? before.map(({ id }) => id).filter((id) => !updates.has(id)) : []
  return { seconds, isDifferential, deleted: [...new Set(deleted)], updates: [...updates.values()], vehicles }
}

/** The runs that are under way at any time in the hour before or the hour after an instant. */
function runsAround(seconds: number): PlainRun[] {
  return [...TRIPS.values()].flatMap((trip) =>
    trip.dates.flatMap((date) => {
      const { frequency } = trip
      const starts =
        frequency === undefined ? [undefined] : [0, 1, 2, 3].map((at) => frequency.start + at * frequency.headway)
      return starts
        .map((start) => ({ trip, date, start }))
        .filter((run) => {
          const planned = plannedCalls(run)
          return (planned[0]?.departure ?? 0) < seconds + HOUR && (planned.at(-1)?.arrival ?? 0) > seconds - HOUR
        })
    }),
  )
}

function pickRun(dice: Dice, { favorites, before }: Around): PlainRun {
  const [trip, date] = [dice.pick([...TRIPS.values()]), dice.pick(DATES)]
  // Often picks a trip that was reported before, so that messages interact.
  const again = favorites.find((run) => before.some(({ trip: { tripId } }) => tripId === run.trip.id))
  if (again !== undefined && dice.below(2) === 0) return again
  const favorite = favorites.length === 0 || dice.below(20) === 0 ? undefined : dice.pick(favorites)
  if (favorite !== undefined) return favorite
  if (trip === undefined || date === undefined) throw new Error('the city has no trips')
  return { trip, date, start: trip.frequency?.start }
}

function randomTrip(dice: Dice, { trip, date, start }: PlainRun, word: TripWord): ReportedTrip {
  const isDescribed = dice.below(10) === 0
  const first = start ?? trip.calls[0]?.departure ?? 0
  // Exact frequency trips rarely get another start time, because they have no run that starts then.
  const isMoved = start !== undefined && (trip.frequency?.isExact !== true || dice.below(10) === 0)
  const moved = isMoved ? first + (dice.pick([0, 0, 120, -300, 600]) ?? 0) : first
  const named = isDescribed ? (dice.below(2) === 0 ? { tripId: 'ghost' } : {}) : { tripId: trip.id }
  const reported =
    dice.below(10) < 7 || isDescribed
      ? { date: dice.below(15) === 0 ? (dice.pick([...DATES, '20260613']) ?? date) : date }
      : {}
  const isStarted = isDescribed || (start !== undefined ? dice.below(12) > 0 : dice.below(10) === 0)
  return {
    ...named,
    ...reported,
    ...(isStarted ? { start: isDescribed ? first : moved } : {}),
    ...(isDescribed || dice.below(8) === 0 ? { route: trip.route } : {}),
    ...(isDescribed && dice.below(2) === 0
      ? { direction: dice.below(4) === 0 ? 1 - trip.direction : trip.direction }
      : {}),
    word,
  }
}

function randomUpdate(dice: Dice, around: Around): ReportedUpdate {
  const word = dice.pick(WORDS) ?? 'SCHEDULED'
  const run = pickRun(dice, around)
  const rest = {
    ...(dice.below(4) === 0 ? { seconds: around.seconds - dice.below(120) } : {}),
    ...(dice.below(6) === 0 ? { delay: dice.pick(DELAYS) } : {}),
    ...(dice.below(12) === 0 ? { headsign: 'Elsewhere' } : {}),
  }
  if (word === 'ADDED' || word === 'NEW') return randomAdded(dice, run, { word, rest, around })
  if (word === 'DUPLICATED') return randomCopy(dice, run, rest)
  const trip = randomTrip(dice, run, word)
  const calls = word === 'REPLACEMENT' ? newCalls(dice, startOf(dice, run), wayOf(dice, run)) : randomCalls(dice, run)
  return { id: idOf(trip), trip, ...rest, calls }
}

/**
 * Makes an entity id from the trip's descriptor, so that a later report about the same trip replaces the earlier one.
 */
function idOf({ tripId, date, start, route, direction, word }: ReportedTrip): string {
  const kind = word === 'ADDED' || word === 'NEW' ? 'new' : word === 'DUPLICATED' ? 'copy' : 'known'
  return [kind, tripId, date, start, route, direction].join(' ')
}

function startOf(dice: Dice, run: PlainRun): number {
  return (plannedCalls(run)[0]?.departure ?? 0) + (dice.pick(DELAYS) ?? 0)
}

/** The stops of a trip, with some left out and some added. */
function wayOf(dice: Dice, { trip }: PlainRun): string[] {
  const kept = trip.calls.map(({ stop }) => stop).slice(0, dice.below(3) === 0 ? -1 - dice.below(2) : undefined)
  return kept.flatMap((stop) => {
    if (dice.below(6) === 0) return []
    return dice.below(6) === 0 ? [stop, dice.pick(['X', 'Y', 'C', 'Q2']) ?? stop] : [stop]
  })
}

function randomAdded(
  dice: Dice,
  run: PlainRun,
  { word, rest, around }: { readonly word: TripWord; readonly rest: object; readonly around: Around },
): ReportedUpdate {
  const isNamesake = run.trip.frequency === undefined && dice.below(2) === 0
  const name = isNamesake ? run.trip.id : dice.pick(['extra', 'other', undefined])
  const trip: ReportedTrip = {
    ...(name === undefined ? {} : { tripId: name }),
    ...(dice.below(3) > 0 ? { date: dice.below(20) === 0 ? '20260620' : run.date } : {}),
    ...(dice.below(8) > 0 ? { route: dice.below(20) === 0 ? 'nowhere' : run.trip.route } : {}),
    ...(name === undefined && dice.below(2) === 0 ? { start: 28_800 } : {}),
    word,
  }
  const stops =
    dice.below(2) === 0 ? wayOf(dice, run) : Array.from({ length: dice.below(5) }, () => dice.pick(STOPS) ?? 'A')
  const first = around.seconds - (around.seconds % 30) + dice.below(40) * 30 - 300
  return { id: idOf(trip), trip, ...rest, calls: newCalls(dice, first, stops) }
}

function randomCopy(dice: Dice, run: PlainRun, rest: object): ReportedUpdate {
  const { trip: reported, date } = run
  const first = reported.calls[0]?.departure ?? 0
  const start = first + (dice.pick([600, 1800, -1200]) ?? 0)
  const kind = reported.frequency === undefined ? dice.below(4) : 0
  const trip: ReportedTrip = {
    tripId: dice.below(12) === 0 ? 'ghost' : reported.id,
    ...(dice.below(10) > 0 ? { date } : {}),
    ...(kind === 1 ? { start: dice.below(4) === 0 ? first : start } : {}),
    word: 'DUPLICATED',
  }
  const other = dice.below(4) === 0 ? { date: dice.pick(DATES) ?? date } : {}
  const named = { tripId: 'copy', ...(kind === 0 || dice.below(4) > 0 ? { start } : {}), ...other }
  const copy = kind === 1 ? {} : { copy: kind === 2 ? { start, ...other } : named }
  const target = { trip: reported, date: copy.copy?.date ?? date, start: undefined }
  return { id: idOf(trip), trip, ...rest, ...copy, calls: randomCalls(dice, target, start - first) }
}

/**
 * Reports some calls of a run, mostly in order.
 * @param shift seconds that are added to the scheduled times
 */
function randomCalls(dice: Dice, run: PlainRun, shift = 0): ReportedCall[] {
  const planned = plannedCalls(run)
  const calls: ReportedCall[] = []
  const share = 1 + dice.below(4)
  for (const [at, call] of run.trip.calls.entries()) {
    if (dice.below(4) >= share) continue
    const plan = planned[at]
    if (plan === undefined) continue
    const late = shift + (dice.pick(DELAYS) ?? 0)
    calls.push({
      ...placeOf(dice, call),
      ...randomWord(dice),
      ...eventsOf(dice, plan, late),
      ...extrasOf(dice, call.stop),
    })
  }
  return dice.below(20) === 0 ? calls.reverse() : calls
}

function placeOf(dice: Dice, { sequence, stop }: { readonly sequence: number; readonly stop: string }) {
  const kind = dice.below(20)
  if (kind === 0) return { sequence: 99 }
  if (kind === 1) return { stop: dice.pick([...STOPS, 'P', 'Q', 'ghost']) ?? stop }
  if (kind === 2) return { sequence, stop: dice.pick([...STOPS, 'ghost']) ?? stop }
  if (kind < 8) return { stop }
  return kind < 13 ? { sequence, stop } : { sequence }
}

function randomWord(dice: Dice): { readonly word: CallWord } {
  return { word: dice.pick(CALL_WORDS) ?? 'SCHEDULED' }
}

function extrasOf(dice: Dice, stop: string) {
  const platform =
    /^[PQ]/.test(stop) && dice.below(2) === 0
      ? `${stop[0]}${1 + dice.below(2)}`
      : dice.below(40) === 0
        ? 'X'
        : undefined
  return {
    ...(platform === undefined ? {} : { assigned: platform }),
    ...(dice.below(20) === 0 ? { headsign: 'Call' } : {}),
    ...(dice.below(20) === 0 ? { pickup: dice.below(3) } : {}),
    ...(dice.below(20) === 0 ? { dropOff: dice.below(3) } : {}),
  }
}

function eventsOf(dice: Dice, plan: { readonly arrival: number; readonly departure: number }, late: number) {
  const isTime = dice.below(2) === 0
  // Some events have a time and a delay that contradict each other. Then the time counts.
  const aside = dice.below(12) === 0 ? { delay: dice.pick(DELAYS) ?? 0 } : {}
  const event = (planned: number, more: number): ReportedEvent =>
    isTime ? { ...aside, time: planned + late + more } : { delay: late + more }
  const more = dice.below(5) === 0 ? (dice.pick(DELAYS) ?? 0) : 0
  switch (dice.below(6)) {
    case 0:
      return { arrival: event(plan.arrival, 0) }
    case 1:
      return { departure: event(plan.departure, 0) }
    case 2:
      return dice.below(3) === 0 ? { arrival: {} } : {}
    default:
      return { arrival: event(plan.arrival, more), departure: event(plan.departure, 0) }
  }
}

/** Reports calls at the given stops after the time `from`, for trips whose stops are not those of the timetable. */
function newCalls(dice: Dice, from: number, stops: readonly string[]): ReportedCall[] {
  let seconds = from
  return stops.map((stop): ReportedCall => {
    seconds += dice.pick(GAPS) ?? 0
    const arrival = seconds + (dice.below(8) === 0 ? 90 : 0)
    seconds += dice.below(4) === 0 ? 60 : 0
    const due = dice.below(5) === 0 ? { scheduled: seconds - 300 } : dice.below(5) === 0 ? { delay: 120 } : {}
    const events =
      dice.below(6) === 0
        ? { arrival: { time: arrival } }
        : { arrival: { time: arrival }, departure: { time: seconds, ...due } }
    const reported = dice.below(15) === 0 ? { departure: { delay: 60 } } : events
    return { stop: dice.below(25) === 0 ? 'ghost' : stop, ...randomWord(dice), ...reported, ...extrasOf(dice, stop) }
  })
}

function randomVehicle(dice: Dice, around: Around, at: number): ReportedVehicle {
  const run = pickRun(dice, around)
  const call = dice.pick(run.trip.calls)
  const trip = randomTrip(dice, run, dice.below(12) === 0 ? 'ADDED' : 'SCHEDULED')
  return {
    id: `v${at}`,
    trip,
    ...(dice.below(2) === 0 ? { seconds: around.seconds - dice.below(200) + 20 } : {}),
    ...(call === undefined ? {} : dice.below(2) === 0 ? { sequence: call.sequence } : { stop: call.stop }),
  }
}
