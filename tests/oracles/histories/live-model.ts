// The model of live histories. It applies the written rules to plain lists, and computes the state of every trip after
// each message of one feed. Each rule can be removed, to check that some history then shows a difference. Shares no
// code with indexes/live.

import type { ReportedCall, ReportedMessage, ReportedUpdate, ReportedVehicle } from './history-messages.ts'
import { choicesOf, findReported, findRun, isTimed, placeCalls } from './model-matching.ts'
import { ModelMemory } from './model-memory.ts'
import type { ModelCall, ModelTrip, Rules } from './model-rules.ts'
import { dwell, type Passed, predict, putInOrder, type TimedCall } from './model-times.ts'
import {
  DATES,
  isOtherPlatform,
  metersBetween,
  type PlainRun,
  plannedCalls,
  ROUTES,
  refOf,
  runOf,
  STOPS,
  suffixOf,
  TRIPS,
  zeroOf,
} from './plain-city.ts'

interface Reading {
  readonly nowSeconds: number
  readonly seconds: number
  readonly vehicles: ReadonlyMap<string, { readonly vehicle: ReportedVehicle; readonly seconds: number }>
}

/** A model of the city's trips, which reads the messages of one feed. */
export class LiveModel {
  private readonly rules: Rules
  private readonly memory = new ModelMemory()
  private updates = new Map<string, ReportedUpdate>()
  private reports = new Map<string, ReportedVehicle>()
  /** Key of a call or trip start that is not in the timetable → its first predicted time, which counts as scheduled. */
  private firstReported = new Map<string, number>()
  private nextFirst = new Map<string, number>()
  /** How many updates matched a trip when the last message was read. */
  matched = 0

  constructor(rules: Rules) {
    this.rules = rules
  }

  /** Reads a message. Returns the state of all trips after it. */
  read(message: ReportedMessage): ReadonlyMap<string, ModelTrip> {
    if (!message.isDifferential) {
      this.updates = new Map()
      this.reports = new Map()
    }
    for (const id of message.deleted) {
      this.updates.delete(id)
      this.reports.delete(id)
    }
    // An update that is sent again moves to the end of `updates`.
    for (const update of message.updates) {
      this.updates.delete(update.id)
      this.updates.set(update.id, { ...update, seconds: update.seconds ?? message.seconds })
    }
    for (const vehicle of message.vehicles) {
      this.reports.delete(vehicle.id)
      this.reports.set(vehicle.id, { ...vehicle, seconds: vehicle.seconds ?? message.seconds })
    }
    const nowSeconds = message.seconds
    const vehicles = this.newestReports(nowSeconds)
    const trips = new Map<string, ModelTrip>()
    this.matched = 0
    this.nextFirst = new Map()
    for (const update of this.updates.values()) {
      const seconds = update.seconds ?? nowSeconds
      const trip = this.readUpdate(update, { nowSeconds, seconds, vehicles })
      if (trip === undefined) continue
      this.matched++
      if ((trips.get(trip.ref)?.seconds ?? Number.NEGATIVE_INFINITY) <= trip.seconds) trips.set(trip.ref, trip)
    }
    this.firstReported = this.nextFirst
    this.addSilent(trips, nowSeconds)
    if (this.rules.blocks) carryAlong(trips)
    return trips
  }

  private newestReports(nowSeconds: number) {
    const newest = new Map<string, { vehicle: ReportedVehicle; seconds: number }>()
    for (const vehicle of this.reports.values()) {
      if (['ADDED', 'NEW', 'DUPLICATED'].includes(vehicle.trip.word) || vehicle.trip.tripId === undefined) continue
      const found = findReported(vehicle.trip, { first: undefined, isWhole: false, nowSeconds, rules: this.rules })
      if (found === undefined) continue
      const seconds = Math.min(vehicle.seconds ?? nowSeconds, nowSeconds)
      const ref = refOf(found.run)
      if ((newest.get(ref)?.seconds ?? Number.NEGATIVE_INFINITY) <= seconds) newest.set(ref, { vehicle, seconds })
    }
    return newest
  }

  private readUpdate(update: ReportedUpdate, reading: Reading): ModelTrip | undefined {
    const { word, tripId } = update.trip
    if (word === 'ADDED' || word === 'NEW') {
      const isKnown = tripId !== undefined && TRIPS.has(tripId)
      if (!isKnown || this.rules.namesake) return this.readAdded(update, reading)
    }
    if (word === 'DUPLICATED') return this.readCopy(update, reading)
    const found = findRun(update, reading.nowSeconds, this.rules)
    if (found === undefined) return undefined
    if (word === 'REPLACEMENT') return this.readReplacement(update, found.run, reading)
    return this.readKnown(update, found, reading)
  }

