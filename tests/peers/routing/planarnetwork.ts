// The tests of planarnetwork/raptor, rewritten for Quai. The original's times are plain numbers; 1000 becomes 10:00. A
// change takes no time unless a test sets one. If the original has a time for changes at a stop and another time for
// the transfer to another stop, the transfer here takes the sum of these two times.
import { readCases } from './case-text.ts'
import type { PeerFile } from './peer-network.ts'

/** The tests of planarnetwork/raptor. */
export const PLANARNETWORK: readonly PeerFile[] = [
  {
    file: 'test/unit/query/DepartAfterQuery.spec.ts',
    cases: readCases(`
      test finds journeys with direct connections
        trip one: A 10:00, B 10:30/10:35, C 11:00
        ask soonest A to C after 09:00
          10:00 11:00 one
      test finds the earliest calendars
        trip l-2: A 14:00, B 14:30/14:35, C 15:00
        trip l-1: A 10:00, B 10:30/10:35, C 11:00
        ask soonest A to C after 09:00
          10:00 11:00 l-1
      test finds journeys with a single connection
        trip one: A 10:00, B 10:30/10:35, C 11:00
        trip two: D 10:00, B 10:30/10:35, E 11:00
        ask soonest A to E after 09:00
          10:00 11:00 one > two
      test does not board at a stop the route only sets down at
        trip r-1: A 06:00, B 07:00 off, C 08:00
        trip x: X 08:00, A 09:00
        trip y: X 08:10, B 09:50
        trip r-2: A 10:00, B 11:00 off, C 12:00
        ask soonest X to C after 07:00
          08:00 12:00 x > r-2
      test does not return journeys that cannot be made
        trip one on 20260610: A 10:00, B 10:35, C 11:00
        trip two on 20260610: D 10:00, B 10:30, E 11:00
        ask soonest A to E after 09:00
      test returns the fastest and the least changes
        trip slow: A 10:00, B 10:30, C 12:00
        trip quick: B 10:30, C 11:00
        ask soonest A to C after 09:00
          10:00 11:00 slow > quick
          10:00 12:00 slow
      test chooses the fastest journey where the number of journeys is the same
        trip a: A 10:00, B 10:30, C 11:00
        trip c: C 12:00, D 12:30, E 13:00
        trip f: A 11:00, F 11:30, G 12:00
        trip g: G 12:00, H 12:30, E 12:55
        ask soonest A to E after 09:00
          11:00 12:55 f > g
      test chooses an arbitrary journey when they are the same
        trip a: A 10:00, B 10:30, C 11:00
        trip c: C 12:00, D 12:30, E 13:00
        trip f: A 11:00, F 11:30, G 12:00
        trip g: G 12:00, H 12:30, E 13:00
        ask soonest A to E after 09:00
          11:00 13:00 f > g
          pinned criteria: arrival, departure, changes; its author: a > c, which leaves an hour earlier
      test chooses the correct change point
        trip a: A 10:00, B 10:30
        trip s: A 10:30, C 12:00
        trip c-1: C 10:00, B 10:30, E 11:00
        trip c-2: C 12:00, B 12:30, E 13:00
        ask soonest A to E after 09:00
          10:00 11:00 a > c-1
      test finds journeys with a transfer
        trip one: A 10:00, B 10:30/10:35, C 11:00
        trip two: D 12:00, E 13:00
        transfer C,D,2,600
        ask soonest A to E after 09:00
          10:00 13:00 one > two
      test uses a transfer if it is faster
        trip one: A 10:00, B 10:30, C 11:00
        trip two: C 11:30, D 12:00
        ask soonest A to D + C 600 after 09:00
          10:00 11:10 one
      test doesn't allow pick up from locations without pickup specified
        trip one: A 10:00, B 10:30, C 12:00
        trip two: E 10:00, B 10:30 off, C 11:00
        ask soonest A to C after 09:00
          10:00 12:00 one
      test doesn't allow drop off at non-drop off locations
        trip one: A 10:00, B 10:30 on, C 12:00
        trip two: E 10:00, B 10:30, C 11:00
        ask soonest A to C after 09:00
          10:00 12:00 one
      test applies interchange times
        trip slow: A 10:00, B 10:30, C 12:00
        trip q-1: B 10:30, C 11:00
        trip q-2: B 10:40, C 11:10
        transfer B,B,2,600
        ask soonest A to C after 09:00
          10:00 11:10 slow > q-2
          10:00 12:00 slow
      test applies interchange times to transfers
        trip a: A 10:00, B 10:30
        trip c-1: C 10:30, D 11:00
        trip c-2: C 10:50, D 11:10
        trip c-3: C 11:00, D 11:20
        transfer B,C,2,1800
        ask soonest A to D after 09:00
          10:00 11:20 a > c-3
      test omits calendars not running that day
        trip a: A 10:00, B 10:30
        trip b-1 on 20260609: B 10:30, C 11:00
        trip b-2: B 10:40, C 11:10
        ask soonest A to C after 09:00
          10:00 11:10 a > b-2
      test omits calendars not running that day of the week
        trip a: A 10:00, B 10:30
        trip b-1 on 20260609 20260611 20260612: B 10:30, C 11:00
        trip b-2: B 10:40, C 11:10
        ask soonest A to C after 09:00
          10:00 11:10 a > b-2
      test includes calendars with an include day
        trip a: A 10:00, B 10:30
        trip b-1 on 20260610: B 10:30, C 11:00
        trip b-2: B 10:40, C 11:10
        ask soonest A to C after 09:00
          10:00 11:00 a > b-1
      test omits calendars with an exclude day
        trip a: A 10:00, B 10:30
        trip b-1 on -20260610: B 10:30, C 11:00
        trip b-2: B 10:40, C 11:10
        ask soonest A to C after 09:00
          10:00 11:10 a > b-2
      test finds journeys after gaps in rounds
        trip one: A 10:00, B 10:30/10:35, C 14:00
        trip b: B 10:35, D 11:00
        trip d: D 11:00, E 11:30
        trip e-1: E 11:30, C 12:00
        trip a: A 10:00, E 11:35
        trip e-2: E 11:35, C 13:30
        ask soonest A to C after 09:00
          10:00 12:00 one > b > d > e-1
          10:00 13:30 a > e-2
          10:00 14:00 one
      test puts overtaken trains in different routes
        trip l-1: A 10:00, B 10:30, C 11:00/11:10, D 11:30, E 12:00
        trip l-2: A 10:10, B 10:40, C 10:50/11:00, D 11:20, E 11:50
        ask soonest A to E after 09:00
          10:10 11:50 l-2
      test finds journeys that can only be made by waiting for the next day
        trip one: A 10:00, B 10:35, C 11:00
        trip two: D 10:00, B 10:30, E 11:00
        ask soonest A to E after 09:00
          10:00 35:00 one > two
      test adds a day to the arrival time of journeys that are made overnight
        trip one: A 10:00, B 10:35, C 11:00
        trip two: D 10:00, B 10:30, E 11:00
        ask A to E after 10:00
          10:00 35:00 one > two
      test increments the day when searching subsequent days
        trip one: A 10:00, B 10:30, C 11:00
        trip two on 20260611 20260612: D 10:00, B 10:30/10:35, E 11:00
        ask soonest A to E after 09:00
          10:00 35:00 one > two
      test uses all results from every day
        trip a: A 19:00, B 19:30/19:35, C 20:00
        trip b: B 10:35, D 11:00
        trip d: D 11:00, E 11:30
        trip c: C 11:30, E 12:00
        ask soonest A to E after 09:00
          19:00 35:30 a > b > d
          19:00 36:00 a > c
      test does not return overnight journeys that cannot be made
        trip a: A 23:53:20, B 24:00, C 26:00
        trip c-1: C 01:00, D 01:00:35, E 01:01:40
        trip c-2: C 02:00, D 02:00:35, E 02:01:40
        ask soonest A to E after 13:53:20
          23:53:20 26:01:40 a > c-2
    `),
  },
  {
    file: 'test/unit/query/RangeQuery.spec.ts',
    cases: readCases(`
      test performs profile queries
        trip l-1: A 10:00, B 10:30/10:35, C 11:00
        trip l-2: A 11:00, B 11:30/11:35, C 12:00
        trip l-3: A 12:00, B 12:30/12:35, C 13:00
        ask A to C after 00:00
          10:00 11:00 l-1
          11:00 12:00 l-2
          12:00 13:00 l-3
        ask A to C after 10:01 until 11:30
          11:00 12:00 l-2
      test does not share bestArrivals or tripScanner
        trip direct: A 13:59, C 15:01
        trip a: A 14:00, B 14:30
        trip b: B 14:30, C 15:00
        ask A to C after 00:00
          14:00 15:00 a > b
          13:59 15:01 direct
          pinned check 28: of journeys with the same vehicles, one is kept; its author: the one with a change twice
    `),
  },
  {
    file: 'test/unit/query/GroupStationDepartAfterQuery.spec.ts',
    cases: readCases(`
      test plans to multiple destinations
        trip one: A 10:00, B 10:30/10:35, C 11:00
        trip two: A 12:00, B 12:30/12:35, D 13:00
        ask A to C + D after 09:00
          10:00 11:00 one
          12:00 13:00 two
      test plans from multiple origins
        trip one: A 10:00, B 10:30/10:35, C 11:00
        trip two: A 12:00, _ 12:30/12:35, D 13:00
        ask A + B to C + D after 09:00
          10:35 11:00 one
          12:00 13:00 two
    `),
  },
  {
    file: 'test/unit/results/filter/MultipleCriteriaFilter.spec.ts',
    cases: readCases(`
      test removes slower journeys
        trip l-1: A 10:00, B 10:30/10:35, C 11:00
        trip l-0: A 09:00, B 10:30/10:35, C 11:00
        trip l-2: A 11:00, B 11:30/11:35, C 12:00
        trip l-3: A 12:00, B 12:30/12:35, C 13:00
        ask A to C after 08:00
          10:00 11:00 l-1
          11:00 12:00 l-2
          12:00 13:00 l-3
      test keeps slower journeys if they have fewer changes
        trip a: A 10:00, B 10:30
        trip b: B 10:35, C 11:00
        trip direct: A 09:00, C 11:00
        trip l-2: A 11:00, B 11:30/11:35, C 12:00
        trip l-3: A 12:00, B 12:30/12:35, C 13:00
        ask A to C after 08:00
          09:00 11:00 direct
          10:00 11:00 a > b
          11:00 12:00 l-2
          12:00 13:00 l-3
      test sorts journeys before filtering them
        trip l-1: A 10:00, B 10:30/10:35, C 11:00
        trip l-0: A 09:00, B 10:30/10:35, C 11:00
        trip l-2: A 11:00, B 11:30/11:35, C 12:00
        trip l-3: A 12:00, B 12:30/12:35, C 13:00
        trip l-4: A 12:00, B 12:30/12:35, C 13:30
        ask A to C after 08:00
          10:00 11:00 l-1
          11:00 12:00 l-2
          12:00 13:00 l-3
    `),
  },
  {
    file: 'test/unit/query/TransferPatternQuery.spec.ts',
    cases: readCases(`
      test records the stop a journey changes at
        trip a: A 10:00, B 10:30
        trip b: B 11:00, C 11:30
        ask A to B after 00:00
          10:00 10:30 a
        ask A to C after 00:00
          10:00 11:30 a > b
      test records the stop a journey transfers at
        trip a: A 10:00, B 10:30
        trip c: C 11:00, D 11:30
        transfer B,C,2,60
        ask A to D after 00:00
          10:00 11:30 a > c
    `),
  },
  {
    file: 'test/unit/raptor/TripScanner.spec.ts',
    cases: readCases(`
      test finds a trip when a route is traversed again from an earlier stop
        trip r-1: A 09:00, M 09:15, B 09:30, C 10:00
        trip r-2: A 10:00, M 10:15, B 10:30, C 11:00
        trip r-3: A 11:00, M 11:15, B 11:30, C 12:00
        trip o: O 10:00, B 10:15
        trip b: B 10:20, A 10:40
        ask soonest O to M after 09:00
          10:00 11:15 o > b > r-3
        ask soonest O to C after 09:00
          10:00 11:00 o > r-2
    `),
  },
  {
    file: 'test/unit/network/Network.spec.ts',
    cases: readCases(`
      test separates an overtaking trip into its own route
        trip l-1: A 10:00, B 30:00
        trip l-2: A 20:00, B 25:00
        ask soonest A to B after 09:00
          20:00 25:00 l-2
      test queues a route from the first call at a stop it visits twice
        trip loop: A 10:00, B 11:00/11:50, A 12:00/12:50, C 13:00
        ask A to B after 09:00
          10:00 11:00 loop
        ask A to C after 09:00
          12:50 13:00 loop
      test adds the trip a passenger stays on across a coupling
        trip p: A 10:00, B 11:00
        trip b: B 11:50/12:00, C 13:00
        transfer B,B,4,,p,b
        ask A to C after 09:00
          10:00 13:00 p ~ b
    `),
  },
  {
    file: 'test/unit/gtfs/LinkedTrips.spec.ts',
    cases: readCases(`
      test joins a portion onto the trip it continues as
        trip p: A 01:00, B 02:00
        trip b: B 02:30/03:00, C 04:00
        transfer B,B,4,,p,b
        ask A to C after 00:00
          01:00 04:00 p ~ b
      test splits a portion off part way along the trip it continues
        trip b: A 01:00, B 02:00/02:50, C 04:00
        trip p: B 02:00/03:00, D 05:00
        transfer B,B,4,,b,p
        ask A to C after 00:00
          01:00 04:00 b
        ask A to D after 00:00
          01:00 05:00 b > p
          pinned staying seated: where a trip ends and the next one starts, as GTFS defines it; within a trip, riders change; its author: one stays seated
      test matches the coupling on the station rather than the platform
        station B 50000
        stop A 0
        stop B1 50000 B
        stop B2 50020 B
        stop C 90000
        trip p: A 01:00, B1 02:00
        trip b: B2 02:30/03:00, C 04:00
        transfer B1,B2,4,,p,b
        ask A to C after 00:00
          01:00 04:00 p ~ b
      test adds a day to a portion that leaves after midnight
        change 7200
        trip b on 20260610: A 21:00, B 28:00
        trip p on 20260611: B 04:28, C 07:30
        transfer B,B,4,,b,p
        ask A to C after 20:00
          21:00 31:30 b ~ p
      test runs only on the days both trips do
        trip p: A 01:00, B 02:00
        trip b on 20260610: B 02:30/03:00, C 04:00
        transfer B,B,4,,p,b
        ask A to C after 00:00
          01:00 04:00 p ~ b
        ask A to C after 00:00 date 2026-06-11
      test makes a trip for each portion of a train that splits more than once
        trip b: A 01:00, B 02:00/02:50, C 04:00
        trip p1: B 02:00/03:00, D 05:00
        trip p2: B 02:00/03:20, E 06:00
        transfer B,B,4,,b,p1
        transfer B,B,4,,b,p2
        ask A to D after 00:00
          01:00 05:00 b > p1
          pinned staying seated: where a trip ends and the next one starts, as GTFS defines it; within a trip, riders change; its author: one stays seated
        ask A to E after 00:00
          01:00 06:00 b > p2
          pinned staying seated: where a trip ends and the next one starts, as GTFS defines it; within a trip, riders change; its author: one stays seated
      test ignores a coupling that a day’s shift cannot put in order
        trip b on 20260610: A 01:00, B 30:00
        trip p on 20260610: B 02:00, C 05:33:20
        transfer B,B,4,,b,p
        ask A to C after 00:00
    `),
  },
]
