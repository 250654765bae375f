// The tests of hove-io/navitia, rewritten for Quai: rides and changes, searched forward and backward in time. Times in
// seconds are written as clock times. If a navitia test forbids a change at a stop, the timetable here gives riders no
// reason to change there.
import { canceledTrip } from '../../feeds/realtime-feed.ts'
import { readCases, withLive } from './case-text.ts'
import { FREQUENCIES, NIGHTS } from './navitia-nights.ts'
import { STAYS } from './navitia-stays.ts'
import type { PeerFile } from './peer-network.ts'

const RIDES = `
  test direct
    trip a: 1 02:14:10, 2 02:15
    ask soonest 1 to 2 after 02:11:40
      02:14:10 02:15 a
    ask 1 to 2 after 02:11:40 before 02:16:40
      02:14:10 02:15 a
    ask 1 to 2 after 02:11:40 before 02:15
      02:14:10 02:15 a
    ask 1 to 2 after 02:11:40 before 02:14:59
  test change
    change 120
    trip a: 1 02:14:10, 2 02:15/02:15:50, 3 02:16:40
    trip b: 4 02:14:10, 2 02:18:20/02:19:10, 5 02:20
    ask soonest 1 to 5 after 02:11:40
      02:14:10 02:20 a > b
    ask 1 to 5 after 02:11:40 before 02:21:40
      02:14:10 02:20 a > b
    ask 1 to 5 after 02:11:40 before 02:20
      02:14:10 02:20 a > b
    ask 1 to 5 after 02:11:40 before 02:19:59
  test different_connection_time
    change 120
    trip l11-1: A 07:00, B 07:05
    trip l11-2: A 07:55, B 08:00
    trip l12-1: B 07:10, A 07:15
    trip l12-2: B 07:20, A 07:25
    trip l21-1: C 07:10, D 07:15
    trip l21-2: C 07:20, D 07:35
    trip l22: D 07:00, C 07:05
    transfer B,C,2,300
    transfer C,B,2,900
    ask soonest A to D after 07:00
      07:00 07:15 l11-1 > l21-1
    ask soonest D to A after 07:00
      07:00 07:25 l22 > l12-2
  test marche_a_pied_milieu
    change 120
    trip a: 1 02:14:10, 2 02:16:40
    trip b: 3 02:30:50, 4 02:33:20
    transfer 2,3,2,600
    transfer 3,2,2,600
    ask soonest 1 to 4 after 02:11:40
      02:14:10 02:33:20 a > b
    ask 1 to 4 after 02:11:40 before 02:33:20
      02:14:10 02:33:20 a > b
    ask 1 to 4 after 02:11:40 before 02:33:19
  test test_rattrapage
    change 120
    trip l-1: 1 08:10, 2 08:15, 3 08:35, 4 08:45
    trip l-2: 1 08:20, 2 08:25, 3 08:40, 4 08:50
    trip c: 2 08:30, 5 08:31, 3 08:32
    ask soonest 1 to 4 after 08:15
      08:20 08:45 l-2 > c > l-1
      08:20 08:50 l-2
    ask 1 to 4 after 08:15 before 08:45
      08:20 08:45 l-2 > c > l-1
    ask 1 to 4 after 08:15 before 08:44:59
  test sn_debut
    trip l-1: 1 08:00, 2 08:20
    trip l-2: 1 09:00, 2 09:20
    ask soonest 1 600 to 2 after 08:00
      08:50 09:20 l-2
  test mdi
    trip b: 1 17:00 off, 2 17:15, 3 17:30 off
    trip c: 4 16:00 on, 5 16:15, 6 16:30 on
    ask 1 to 3 after 00:05
    ask 2 to 3 after 00:05
      17:15 17:30 b
    ask 4 to 6 after 00:05
    ask 4 to 5 after 00:05
      16:00 16:15 c
  test multiples_vj
    change 120
    trip a1: 1 08:00, 2 08:10
    trip a2: 1 08:15, 2 08:20
    trip b1: 2 08:25, 3 08:30
    trip b2: 2 08:35, 3 08:40
    trip c: 3 08:45, 4 08:50
    trip e1: 1 08:00, 5 08:05
    trip e2: 5 08:10, 1 08:12
    ask soonest 1 to 4 after 00:05
      08:15 08:50 a2 > b1 > c
  test max_transfers
    trip a: 1 02:14:10, 2 22:30
    trip b: 1 02:13:20, 3 02:21:40
    trip c: 3 02:30, 2 03:03:20
    trip d: 3 02:30, 4 02:38:20
    trip e: 4 02:46:40, 2 02:55
    ask soonest 1 to 2 after 02:11:40 changes 0
      02:14:10 22:30 a
    ask soonest 1 to 2 after 02:11:40 changes 1
      02:13:20 03:03:20 b > c
      02:14:10 22:30 a
    ask soonest 1 to 2 after 02:11:40 changes 2
      02:13:20 02:55 b > d > e
      02:13:20 03:03:20 b > c
      02:14:10 22:30 a
  test destination_over_writing
    change 120
    trip a: 1 02:13:20, 2 08:20
    trip b: 1 02:30, 3 02:33:20
    transfer 2,3,2,600
    transfer 3,2,2,600
    ask soonest 1 to 2 after 02:11:40
      02:13:20 08:20 a
  test no_departure_before_given_date
    change 100
    trip a: 1 02:13:20, 3 03:03:20
    trip b: 3 03:20, 5 04:43:20
    trip c: 1 02:13:20, 2 02:46:40
    trip d: 2 03:03:20, 4 03:36:40
    trip e: 4 03:53:20, 5 04:26:40
    trip f: 1 01:56:40, 4 03:36:40
    ask soonest 1 1500 to 5 after 01:40
      01:48:20 04:26:40 c > d > e
      01:48:20 04:43:20 a > b
  test less_fallback
    trip a: 1 08:00, 2 08:01, 3 08:12
    ask soonest 1 to 2 320 + 3 after 08:00
      08:00 08:06:20 a
      pinned walking is a tie-break and a filter, not a criterion; its author: also at 08:12 without a walk
  test pareto_front
    change 120
    trip l1: 1 09:00, 2 09:50
    trip l2: 2 09:55, 3 10:00
    ask soonest 1 to 2 900 + 3 after 08:00
      09:00 10:00 l1 > l2
      09:00 10:05 l1
  test overlapping_on_first_st
    trip a-1: 1 02:13:20/02:16:40, 2 02:21:40
    trip a-2: 1 02:15/02:18:20, 2 02:23:20
    ask soonest 1 to 2 after 02:11:40
      02:16:40 02:21:40 a-1
  test y_line_the_ultimate_political_blocking_bug
    change 10
    trip a: 1 02:13:20, 2 02:15, 3 02:16:40
    trip b: 3 02:20, 2 02:21:40, 4 02:23:20
    ask soonest 1 to 4 after 02:11:40
      02:13:20 02:23:20 a > b
    ask soonest 1 to 4 by 02:30
      02:13:20 02:23:20 a > b
  test test_2nd_and_3rd_pass
    change 1000
    trip l1-1: A 02:13:20, B 02:30
    trip l1-2: A 02:30, B 02:46:40
    trip l2-1: B 03:03:20, C 03:20
    trip l2-2: B 03:20, C 03:36:40
    trip l3-1: C 03:53:20, D 04:10
    trip l3-2: C 04:10, D 04:26:40
    ask soonest A to D after 02:11:40
      02:30 04:10 l1-2 > l2-1 > l3-1
    ask soonest A to D by 04:28:20
      02:30 04:10 l1-2 > l2-2 > l3-1
      pinned criteria: arrival, departure, changes; its author: l2-1, which leaves less time at the first change and more at the second
  test direct_and_1trans_at_same_dt
    change 100
    trip l1: A 02:13:20, B 03:03:20, C 03:20
    trip l2: A 02:30, B 02:46:40
    ask A to C after 02:11:40
      02:13:20 03:20 l1
      02:30 03:20 l2 > l1
  test dont_return_dominated_solutions
    trip l1: A 02:13:20, B 03:03:20, C 03:53:20
    trip l2: D 02:30, B 02:46:40
    trip l3: B 03:20, C 03:36:40
    ask A 1000 + D 3000 to C after 00:16:40
      01:56:40 03:36:40 l1 > l3
      01:56:40 03:53:20 l1
  test second_pass
    trip l2: VG 08:31, C2 08:36
    trip l1j: C1 08:42, GM1 08:47, DC1 08:49
    trip l1r: DC2 08:51, GM2 08:53
    trip l42: VG 08:35, DC1 08:45
    transfer C1,C2,2,120
    transfer C2,C1,2,120
    transfer GM1,GM2,2,120
    transfer DC1,DC2,2,120
    transfer DC2,DC1,2,120
    ask soonest VG to GM1 + GM2 after 08:30
      08:31 08:47 l2 > l1j
  test good_connection_when_walking_as_fast_as_bus
    trip l1: A 08:00, B 09:00
    trip l2: C 10:00, D 11:00, E 12:00
    transfer B,C,2,3600
    transfer B,D,2,7200
    ask soonest A to E after 08:00
      08:00 12:00 l1 > l2
    ask soonest A to E by 12:00
      08:00 12:00 l1 > l2
  test no_going_backward
    trip l1: A 08:09, B1 08:10, C 08:20
    trip l2: B2 08:07, A 08:08
    ask soonest B1 5 + B2 to C by 08:30
      08:09:55 08:20 l1
  test walking_doesnt_break_connection
    trip l1 on 20260610: A 08:00, B 08:10
    trip l2 on 20260610: B 08:11, C 09:00
    ask soonest A + B 900 to C after 08:00
      08:00 09:00 l1 > l2
  test exhaustive_second_pass
    trip l1: A 08:00, B 09:10
    trip l2: C 08:00/08:01, D 09:00
    ask A 60 + C 600 to B 180 + D 60 after 07:00
      07:51 09:01 l2
      07:59 09:13 l1
  test forbidden_uri_1: without a forbidden stop
    trip a-1: Cergy 08:11, Auber 08:47, Halles 08:49
    trip a-2: Cergy 08:23, Auber 08:58, Halles 09:01
    trip l7-1: Opera 09:03, Chatelet 09:09, Curie 09:27
    trip l7-2: Opera 09:08, Chatelet 09:14, Curie 09:31
    trip l7-3: Opera 09:12, Chatelet 09:18, Curie 09:36
    transfer Auber,Opera,2,554
    transfer Halles,Chatelet,2,1032
    ask soonest Cergy to Curie by 09:31
      08:23 09:31 a-2 > l7-2
  test test_jira1686_should_arrive_at_earliest
    trip l1: A 00:10, C 01:00
    trip l2: B 00:10, C 01:01
    ask soonest A 600 + B 60 to C after 00:00
      00:00 01:00 l1
  test test_jira1686_should_take_journey_with_minimum_walking_
    trip l1: A 00:10, C 01:00, D 02:00
    trip l2: B 00:10, C 01:01, E 02:01
    ask A 60 + B to D + E after 00:00 until 00:30
      00:09 02:00 l1
      00:10 02:01 l2
  test test_jira1686_should_take_journey_with_minimum_walking_on_transfert
    trip l1: A 00:10, C 01:00, D 02:00
    trip l2: B 00:10, C 01:01, E 02:01
    trip l3: F 02:30, G 03:00
    transfer D,F,2,120
    transfer E,F,2,120
    ask A 600 + B 60 to G 60 after 00:00 until 00:30
      00:09 03:01 l2 > l3
  test test_jira1686_should_take_journey_with_minimum_walking_on_transfert_2
    trip l1: A 00:30, C 01:00, D 02:00
    trip l2: B 00:10, C 01:01, E 02:01
    trip l3: F 02:30, G 03:00
    transfer D,F,2,120
    transfer E,F,2,120
    ask A 600 + B 60 to G 60 after 00:00 until 00:30
      00:20 03:01 l1 > l3
      pinned walking is a tie-break and a filter, not a criterion; its author: also l2 > l3, which walks less
`

