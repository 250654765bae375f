// Compares the planner's journeys at the times of real captures with the oracle's journeys, which use the trips that
// ran then. The planner reads feeds and captured messages in process. Run it with `QUAI_FEEDS=folder bun
// tests/real-live-journeys.ts`. Other settings: QUAI_QUESTIONS, QUAI_SEED, QUAI_ONLY.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diceOf } from './board-questions.ts'
import { describeLive, emptyVerdict, LiveJourneys, type LiveVerdict, liveQuery } from './live-journeys.ts'
import { readJourneyFeed } from './oracles/journey-feed.ts'
import { readBytes } from './oracles/realtime-bytes.ts'
import { CAPTURES, type Capture, capturePaths } from './real-realtime.ts'
import { weeksToMiddle, writeShiftedFeed } from './shifted-feed.ts'
import { SEED } from './size.ts'

/** Checks a number of queries at each time of a capture. */
export async function checkLiveCapture(
  folder: string,
  capture: Capture,
  { questions, seed }: { readonly questions: number; readonly seed: number },
): Promise<LiveVerdict> {
  const paths = capturePaths(folder, capture)
  const moments = await Promise.all(
    capture.moments.map((files) =>
      Promise.all(Object.values(files).map((file) => Bun.file(join(paths.captures, file)).bytes())),
    ),
  )
  const secondsOf = (messages: readonly Uint8Array[]) => Math.max(...messages.map((bytes) => readBytes(bytes).seconds))
  const moved = mkdtempSync(join(tmpdir(), 'quai-live-capture-'))
  try {
    const gtfs = capture.isSequence ? await moveFeed(paths.gtfs, moved, secondsOf(moments[0] ?? [])) : paths.gtfs
    const network = await LiveJourneys.open(gtfs)
    const dice = diceOf(seed)
    const verdict = emptyVerdict()
    for (const messages of moments) {
      const nowSeconds = secondsOf(messages)
      const moment = network.at(messages, nowSeconds, verdict)
      for (let requested = 0; requested < questions; requested++) {
        network.check(moment, liveQuery(moment, dice, nowSeconds), verdict)
      }
    }
    return verdict
  } finally {
    rmSync(moved, { recursive: true, force: true })
  }
}

/** Copies a feed and moves the copy's calendar to a time; returns the copy's path. */
export async function moveFeed(gtfs: string, folder: string, seconds: number): Promise<string> {
  const { dates } = await readJourneyFeed(gtfs)
  const copy = join(folder, 'feed')
  await writeShiftedFeed(gtfs, copy, weeksToMiddle(dates[0] ?? '', dates.at(-1) ?? '', seconds))
  return copy
}

if (import.meta.main) {
  const folder = process.env['QUAI_FEEDS']
  if (folder === undefined) throw new Error('QUAI_FEEDS must name a folder of GTFS zips and captures')
  const questions = Number(process.env['QUAI_QUESTIONS'] ?? 200)
  let failed = 0
  for (const capture of CAPTURES.filter(({ name }) => name.includes(process.env['QUAI_ONLY'] ?? ''))) {
    const verdict = await checkLiveCapture(folder, capture, { questions, seed: SEED })
    console.log(describeLive(capture.name, verdict))
    if (verdict.mismatches > 0) failed++
  }
  process.exit(failed > 0 ? 1 : 0)
}
