// The tests of motis-project/nigiri, rewritten for Quai. A change takes two minutes unless a test sets another time.
import { delayedTrip } from '../../feeds/realtime-feed.ts'
import { onOneDay, readCases, withLive } from './case-text.ts'
import { REVIEWED_RULES, TRANSFER_RULES, VIRTUAL_STOPS } from './nigiri-transfers.ts'
import type { PeerFile } from './peer-network.ts'

/**
 * Nigiri's timetable with three towns. One line runs every half hour. The other line runs at different minutes at night
 * than during the day.
 */
const TOWNS = `
  change 120
  trip a: A 00:00, B 01:00
  frequency a,02:30:00,09:00:00,1800,1
  trip night: B 00:00, C 01:00
  frequency night,04:00:00,04:45:00,1800,1
  trip day: B 00:00, C 01:00
  frequency day,04:45:00,09:00:00,1800,1`

const TOWNS_TESTS = `
  test raptor-forward
    ${TOWNS}
    ask A to C after 05:00 until 05:59
      05:00 07:15 a > day
      05:30 07:45 a > day
  test raptor-backward
    ${TOWNS}
    ask A to C by 05:59 until 05:00
      02:30 05:00 a > night
      03:00 05:30 a > night
      03:30 05:45 a > day
`

const INTERMODAL = `
  test intermodal_abc
    ${TOWNS}
    ask A 600 to C 900 after 05:00 until 05:59
      05:20 08:00 a > day
      05:50 08:30 a > day
  test abc
    ${TOWNS}
    ask soonest A to C after 05:00 until 05:59
      05:00 07:15 a > day
  test same_day_transfer
    change 120
    trip r0: S0 00:00, S1 06:00
    trip r1: S1 12:00, S2 13:00
    ask S0 to S2 after 00:00
      00:00 13:00 r0 > r1
    ask S0 to S2 by 13:00
      00:00 13:00 r0 > r1
  test next_day_transfer
    change 120
    trip r0: S0 00:00, S1 12:00
    trip r1 on 20260611: S1 06:00, S2 08:00
    ask S0 to S2 after 00:00
      00:00 32:00 r0 > r1
  test no_transfer
    change 120
    trip r0: S0 00:00, S1 12:00
    trip r1 on 20260613: S1 06:00, S2 07:00
    ask S0 to S1 after 00:00
      00:00 12:00 r0
    ask S0 to S2 after 00:00
      00:00 79:00 r0 > r1
      pinned journeys: the wait at a change is not limited; its author: none, as a change waits a day at most
  test long_transfer
    change 120
    trip r0: S0 00:00, S1 76:00
    trip r1 on 20260613: S1 06:00, S2 07:00
    ask S0 to S2 after 00:00
      00:00 79:00 r0 > r1
  test weekday_transfer
    change 120
    trip r0 on 20260608 20260609 20260610 20260611 20260612: S0 00:00, S1 02:00
    trip r1 on 20260608 20260609 20260610 20260611 20260612: S1 01:00, S2 03:00
    ask soonest S0 to S2 after 00:00
      00:00 27:00 r0 > r1
    ask S0 to S2 after 00:00 date 2026-06-12
  test daily_transfer
    change 120
    trip r0 on 20260610 20260611: S0 00:00, S1 02:00
    trip r1 on 20260610 20260611: S1 03:00, S2 04:00
    ask soonest S0 to S2 after 00:00
      00:00 04:00 r0 > r1
  test early_stop_transfer
    change 120
    trip r0-0: S0 00:00, S1 01:00, S2 02:00, S3 03:00, S1 04:00, S4 05:00
    trip r0-1: S0 04:00, S1 05:00, S2 06:00, S3 07:00, S1 08:00, S4 09:00
    ask soonest S3 to S2 after 00:00
      03:00 06:00 r0-0 > r0-1
  test no_journey_possible
    change 120
    trip r0-0: S0 00:00, S1 01:00, S2 02:00, S3 03:00, S1 04:00, S4 05:00
    trip r0-1: S0 04:00, S1 05:00, S2 06:00, S3 07:00, S1 08:00, S4 09:00
    ask S4 to S0 after 00:00
  test earlier_transport_transfer
    change 120
    trip r0-0: S0 00:00, S1 01:00, S2 02:00, S3 03:00, S1 04:00, S4 05:00
    trip r0-1: S0 02:00, S1 03:00, S2 04:00, S3 05:00, S1 05:00, S4 06:00
    ask soonest S0 to S4 after 01:30
      02:00 05:00 r0-1 > r0-0
      02:00 06:00 r0-1
  test unnecessary_transfer_1
    change 120
    trip r0: S0 00:00, S1 01:00, S2 02:00
    trip r1: S1 01:10, S2 04:00
    ask S0 to S2 after 00:00
      00:00 02:00 r0
  test unnecessary_transfer_2
    change 120
    trip r0: S0 00:00, S2 01:00, S3 02:00, S4 03:00
    trip r1: S1 00:10, S2 01:10, S3 02:10, S5 03:10
    ask S0 to S5 after 00:00
      00:00 03:10 r0 > r1
  test early_train
    change 120
    trip r0 on 20260607: S0 00:00, S2 76:00/80:00, S3 81:00
    trip r1: S1 06:00, S2 07:00
    ask S1 to S3 after 05:00
      06:00 09:00 r1 > r0
`

