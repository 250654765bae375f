// Tests the sentences that explain boards, on a feed small enough to check by eye. Fails if a sentence does not name
// the decisive fact, or describes the effect of a live feed wrongly.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildOverlay } from '../../../indexes/live/build-overlay.ts'
import { LiveTripReader } from '../../../indexes/live/live-trips.ts'
import { decodeMessage } from '../../../loaders/gtfs-rt/decode-message.ts'
import { importNetwork } from '../../../src/imports/import-network.ts'
import { NetworksControl } from '../../../src/imports/networks-control.ts'
import { allocateCounts } from '../../../src/metrics/count-memory.ts'
import type { ExplainForm } from '../../../src/operator/explain-question.ts'
import { type ExplainAnswer, explainForm } from '../../../src/operator/explanation.ts'
import type { OperatorSources } from '../../../src/operator/operator-sources.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import type { FeedEntity } from '../../random-updates.ts'

const NOW_SECONDS = Date.parse('2026-06-10T06:00:00Z') / 1000
const CLOCK = { nowMillis: () => NOW_SECONDS * 1000 }
const [CANCELED, DELETED, SKIPPED] = [3, 7, 1]

/** Trip o1 does not run on Wednesday 2026-06-10. Trip f runs every half hour. */
const FEED = {
  ...SMALL_FEED,
  'calendar_dates.txt': 'service_id,date,exception_type\nodd,20260610,2',
  'calendar.txt': `${SMALL_FEED['calendar.txt']}\nodd,1,1,1,1,1,1,1,20260601,20260630`,
  'trips.txt': `${SMALL_FEED['trips.txt']}\nA,odd,o1,Port,0\nA,daily,f,Port,0`,
  'stop_times.txt': `${SMALL_FEED['stop_times.txt']}
    o1,08:03:00,08:03:00,G,1
    o1,08:09:00,08:09:00,P,2
    f,05:00:00,05:00:00,G,1
    f,05:10:00,05:10:00,P,2`,
  'frequencies.txt': 'trip_id,start_time,end_time,headway_secs\nf,05:00:00,10:00:00,1800',
}

let folder = ''
let networks: NetworksControl

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quai-operator-'))
  const feed = join(folder, 'feed')
  mkdirSync(feed)
  for (const [name, text] of Object.entries(FEED)) writeFileSync(join(feed, name), dedent(text))
  const feeds = [{ source: feed, prefix: '' }]
  const order = { network: 'ville', feeds, timezone: undefined, dataDir: folder, force: false }
  expect((await importNetwork(order, CLOCK)).outcome).toBe('imported')
  networks = new NetworksControl({
    dataDir: folder,
    networks: [
      {
        settings: { id: 'ville', name: 'Ville', city: '', attribution: [] },
        sources: [feed],
        feeds,
        timezone: undefined,
        refreshSeconds: 0,
      },
    ],
    clock: CLOCK,
    onChange: async () => undefined,
    log: () => {},
  })
  networks.open()
})
afterAll(() => {
  networks.close()
  rmSync(folder, { recursive: true })
})

/** The data for the operator pages while a live feed reports these entities. */
function sourcesWith(entities: readonly FeedEntity[]): OperatorSources {
  const snapshot = networks.find('ville')?.served?.loaded.snapshot
  if (snapshot === undefined) throw new Error('the network is not served')
  const { trips: updates } = decodeMessage(realtimeFeed(NOW_SECONDS, entities))
  const reader = new LiveTripReader(snapshot.timetable)
  const { trips, unmatched } = reader.read([{ timestampSeconds: NOW_SECONDS, trips: updates }], NOW_SECONDS)
  const meta = { snapshotId: snapshot.id, version: 1, baseSeconds: NOW_SECONDS, feedIds: ['live'] }
  const [left = []] = unmatched
  return {
    dataDir: folder,
    accountStore: 'SQLite',
    configured: () => [],
    networks,
    streets: { state: undefined },
    live: {
      listFeeds: () => [],
      overlayOf: () => buildOverlay(snapshot.timetable, trips, meta),
      listUnmatched: async () => [{ feed: 'live', total: left.length, updates: left }],
    },
    counts: allocateCounts(1),
    openStreams: () => 0,
    replacedThreads: () => 0,
    listForwarders: () => [],
    ledgerLag: () => ({ seconds: 0, units: 0 }),
    isFlushFailing: () => false,
    lastFlushFault: () => undefined,
    isStarted: () => true,
    isReady: () => true,
    clock: CLOCK,
    startedAtMillis: 0,
  }
}