  private readKnown(update: ReportedUpdate, { run, isNamed }: { run: PlainRun; isNamed: boolean }, reading: Reading) {
    const { rules } = this
    const { word } = update.trip
    const isOff = word === 'CANCELED' || word === 'DELETED'
    const reported = isOff ? [] : update.calls
    const reports = placeCalls(run.trip, reported)
    if (reported.length > 0 && !isNamed && reports.every((call) => call === undefined)) return undefined
    const ref = refOf(run)
    const reached = this.reachedBy(run, reading)
    const dark = this.darkCalls(reports)
    const passed = isOff ? undefined : this.memory.passed(ref, { dark, seconds: reading.seconds, reached })
    const delay = isOff ? undefined : update.delay
    const planned = plannedCalls(run)
    const times = predict(planned, reports, { delay, nowSeconds: reading.nowSeconds, passed, rules })
    const calls = times.map((time, at) => this.knownCall(run, { at, time, report: reports[at], planned: planned[at] }))
    const kept = calls.filter(({ isSkipped }) => !isSkipped).length
    const isCalledOff = isOff || (kept < 2 && rules.oneCall)
    if (isCalledOff) this.memory.forget(ref)
    else {
      if (rules.closedEnds) closeEnds(calls)
      this.memory.remember(ref, calls, {
        dark,
        seconds: reading.seconds,
        nowSeconds: reading.nowSeconds,
        reached,
        planned,
      })
    }
    const state =
      word === 'DELETED' ? 'deleted' : isCalledOff ? 'canceled' : word === 'UNSCHEDULED' ? 'unscheduled' : 'runs'
    const headsign = update.headsign ?? this.endHeadsign(run, calls)
    return { ref, run, route: run.trip.route, state, headsign, seconds: reading.seconds, calls } as const
  }

  private knownCall(
    { trip }: PlainRun,
    of: { at: number; time: TimedCall; report: ReportedCall | undefined; planned: ModelCall['planned'] | undefined },
  ): ModelCall {
    const { at, time, report } = of
    const call = trip.calls[at]
    if (call === undefined || of.planned === undefined) throw new Error('the trip does not have this call')
    const named = report?.assigned ?? report?.stop
    const isMoved =
      this.rules.platforms && named !== undefined && STOPS.includes(named) && isOtherPlatform(named, call.stop)
    const mayUse = (type: number | undefined) => type !== undefined && type !== 1
    return {
      ...time,
      stop: isMoved ? named : call.stop,
      position: at,
      planned: of.planned,
      boards: (call.boards || mayUse(report?.pickup)) && at < trip.calls.length - 1,
      alights: (call.alights || mayUse(report?.dropOff)) && at > 0,
      isUnplanned: false,
      headsign: report?.headsign ?? '',
    }
  }

  private reachedBy(run: PlainRun, { vehicles }: Reading) {
    const found = vehicles.get(refOf(run))
    if (found === undefined) return undefined
    const [call, ...others] = choicesOf(run.trip, found.vehicle)
    return call === undefined || others.length > 0 ? undefined : { call, seconds: found.seconds }
  }

  private darkCalls(reports: readonly (ReportedCall | undefined)[]): boolean[] {
    let isDark = false
    return reports.map((call) => {
      if (call?.word === 'NO_DATA') isDark = true
      else if (call !== undefined && isTimed(call, this.rules)) isDark = false
      return isDark
    })
  }

  /** The new last stop of a run, if the last stop changed and the headsign was the old last stop; otherwise empty. */
  private endHeadsign({ trip }: PlainRun, calls: readonly ModelCall[]): string {
    const ends = calls.findLast(({ isSkipped }) => !isSkipped)?.stop
    const terminus = trip.calls.at(-1)?.stop
    const reads = trip.headsign || terminus
    return this.rules.newTerminus && ends !== undefined && ends !== terminus && reads === terminus ? ends : ''
  }

  /** For a trip that is added or has other stops than scheduled: the calls with a known stop and a time. */
  private newCalls(update: ReportedUpdate, nowSeconds: number) {
    const calls = update.calls.flatMap((reported, at) => {
      const stop = reported.assigned ?? reported.stop
      const arrival = reported.arrival?.time ?? reported.departure?.time
      const departure = reported.departure?.time ?? reported.arrival?.time
      if (stop === undefined || !STOPS.includes(stop) || arrival === undefined || departure === undefined) return []
      const due = reported.departure ?? reported.arrival
      const scheduled =
        due?.scheduled ?? (due?.time === undefined || due.delay === undefined ? undefined : due.time - due.delay)
      return {
        stop,
        reported,
        given: departure,
        scheduled,
        ...dwell({ arrival, departure }, this.rules),
        isPredicted: reported.word !== 'SKIPPED' && !(reported.word === 'NO_DATA' && this.rules.noData),
        isSkipped: reported.word === 'SKIPPED',
        boards: reported.pickup !== 1 && at < update.calls.length - 1,
        alights: reported.dropOff !== 1 && at > 0,
      }
    })
    putInOrder(calls, { passed: undefined, nowSeconds, rules: this.rules })
    return calls
  }