const A_STAR = `
  test a_star_no_transfer
    change 120
    trip r0: S0 00:00, S1 01:00, S2 02:00, S3 03:00, S4 04:00
    trip r1: S2 02:10, S5 02:30, S3 02:50
    ask S0 to S4 after 00:00
      00:00 04:00 r0
  test a_star_with_transfer
    change 120
    trip r0 block 1: S0 00:00, S1 01:00, S2 02:00
    trip r1 block 1: S1 01:10, S3 02:00
    ask S0 to S3 after 00:00
      00:00 02:00 r0 > r1
  test a_star_longer_routes
    change 120
    trip r0 block 1: S0 00:00, S1 01:00, S2 02:00, S3 03:00, S4 04:00
    trip r1 block 1: S3 03:10, S5 04:00, S6 05:00, S8 06:00
    trip r2 block 1: S6 05:10, S7 06:00
    ask S0 to S7 after 00:00
      00:00 06:00 r0 > r1 > r2
`

const INTERVALS = `
  test max_interval
    trip re-1: A 12:00, B 13:00
    trip re-2: A 13:00, B 14:00
    trip re-3: A 14:00, B 15:00
    ask A to B after 12:00 until 13:59
      12:00 13:00 re-1
      13:00 14:00 re-2
`

const GAP = `
  test pong_gap_truncation
    change 120
    trip ph: A 09:59, B 11:00
    trip ea: A 10:05, C 10:20
    trip eb: C 10:30, B 11:00
    trip l: A 15:00, B 15:30
    ask A to B after 10:00
      10:05 11:00 ea > eb
      15:00 15:30 l
`

const AHEAD = `
  test pong_min_lookahead
    change 120
    trip r0: S0 05:00, S1 06:00
    trip r1: S1 08:00, S2 10:00
    ask S0 to S2 after 00:00
      05:00 10:00 r0 > r1
`

const FOOTPATHS = `
  test raptor_shortest_fp_forward
    change 120
    trip a: A0 02:00, A1 02:01/02:02, A2 02:06/02:07, A3 02:15/02:16, A4 02:20/02:21, A5 02:25
    trip b: B0 03:00, B1 03:20/03:22, B2 03:30/03:32, B3 03:40
    trip c: C0 04:00, C1 04:08/04:10, C2 04:18/04:20, C3 04:30/04:32, C4 04:40/04:42, C5 04:50
    transfer A3,B0,2,300
    transfer A4,B1,2,600
    transfer B2,C1,2,600
    transfer B3,C2,2,300
    ask A0 180 + A1 300 + A2 600 to C3 1800 + C4 1200 + C5 600 after 00:00
      01:57 05:00 a > b > c
    ask A0 180 + A1 300 + A2 600 to C3 1800 + C4 1200 + C5 600 by 12:00
      01:57 05:00 a > b > c
`

const TIMES = `
  trip t1: A 10:00, B 10:10
  trip t2-1: B 10:13, C 10:22
  trip t2-2: B 10:20, C 10:30
  trip t4: A 09:55, C 10:35`

/**
 * Cases about how long a change takes. Nigiri’s tests multiply the time for a change by 1, 1.5, 2, …; here, each test
 * states the resulting time.
 */
const SETTINGS = `
  test transfer_travel_test: default
    change 120
    ${TIMES}
    ask A to C after 00:00
      10:00 10:22 t1 > t2-1
      09:55 10:35 t4
    ask A to C by 24:00
      10:00 10:22 t1 > t2-1
      09:55 10:35 t4
    ask A to C after 00:00 changes 0
      09:55 10:35 t4
    ask A to C after 00:00 modes ferry
  test transfer_travel_test: three minutes
    change 180
    ${TIMES}
    ask A to C after 00:00
      10:00 10:22 t1 > t2-1
      09:55 10:35 t4
  test transfer_travel_test: four minutes
    change 240
    ${TIMES}
    ask A to C after 00:00
      10:00 10:30 t1 > t2-2
      09:55 10:35 t4
  test transfer_travel_test: ten minutes
    change 600
    ${TIMES}
    ask A to C after 00:00
      10:00 10:30 t1 > t2-2
      09:55 10:35 t4
`

const CLASSES = `
  test clasz_filter_test
    change 120
    mode air 1100
    mode t2 2
    trip air: A 10:00, C 11:00
    trip t1: A 10:00, B 10:55
    trip t2: B 11:05, C 12:00
    ask A to C after 00:00
      10:00 11:00 air
    ask A to C after 00:00 modes air bus rail
      10:00 11:00 air
    ask A to C after 00:00 modes bus rail
      10:00 12:00 t1 > t2
    ask A to C after 00:00 modes ferry
`

