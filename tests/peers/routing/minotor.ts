// The tests of aubryio/minotor, rewritten for Quai. A change takes two minutes unless a test sets another time.
import { readCases } from './case-text.ts'
import type { PeerFile } from './peer-network.ts'

const ROUTERS = `
  test a single route: should find a direct route
    change 120
    trip one: 1 08:10, 2 08:15/08:25, 3 08:35
    ask soonest 1 to 3 after 08:00
      08:10 08:35 one
    ask 1 to 2 after 08:00
      08:10 08:15 one
  test a single route: should return an empty result when no route is possible
    change 120
    stop 4 90000
    trip one: 1 08:10, 2 08:15/08:25, 3 08:35
    ask 1 to 4 after 08:00
    ask 3 to 1 after 08:00
  test a route change: should find a route with a change
    change 120
    trip one: 1 08:15, 2 08:30/08:45, 3 09:00
    trip two: 4 08:20, 2 09:00/09:15, 5 09:20
    ask soonest 1 to 5 after 08:00
      08:15 09:20 one > two
  test a transfer: should find a route with a transfer
    change 120
    trip one: 1 08:15, 2 08:25/08:35, 3 08:45
    trip two: 4 08:20, 5 08:40/08:50, 6 09:10
    transfer 2,5,2,300
    ask soonest 1 to 6 after 08:00
      08:15 09:10 one > two
  test a transfer: should correctly calculate the time to a stop
    change 120
    trip one: 1 08:15, 2 08:25/08:35, 3 08:45
    trip two: 4 08:20, 5 08:40/08:50, 6 09:10
    transfer 2,5,2,300
    ask soonest 1 to 2 300 + 5 after 08:00
      08:15 08:30 one
  test a faster change: should prefer a faster route with a change over a slower direct route
    change 120
    trip one: 1 08:15, 2 08:30/08:45, 3 09:00
    trip two: 4 08:25, 2 08:50/09:05, 5 09:10
    trip three: 1 08:15, 5 09:45
    ask soonest 1 to 5 after 08:00
      08:15 09:10 one > two
      08:15 09:45 three
  test in-seat transfer: should find a route using continuation
    change 120
    trip one: 1 08:10, 2 08:15
    trip two: 2 08:15/08:25, 3 08:35/08:45, 4 08:55
    transfer 2,2,4,,one,two
    ask soonest 1 to 4 after 08:00
      08:10 08:55 one ~ two
`

const PLAIN = `
  test guaranteed trip transfers: should consider guaranteed transfer even with less time than minTransferTime
    change 300
    trip one: 1 08:10, 2 08:20
    trip two: 2 08:21, 3 08:40
    transfer 2,2,1,,one,two
    ask soonest 1 to 3 after 08:00
      08:10 08:40 one > two
  test non-guaranteed transfers: should not consider transfer with less time than minTransferTime
    change 300
    trip one: 1 08:10, 2 08:20
    trip two-1: 2 08:21, 3 08:35
    trip two-2: 2 08:26, 3 08:45
    ask soonest 1 to 3 after 08:00
      08:10 08:45 one > two-2
  test maxTransfers constraint: three lines, one after the other
    change 120
    trip one: 1 08:10, 2 08:20
    trip two: 2 08:35, 3 08:45
    trip three: 3 09:00, 4 09:10
    ask soonest 1 to 4 after 08:00 changes 1
    ask soonest 1 to 4 after 08:00 changes 2
      08:10 09:10 one > two > three
    ask soonest 1 to 3 after 08:00 changes 1
      08:10 08:45 one > two
  test transport mode filtering: a bus and a faster train
    change 120
    mode bus 3
    mode train 2
    trip bus: 1 08:10, 2 08:30
    trip train: 1 08:10, 2 08:20
    ask soonest 1 to 2 after 08:00
      08:10 08:20 train
    ask soonest 1 to 2 after 08:00 modes bus
      08:10 08:30 bus
    ask soonest 1 to 2 after 08:00 modes ferry
  test timing edge cases: two trips an hour apart
    change 120
    trip one-1 on 20260610: 1 08:10, 2 08:30
    trip one-2 on 20260610: 1 09:10, 2 09:30
    ask soonest 1 to 2 after 08:00
      08:10 08:30 one-1
    ask soonest 1 to 2 after 08:15
      09:10 09:30 one-2
    ask soonest 1 to 2 after 10:00
    ask soonest 1 to 2 after 08:10
      08:10 08:30 one-1
`