const EMPTY: ExplainForm = { network: 'ville', stop: '', line: '', trip: '', at: '', horizon: '', limit: '' }

async function answer(form: Partial<ExplainForm>, entities: readonly FeedEntity[] = []): Promise<ExplainAnswer> {
  const explained = await explainForm(sourcesWith(entities), { ...EMPTY, ...form })
  if ('fault' in explained) throw new Error(explained.fault.sentence)
  return explained.answer
}

/** Why a trip of the current service day is on a board, or why it is not. */
async function why(trip: string, form: Partial<ExplainForm>, entities: readonly FeedEntity[] = []): Promise<string> {
  const { board } = await answer(form, entities)
  const rows = board?.departures.filter(({ run, service_date }) => run === trip && service_date === '2026-06-10') ?? []
  expect(rows).toHaveLength(1)
  return `${rows[0]?.reason ?? rows[0]?.verdict}: ${rows[0]?.because}`
}

const update = (tripId: string, more: object): FeedEntity => ({
  id: tripId,
  tripUpdate: { trip: { tripId, startDate: '20260610' }, ...more },
})

test('the timetable’s reasons', async () => {
  expect(await why('a1', { stop: 'G' })).toBe(
    'shown: Row 1 of the board, as scheduled: no live update matches this trip.',
  )
  expect(await why('o1', { stop: 'G' })).toBe(
    'service_not_running: Its service odd does not run on Wednesday 2026-06-10: it last ran on Tuesday 2026-06-09, and it ' +
      'next runs on Thursday 2026-06-11. It runs on the Wednesdays before and after, so calendar_dates.txt probably removes ' +
      'this day.',
  )
  expect(await why('r1', { stop: 'G' })).toBe(
    'trip_ends_here: It is the last call of the trip. Boards show departures only.',
  )
  expect(await why('a2', { stop: 'G', horizon: '5' })).toBe(
    'after_window: It departs at 08:10:00, after the window (08:00:00 to 08:05:00).',
  )
  expect(await why('b1', { stop: 'CB', line: 'A' })).toBe('other_line: The query is limited to line A.')
  expect(await why('a2', { stop: 'G', limit: '2' })).toBe(
    'beyond_limit: It is in the window, but the board is limited to 2 rows.',
  )
})