  private firstExpected(key: string, now: number): number {
    const first = (this.rules.frozen ? this.firstReported.get(key) : undefined) ?? now
    this.nextFirst.set(key, first)
    return first
  }

  private unplannedCall(call: ReturnType<LiveModel['newCalls']>[number], key: string): ModelCall {
    const { stop, arrival, departure, isPredicted, isSkipped, boards, alights, given, scheduled, reported } = call
    const usual = isPredicted ? departure : given
    const first = this.firstExpected(key, scheduled ?? usual)
    const due = scheduled ?? first
    const planned = { arrival: due - (departure - arrival), departure: due }
    const isUnplanned = scheduled === undefined
    const rest = { position: undefined, planned, isUnplanned, headsign: reported.headsign ?? '' }
    return { stop, arrival, departure, isPredicted, isSkipped, boards, alights, ...rest }
  }

  private readAdded(update: ReportedUpdate, reading: Reading): ModelTrip | undefined {
    const { tripId, route: reported, date: on, start } = update.trip
    const namesake = tripId === undefined ? undefined : TRIPS.get(tripId)
    const route = reported ?? namesake?.route
    if (route === undefined || !ROUTES.has(route)) return undefined
    const news = this.newCalls(update, reading.nowSeconds)
    const [first] = news
    if (first === undefined || news.filter(({ isSkipped }) => !isSkipped).length < 2) return undefined
    const known = news.filter(({ isPredicted }) => isPredicted)
    const isTooFast = known.some((call, at) => {
      const before = known[at - 1]
      if (before === undefined) return false
      return metersBetween(before.stop, call.stop) > 100 * Math.max(1, call.arrival - before.departure)
    })
    if (isTooFast) return undefined
    const date = on ?? dateOfInstant(first.departure)
    const name = tripId ?? update.id
    const startOf = () => {
      const starts = this.firstExpected(`start ${date} ${name} ${start}`, first.given)
      const since = DATES.includes(date as never) ? starts - zeroOf(date) : -1
      return since >= 0 ? since : starts - zeroOf(dateOfInstant(starts))
    }
    const seconds = namesake === undefined ? (tripId === undefined ? start : undefined) : startOf()
    const ref = `${date}:${name}${seconds === undefined ? '' : suffixOf(seconds)}`
    const calls = news.map((call, at) => this.unplannedCall(call, `${ref} ${at} ${call.stop}`))
    if (this.rules.closedEnds) closeEnds(calls)
    const headsign = update.headsign ?? calls.findLast(({ isSkipped }) => !isSkipped)?.stop ?? ''
    return { ref, run: undefined, route, state: 'added', headsign, seconds: reading.seconds, calls }
  }

  private readCopy(update: ReportedUpdate, reading: Reading): ModelTrip | undefined {
    const { copy, trip: reported } = update
    const date = copy?.date ?? reported.date
    const trip = reported.tripId === undefined ? undefined : TRIPS.get(reported.tripId)
    const run =
      trip !== undefined && date !== undefined
        ? { trip, date, start: undefined }
        : findRun(update, reading.nowSeconds, this.rules)?.run
    if (run === undefined || !DATES.includes(run.date as never)) return undefined
    const usual = run.start ?? run.trip.calls[0]?.departure ?? 0
    const start = copy?.start ?? (copy === undefined ? reported.start : undefined) ?? usual
    if (copy?.tripId === undefined && start === usual) return undefined
    const shift = this.rules.copies ? start - usual : 0
    const planned = plannedCalls(run).map(({ arrival, departure }) => ({
      arrival: arrival + shift,
      departure: departure + shift,
    }))
    const reports = placeCalls(run.trip, update.calls)
    const { nowSeconds } = reading
    const times = predict(planned, reports, { delay: update.delay, nowSeconds, passed: undefined, rules: this.rules })
    const calls = times.map((time, at) => {
      const call = this.knownCall(run, { at, time, report: reports[at], planned: planned[at] })
      return { ...call, headsign: reports[at]?.headsign ?? '' }
    })
    if (this.rules.closedEnds) closeEnds(calls)
    const ref = `${run.date}:${copy?.tripId ?? `${run.trip.id}${suffixOf(start)}`}`
    const headsign =
      update.headsign ?? (this.endHeadsign(run, calls) || run.trip.headsign || (run.trip.calls.at(-1)?.stop ?? ''))
    return { ref, run: undefined, route: run.trip.route, state: 'added', headsign, seconds: reading.seconds, calls }
  }