const RANGES = `
  test initial walking access: should reconstruct the initial access leg
    trip one: B 08:05, C 08:20
    stop A 90000
    ask A + B 300 to C after 08:00 until 08:00
      08:00 08:20 one
  test several Pareto-optimal runs: returns one run per non-dominated departure
    trip one-1: A 08:00, B 08:30
    trip one-2: A 08:30, B 09:00
    ask A to B after 08:00 until 08:30
      08:00 08:30 one-1
      08:30 09:00 one-2
    ask A to B after 10:00 until 11:00
  test several Pareto-optimal runs: excludes a departure dominated by a later trip
    trip one-1: A 08:00, B 09:00
    trip one-2: A 08:30, B 08:50
    ask A to B after 08:00 until 08:30
      08:30 08:50 one-2
`

const RAPTOR = `
  test route scanning: marks the destination; finds a two-leg journey via a route change
    change 120
    trip r0 on 20260610: 0 08:10, 1 08:30
    trip r1 on 20260610: 1 08:35, 2 08:50
    ask soonest 0 to 1 after 08:00
      08:10 08:30 r0
    ask soonest 0 to 2 after 08:00
      08:10 08:50 r0 > r1
    ask soonest 0 to 2 after 08:00 changes 0
    ask soonest 0 to 1 after 09:00
    ask soonest 0 to 2 after 09:00
  test route scanning: prefers the faster two-leg route over a slower direct route
    change 120
    trip r0: 0 08:10, 1 08:30
    trip r1: 1 08:35, 2 08:50
    trip r2: 0 08:10, 2 09:00
    ask soonest 0 to 2 after 08:00
      08:10 08:50 r0 > r1
      08:10 09:00 r2
  test walking transfers: marks stops reached only via a timed walk
    trip r0: 0 08:10, 1 08:30
    stop 2 90000
    ask soonest 0 to 1 300 + 2 after 08:00
      08:10 08:35 r0
  test transport mode filtering: skips routes of excluded mode
    change 120
    mode r1 2
    trip r0: 0 08:10, 1 08:30
    trip r1: 1 08:35, 2 08:50
    ask soonest 0 to 1 after 08:00 modes rail
    ask soonest 0 to 2 after 08:00 modes rail
  test in-seat transfer continuations: reaches a stop in the same round via a continuation
    change 120
    trip r0: 0 08:10, 1 08:30
    trip r1: 1 08:35, 2 08:50
    transfer 1,1,4,,r0,r1
    ask soonest 0 to 2 after 08:00
      08:10 08:50 r0 ~ r1
`

const ACCESS = `
  test collectAccessPaths: keeps the shortest walk when several equivalent origins can reach the same stop
    trip one-1: B 08:10, C 08:20
    trip one-2: B 08:40, C 08:50
    ask B 480 + B 180 to C after 08:00 until 08:30
      08:07 08:20 one-1
  test collectDepartureTimes: within the window, and none outside
    trip one-1: B 08:10, C 08:20
    trip one-2: B 08:40, C 08:50
    ask B to C after 08:00 until 08:45
      08:10 08:20 one-1
      08:40 08:50 one-2
    ask B to C after 08:00 until 08:30
      08:10 08:20 one-1
    ask B to C after 09:00 until 10:00
  test collectDepartureTimes: paths to stops with routes generate slots at exact trip departure times
    stop A 90000
    trip one-1: B 08:10, C 08:20
    trip one-2: B 08:40, C 08:50
    ask A + B 300 to C after 08:00 until 08:05
      08:05 08:20 one-1
`