test('the reasons of a live feed', async () => {
  const late = update('a1', { stopTimeUpdate: [{ stopId: 'G', departure: { delay: 600 } }] })
  expect(await why('a1', { stop: 'G' }, [late])).toBe(
    'shown: Row 2 of the board, expected at 08:10:00 according to feed live, 10 min late.',
  )
  expect(await why('a1', { stop: 'G', horizon: '5' }, [late])).toBe(
    'predicted_after_window: Scheduled at 08:00:00. According to feed live, it departs at 08:10:00, after the window.',
  )
  const early = update('a2', { stopTimeUpdate: [{ stopId: 'G', departure: { delay: -660 } }] })
  expect(await why('a2', { stop: 'G' }, [early])).toBe(
    'predicted_before_window: Scheduled at 08:10:00. According to feed live, it departed at 07:59:00, before the window.',
  )
  const gone = update('a2', { stopTimeUpdate: [{ stopId: 'P', arrival: { delay: -1400 } }] })
  expect(await why('a2', { stop: 'CA' }, [gone])).toBe(
    'left_behind: Feed live has no prediction for this call, but has one for a later call of the trip, so it departed no later than ' +
      '07:58:40.',
  )
  const moved = update('b1', {
    stopTimeUpdate: [{ stopSequence: 1, departure: { delay: 0 }, stopTimeProperties: { assignedStopId: 'CA' } }],
  })
  expect(await why('b1', { stop: 'CB' }, [moved])).toBe(
    'moved_to_other_stop: Feed live moved it to Centre, platform A (CA), which is not on this board.',
  )
  expect(await why('b1', { stop: 'CA' }, [moved])).toBe(
    'shown: Row 2 of the board, expected at 08:10:00 according to feed live, on time.',
  )
  const off = (scheduleRelationship: number) => ({
    id: 'b1',
    tripUpdate: { trip: { tripId: 'b1', startDate: '20260610', scheduleRelationship } },
  })
  expect(await why('b1', { stop: 'CB' }, [off(CANCELED)])).toEndWith('shown as canceled by feed live.')
  expect(await why('b1', { stop: 'CB' }, [off(DELETED)])).toBe(
    'deleted_by_feed: Feed live deleted the trip, so it is not shown.',
  )
  const skipped = update('a1', { stopTimeUpdate: [{ stopId: 'CA', scheduleRelationship: SKIPPED }] })
  expect(await why('a1', { stop: 'CA' }, [skipped])).toEndWith(
    'shown as skipped: according to feed live, the trip does not stop here.',
  )
})

test('a run from a feed replaces the scheduled one beside it', async () => {
  const run = {
    id: 'f',
    tripUpdate: {
      trip: { tripId: 'f', startDate: '20260610', startTime: '08:05:00' },
      stopTimeUpdate: [{ stopId: 'G', departure: { delay: 0 } }],
    },
  }
  expect(await why('f@08:00:00', { stop: 'G' })).toStartWith('shown: ')
  expect(await why('f@08:00:00', { stop: 'G' }, [run])).toStartWith('replaced_by_live_run: ')
  expect(await why('f@08:05:00', { stop: 'G' }, [run])).toStartWith('shown: ')
})

test('a single trip', async () => {
  const { trip, board } = await answer({ trip: 'ville:trip:20260610:o1' })
  expect(board).toBeNull()
  expect(trip?.because[0]).toStartWith(
    'The snapshot has this trip. Its service odd does not run on Wednesday 2026-06-10',
  )
  expect(trip?.calls.map(({ stop, is_boardable }) => [stop.id, is_boardable])).toEqual([
    ['G', true],
    ['P', false],
  ])
  // The previous evening's trip is still underway.
  const night = await answer({ trip: 'a3', at: '2026-06-11T00:05' })
  expect(night.trip?.because[0]).toBe('The snapshot has this trip; it runs on Wednesday 2026-06-10.')
  const outside = await answer({ trip: 'ville:trip:20270101:a1' })
  expect(outside.trip?.because).toEqual(['The snapshot has this trip, but its calendar does not include 20270101.'])
  const frequent = await answer({ trip: 'f' })
  expect(frequent.trip?.because).toContain('It runs every 1800 s from 05:00:00 until 10:00:00.')
})

test('an overlay for another snapshot does not affect this one', async () => {
  const sources = sourcesWith([update('a1', { delay: 600 })])
  const overlay = sources.live.overlayOf('ville')
  if (overlay === undefined) throw new Error('the feed reports no trip')
  const other = { ...overlay, meta: { ...overlay.meta, snapshotId: 'another' } }
  const explained = await explainForm(
    { ...sources, live: { ...sources.live, overlayOf: () => other } },
    { ...EMPTY, stop: 'G' },
  )
  if ('fault' in explained) throw new Error(explained.fault.sentence)
  expect(explained.answer.board?.departures.every(({ feed }) => feed === null)).toBe(true)
})