  private readReplacement(update: ReportedUpdate, run: PlainRun, reading: Reading): ModelTrip | undefined {
    const news = this.newCalls(update, reading.nowSeconds)
    if (news.filter(({ isSkipped }) => !isSkipped).length < 2) return undefined
    const planned = plannedCalls(run)
    const calls: ModelCall[] = []
    let next = 0
    const leaveOut = (end: number) => {
      for (; next < end; next++) {
        const plan = planned[next]
        if (plan === undefined || !this.rules.replaced) continue
        const time = { ...plan, isPredicted: false, isSkipped: true }
        calls.push(this.knownCall(run, { at: next, time, report: undefined, planned: plan }))
      }
    }
    for (const [at, call] of news.entries()) {
      const live = this.unplannedCall(call, `${refOf(run)} ${at} ${call.stop}`)
      const position = run.trip.calls.findIndex(({ stop }, there) => there >= next && stop === call.stop)
      const plan = planned[position]
      if (plan === undefined) calls.push(live)
      else {
        leaveOut(position)
        calls.push({ ...live, position, planned: plan, isUnplanned: false })
        next = position + 1
      }
    }
    leaveOut(planned.length)
    if (this.rules.closedEnds) closeEnds(calls)
    const headsign = update.headsign ?? this.endHeadsign(run, calls)
    return { ref: refOf(run), run, route: run.trip.route, state: 'runs', headsign, seconds: reading.seconds, calls }
  }

  /** If the message omits a trip that left a call early, adds the trip. Otherwise, boards would show the call again. */
  private addSilent(trips: Map<string, ModelTrip>, nowSeconds: number): void {
    const reportedRefs = new Set([...trips.values()].flatMap(({ run }) => (run === undefined ? [] : refOf(run))))
    for (const { ref, left } of this.memory.silent(reportedRefs, nowSeconds)) {
      if (!this.rules.passed) continue
      const run = runOf(ref)
      const planned = plannedCalls(run)
      if (!planned.some(({ departure }, at) => departure > nowSeconds && left[at] !== undefined)) continue
      const passed: Passed = { left, reached: 0, reachedSeconds: 0 }
      const reports = planned.map(() => undefined)
      const times = predict(planned, reports, { delay: undefined, nowSeconds, passed, rules: this.rules })
      const calls = times.map((time, at) => this.knownCall(run, { at, time, report: undefined, planned: planned[at] }))
      trips.set(ref, { ref, run, route: run.trip.route, state: 'runs', headsign: '', seconds: 0, calls })
    }
  }
}

function closeEnds(calls: readonly ModelCall[]): void {
  const kept = calls.filter(({ isSkipped }) => !isSkipped)
  const [first, last] = [kept[0], kept.at(-1)]
  if (first !== undefined) first.alights = false
  if (last !== undefined) last.boards = false
}

/** If the predicted end of a trip is after the scheduled start of the next trip of its block, delays the next trip. */
function carryAlong(trips: Map<string, ModelTrip>): void {
  for (const { run, state, calls, seconds } of [...trips.values()]) {
    const end = calls.at(-1)
    if (run === undefined || state !== 'runs' || end === undefined || !end.isPredicted || run.trip.block === '')
      continue
    const after = [...TRIPS.values()].find(
      ({ block, calls: [start] }) =>
        block === run.trip.block && (start?.departure ?? 0) >= (run.trip.calls.at(-1)?.arrival ?? 0),
    )
    if (after === undefined || !after.dates.includes(run.date)) continue
    const next = { trip: after, date: run.date, start: undefined }
    const ref = refOf(next)
    const planned = plannedCalls(next)
    const delay = end.arrival - (planned[0]?.departure ?? 0)
    if (delay <= 0 || trips.has(ref)) continue
    trips.set(ref, {
      ref,
      run: next,
      route: after.route,
      state: 'runs',
      headsign: '',
      seconds,
      calls: after.calls.map(({ stop, boards, alights }, at): ModelCall => {
        const plan = planned[at] ?? { arrival: 0, departure: 0 }
        const late = { arrival: plan.arrival + delay, departure: plan.departure + delay }
        return {
          ...late,
          stop,
          position: at,
          planned: plan,
          boards,
          alights,
          isPredicted: true,
          isSkipped: false,
          isUnplanned: false,
          headsign: '',
        }
      }),
    })
  }
}

/** The day of an instant in Paris during summer time, yyyymmdd. */
function dateOfInstant(seconds: number): string {
  return new Date((seconds + 7200) * 1000).toISOString().slice(0, 10).replaceAll('-', '')
}