const FREQUENCIES = `
  test should produce correctly shifted stop times for expanded trips
    trip t: 1 06:00, 2 06:20
    frequency t,06:00:00,07:00:00,1800,0
    ask 1 to 2 after 05:00
      06:00 06:20 t
      06:30 06:50 t
  test should treat end_time as exclusive
    trip t: 1 06:00, 2 06:20
    frequency t,06:00:00,06:30:00,1800,0
    ask 1 to 2 after 05:00
      06:00 06:20 t
  test should expand trips across several frequency windows
    trip t: 1 06:00, 2 06:20
    frequency t,06:00:00,07:00:00,1800,0
    frequency t,10:00:00,11:00:00,1800,0
    ask 1 to 2 after 05:00
      06:00 06:20 t
      06:30 06:50 t
      10:00 10:20 t
      10:30 10:50 t
  test should not expand a trip that has no frequency entry
    trip t: 1 08:00, 2 08:20
    trip f: 1 06:00, 2 06:40
    frequency f,06:00:00,06:30:00,1800,0
    ask 1 to 2 after 05:00
      06:00 06:40 f
      08:00 08:20 t
  test should mix frequency and non-frequency trips sharing the same stop sequence
    trip l-1: 1 06:00, 2 06:20
    trip l-2: 1 08:00, 2 08:20
    frequency l-1,06:00:00,07:00:00,1800,0
    ask 1 to 2 after 05:00
      06:00 06:20 l-1
      06:30 06:50 l-1
      08:00 08:20 l-2
`

const QUALIFIED = `
  test uses the exact-pair minimum, and keeps the fallback for other pairs
    change 300
    trip a-1: S 08:10, F 08:20
    trip a-2: S 08:15, F 08:20
    trip b-1: F 08:21, E 08:30
    trip b-2: F 08:26, E 08:35
    transfer F,F,2,60,a-1,b-1
    ask S to E after 08:00
      08:10 08:30 a-1 > b-1
      08:15 08:35 a-2 > b-2
  test a restrictive minimum
    change 300
    trip a: S 08:10, F 08:20
    trip b-1: F 08:21, E 08:30
    trip b-2: F 08:26, E 08:35
    transfer F,F,2,600,a,b-1
    ask soonest S to E after 08:00
      08:10 08:35 a > b-2
  test gives guarantees priority
    change 300
    trip a: S 08:10, F 08:20
    trip b-1: F 08:21, E 08:30
    trip b-2: F 08:26, E 08:35
    transfer F,F,1,,a,b-1
    ask soonest S to E after 08:00
      08:10 08:30 a > b-1
`

const ROUTES = `
  test findEarliestTrip: with and without time constraint, where pickup is not available
    trip l-1 on 20260610: 1 08:01, 2 08:30/08:31 off, 3 08:50
    trip l-2 on 20260610: 1 09:01, 2 09:30/09:31, 3 09:50
    trip l-3 on 20260610: 1 10:01, 2 10:30/10:31, 3 10:50
    ask soonest 1 to 3 after 00:00
      08:01 08:50 l-1
    ask soonest 1 to 3 after 08:30
      09:01 09:50 l-2
    ask soonest 1 to 3 after 09:01
      09:01 09:50 l-2
    ask soonest 1 to 3 after 23:00
    ask soonest 2 to 3 after 00:00
      09:31 09:50 l-2
`

/** The tests of aubryio/minotor. */
export const MINOTOR: readonly PeerFile[] = [
  { file: 'src/routing/__tests__/router.test.ts', cases: readCases(ROUTERS) },
  { file: 'src/routing/__tests__/plainRouter.test.ts', cases: readCases(PLAIN) },
  { file: 'src/routing/__tests__/rangeRouter.test.ts', cases: readCases(RANGES) },
  { file: 'src/routing/__tests__/raptor.test.ts', cases: readCases(RAPTOR) },
  { file: 'src/routing/__tests__/access.test.ts', cases: readCases(ACCESS) },
  { file: 'src/gtfs/__tests__/frequencies.test.ts', cases: readCases(FREQUENCIES) },
  { file: 'src/gtfs/__tests__/qualifiedTransfers.test.ts', cases: readCases(QUALIFIED) },
  { file: 'src/timetable/__tests__/route.test.ts', cases: readCases(ROUTES) },
]