const LATE_CLASSES = `
  test clasz_filter_test: ten minutes late
    change 120
    mode air 1100
    mode t2 2
    trip air: A 10:00, C 11:00
    trip t1: A 10:00, B 10:55
    trip t2: B 11:05, C 12:00
    ask A to C after 00:00 modes air bus rail
      10:10 11:10 air
    ask A to C after 00:00 modes bus rail
      10:10 12:10 t1 > t2
`

const LIVE = `
  test rt_raptor_forward
    change 120
    trip re1 on 20260608: A 49:00, B 50:00
    trip re2: B 00:30, C 00:45, D 01:00
    ask A to D after 00:30
      01:00 03:00 re1 > re2
  test rt_raptor_backward
    change 120
    trip re1 on 20260608: A 49:00, B 50:00
    trip re2: B 00:30, C 00:45, D 01:00
    ask A to D by 04:00
      01:00 03:00 re1 > re2
`

const NEW_TRIP = `
  test rt_raptor_unscheduled
    change 120
    trip re1 on 20260608: A 49:00, B 50:00
    trip re2: B 00:30, C 00:45, D 01:00
    ask A to D after 00:30
      01:00 03:00 re1 > added
`

const LATE_ARRIVAL = `
  test rt_gate_deactivates_within_query
    trip t1 on 20260610 20260611: A 06:00, B 07:00
    ask A to B after 05:00
      06:00 07:30 t1
    ask A to B after 05:00 date 2026-06-11
      06:00 07:00 t1
`

const DAY = '20260610'

const RUN_LATE = [delayedTrip('re2', DAY, { B: 7200 })]
const ALL_LATE = [
  delayedTrip('air', DAY, { A: 600 }),
  delayedTrip('t1', DAY, { A: 600 }),
  delayedTrip('t2', DAY, { B: 600 }),
]
const at = (clock: string) => ({ time: Date.parse(`2026-06-10T${clock}:00+02:00`) / 1000 })
const ADDED = [
  {
    id: 'new',
    tripUpdate: {
      trip: { tripId: 'NEW', routeId: 're2', startDate: DAY, startTime: '02:30:00', scheduleRelationship: 8 },
      stopTimeUpdate: [
        { stopSequence: 1, stopId: 'B', departure: at('02:30') },
        { stopSequence: 2, stopId: 'D', arrival: at('03:00') },
      ],
    },
  },
]
const ARRIVES_LATE = [
  {
    id: 'late',
    tripUpdate: { trip: { tripId: 't1', startDate: DAY }, stopTimeUpdate: [{ stopId: 'B', arrival: { delay: 1800 } }] },
  },
]

/** The tests of motis-project/nigiri's search. */
export const NIGIRI: readonly PeerFile[] = [
  { file: 'test/routing/raptor_test.cc', cases: onOneDay(readCases(TOWNS_TESTS)) },
  { file: 'test/routing/tb_test.cc', cases: onOneDay(readCases(INTERMODAL)) },
  { file: 'test/routing/tb_a_star_test.cc', cases: onOneDay(readCases(A_STAR)) },
  { file: 'test/routing/max_interval_test.cc', cases: onOneDay(readCases(INTERVALS)) },
  { file: 'test/routing/shortest_fp_test.cc', cases: onOneDay(readCases(FOOTPATHS)) },
  { file: 'test/routing/transfer_time_settings_test.cc', cases: onOneDay(readCases(SETTINGS)) },
  {
    file: 'test/routing/clasz_filter_test.cc',
    cases: [...onOneDay(readCases(CLASSES)), ...withLive(onOneDay(readCases(LATE_CLASSES)), ALL_LATE)],
  },
  {
    file: 'test/routing/rt_routing_test.cc',
    cases: [...withLive(onOneDay(readCases(LIVE)), RUN_LATE), ...withLive(onOneDay(readCases(NEW_TRIP)), ADDED)],
  },
  { file: 'test/routing/transfer_rules_test.cc', cases: onOneDay(readCases(VIRTUAL_STOPS)) },
  { file: 'test/routing/review_transfer_rules_test.cc', cases: onOneDay(readCases(REVIEWED_RULES)) },
  { file: 'test/routing/pong_gap_truncation_test.cc', cases: onOneDay(readCases(GAP)) },
  { file: 'test/routing/pong_minlookahead_test.cc', cases: onOneDay(readCases(AHEAD)) },
  { file: 'test/loader/gtfs/transfer_rules_test.cc', cases: onOneDay(readCases(TRANSFER_RULES)) },
  { file: 'test/routing/rt_drop_test.cc', cases: withLive(readCases(LATE_ARRIVAL), ARRIVES_LATE) },
]