const BACKWARDS = `
  test direct
    trip l-1: 1 01:57:30, 2 01:58:20
    trip l-2: 1 02:14:10, 2 02:15
    trip l-3: 1 02:30:50, 2 02:31:40
    ask soonest 1 to 2 by 02:16:40
      02:14:10 02:15 l-2
  test change
    trip l-1: 1 01:57:30, 2 01:58:20/01:59:10, 3 02:00
    trip l-2: 1 02:14:10, 2 02:15/02:15:50, 3 02:16:40
    trip l-3: 1 02:30:50, 2 02:31:40/02:32:30, 3 02:33:20
    trip m-1: 4 01:57:30, 2 02:00/02:00:50, 5 02:01:40
    trip m-2: 4 02:14:10, 2 02:16:40/02:17:30, 5 02:18:20
    trip m-3: 4 02:30:50, 2 02:33:20/02:34:10, 5 02:35
    ask soonest 1 to 5 by 02:21:40
      02:14:10 02:18:20 l-2 > m-2
  test passe_minuit
    trip a: 1 23:00, 2 24:05
    trip b: 2 00:10, 3 00:20
    ask soonest 1 to 3 by 24:30
      23:00 24:20 a > b
  test validity_pattern
    trip a on 20260601: 1 02:13:20, 2 02:16:40
    trip b on 20260610 20260613: 1 02:30, 2 02:33:20
    ask soonest 1 to 2 by 02:35
      02:30 02:33:20 b
    ask soonest 1 to 2 by 02:35 date 2026-06-12
  test marche_a_pied_milieu
    trip a: 1 02:14:10, 2 02:16:40
    trip b: 3 02:30:50, 4 02:33:20
    transfer 2,3,2,600
    transfer 3,2,2,600
    ask soonest 1 to 4 by 02:35
      02:14:10 02:33:20 a > b
  test marche_a_pied_trcky
    trip a: 1 02:14:10, 2 02:16:40
    trip b: 3 02:29:10, 2 02:30/02:30:50, 4 02:33:20
    transfer 2,3,2,60
    transfer 3,2,2,60
    ask soonest 1 to 4 by 02:35
      02:14:10 02:33:20 a > b
  test marche_a_pied_pam
    trip a: 1 02:13:20, 2 02:16:40
    trip b: 3 00:00:10, 4 00:00:20
    transfer 2,3,2,600
    transfer 3,2,2,600
    ask soonest 1 to 4 by 24:00:30
      02:13:20 24:00:20 a > b
`

const UNDISTURBED = `
  test Test_without_disrupt_false
    trip l-1: 1 10:15, 2 11:10
    trip l-2: 1 10:30, 2 11:10
    ask soonest 1 to 2 after 10:10
      10:30 11:10 l-2
`

/** In navitia's test, a disruption removes a trip on some days. Here, live data cancels the trip. */
const DISTURBED = `
  test Test_without_disrupt_true
    trip l-1: 1 10:15, 2 11:10
    trip l-2: 1 10:30, 2 11:10
    ask soonest 1 to 2 after 10:10
      10:15 11:10 l-1
    ask soonest 1 to 2 after 10:10 date 2026-06-11
      10:30 11:10 l-2
`

const FOLDER = 'source/routing/tests'

/** The tests of hove-io/navitia's raptor. */
export const NAVITIA: readonly PeerFile[] = [
  { file: `${FOLDER}/raptor_test.cpp`, cases: readCases(RIDES + NIGHTS + STAYS) },
  {
    file: `${FOLDER}/raptor_adapted_test.cpp`,
    cases: [...readCases(UNDISTURBED), ...withLive(readCases(DISTURBED), [canceledTrip('l-2', '20260610')])],
  },
  { file: `${FOLDER}/frequency_raptor_test.cpp`, cases: readCases(FREQUENCIES) },
  { file: `${FOLDER}/reverse_raptor_test.cpp`, cases: readCases(BACKWARDS) },
]
