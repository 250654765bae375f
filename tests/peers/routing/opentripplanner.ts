// The module tests of OpenTripPlanner's raptor, rewritten for Quai. Each test in which riders change at a stop sets how
// long a change takes, usually a minute. Slack for boarding and alighting is added to the walks. The timetables cover
// one day.
import { onOneDay, readCases } from './case-text.ts'
import type { PeerFile } from './peer-network.ts'

const FOLDER = 'raptor/src/test/java/org/opentripplanner/raptor/moduletests'

const BASIC = {
  A01_SingleRouteTest: `
    test testRaptor
      trip r1: B 00:01, C 00:03, D 00:05
      ask B 30 to D 20 after 00:00 before 00:10
        00:00:30 00:05:20 r1
      ask B 30 to D 20 by 00:10
        00:00:30 00:05:20 r1`,
  A04_BoardingTest: `
    test testRaptor
      change 60
      trip r1: A 00:10, B 00:18
      trip r2: A 00:14, C 00:18
      trip r3: A 00:12, D 00:18
      trip r4: B 00:20, C 00:21, D 00:22, E 00:30, F 00:31, G 00:32
      trip r5: E 00:35, H 00:42
      trip r6: F 00:35, H 00:40
      trip r7: G 00:35, H 00:44
      ask A 60 to H 60 after 00:00 before 01:00
        00:13 00:41 r2 > r4 > r6
      ask A 60 to H 60 by 01:00
        00:13 00:41 r2 > r4 > r6`,
  B01_AccessTest: `
    test testRaptor
      trip r1: B 00:10, C 00:14, D 00:18, E 00:22, F 00:25
      ask B 1 + C 240 + D 420 + E 780 to F 1 after 00:00 before 00:30
        00:11 00:25:01 r1
      ask B 1 + C 240 + D 420 + E 780 to F 1 by 00:30
        00:11 00:25:01 r1`,
  B02_EgressTest: `
    test testRaptor
      trip r1: B 00:10, C 00:14, D 00:18, E 00:20, F 00:24, G 00:28
      ask B 20 to D 1200 + E 420 + F 240 + G 1 after 00:00 before 00:30
        00:09:40 00:27 r1
      ask B 20 to D 1200 + E 420 + F 240 + G 1 by 00:30
        00:09:40 00:27 r1`,
  B03_AccessEgressTest: `
    test testRaptorWithTimeTable
      trip r1: A 00:10, B 00:14, C 00:18, D 00:22, E 00:28, F 00:32, G 00:36, H 00:40
      ask A 1 + B 240 + C 420 + D 1200 to E 1200 + F 420 + G 240 + H 1 after 00:00 before 01:00
        00:11 00:39 r1
      ask A 1 + B 240 + C 420 + D 1200 to E 1200 + F 420 + G 240 + H 1 by 01:00
        00:11 00:39 r1`,
  B04_AccessEgressBoardingTest: `
    test testRaptor
      trip r1: A 00:10, B 00:14, C 00:18, D 00:30, E 00:34, F 00:38
      ask A 1 + B 10 + C 300 to D 300 + E 10 + F 1 after 00:00 before 01:00
        00:13:50 00:34:10 r1
      ask A 1 + B 10 + C 300 to D 300 + E 10 + F 1 by 01:00
        00:13:50 00:34:10 r1`,
  B05_EgressStopBoardAlightTransferCostTest: `
    test testRaptor
      change 60
      trip r1: B 00:10, C 00:14
      trip r2: C 00:18, D 00:20
      ask B to C 300 + D 20 after 00:00 before 00:30
        00:10 00:19 r1
        pinned criteria: arrival, departure, changes; its author: also r1 > r2 at 00:20:20, which costs less`,
}

const CHANGES = {
  C01_TransferBoardAndAlightSlackTest: `
    test testRaptor
      change 100
      trip r1: B 00:02:11, C 00:03:01/00:03:11
      trip r2-1: C 00:04:40, D 00:05:00/00:05:10
      trip r2-2: C 00:04:41, D 00:05:01/00:05:11
      ask B 60 to D 30 after 00:00 until 00:03
        00:01:11 00:05:31 r1 > r2-2
      ask B 60 to D 30 by 00:30
        00:01:11 00:05:31 r1 > r2-2`,
  C02_OnStreetTransfersTest: `
    test testRaptor
      trip r1: B 00:02, C 00:03/00:03:10
      trip r2-1: D 00:03:59, E 00:04:59/00:05:09
      trip r2-2: D 00:04, E 00:05/00:05:10
      transfer C,D,2,60
      ask B 30 to E 20 after 00:00 until 00:03
        00:01:30 00:05:20 r1 > r2-2
      ask B 30 to E 20 by 00:30
        00:01:30 00:05:20 r1 > r2-2`,
  C03_OnBoardArrivalDominateTransfersTest: `
    test test
      change 60
      trip r1: A 00:05, B 00:08
      trip r2: B 00:12, C 00:15
      transfer B,C,2,60
      ask A 60 to C 60 after 00:00 until 00:10
        00:04 00:16 r1 > r2
      ask A 60 to C 60 by 00:30
        00:04 00:16 r1 > r2`,
  C04_TransitAndTransferArrivalAtEgressStopTest: `
    test test
      change 60
      trip r1: A 00:05, B 00:06, C 00:08
      trip r2: C 00:10, D 00:15
      transfer B,D,2,120
      ask A 60 to D 60 after 00:00 until 00:10
        00:04 00:16 r1 > r2
      ask A 60 to D 60 by 00:30
        00:04 00:16 r1 > r2`,
}

const RIGHTS = {
  D01_SingeRouteBoardAlightRestrictionsTest: `
    test testRaptor
      trip r1: B 00:01 on, C 00:03, D 00:05 off
      ask B 30 to D 20 after 00:00 before 00:10
        00:00:30 00:05:20 r1`,
  D02_EarlyBoardingMatters: `
    test testRaptor
      change 60
      trip r1-1: E 00:02, F 00:04, G 00:06, H 00:08, I 00:10, J 00:12
      trip r1-2: E 00:04, F 00:06, G 00:08, H 00:10, I 00:12, J 00:14
      trip r1-3: E 00:06, F 00:08, G 00:10, H 00:12, I 00:14, J 00:16
      trip r1-4: E 00:08, F 00:10, G 00:12, H 00:14, I 00:16, J 00:18
      trip r1-5: E 00:10, F 00:12, G 00:14, H 00:16, I 00:18, J 00:20
      trip r1-6: E 00:12, F 00:14, G 00:16, H 00:18, I 00:20, J 00:22
      trip r1-7: E 00:14, F 00:16, G 00:18, H 00:20, I 00:22, J 00:24
      trip r2: A 00:03, I 00:05
      trip r3: A 00:02, B 00:04
      trip r4: B 00:06, H 00:08
      trip r5: B 00:05, C 00:07
      trip r6: C 00:09, G 00:11
      trip r7: C 00:08, D 00:10
      trip r8: D 00:11, E 00:13
      ask A to F after 00:00 until 00:10
        00:02 00:16 r3 > r5 > r7 > r8 > r1-7
      ask A to F by 01:00
        00:02 00:16 r3 > r5 > r7 > r8 > r1-7`,
  M05_DirectTransitBoardAlightRestrictionsTest: `
    test testExcludeByBoardingAlighting
      trip p1: A 01:00 on, B 02:00 off, C 03:00 on, D 04:00 off
      ask A to D after 00:00
        01:00 04:00 p1
      ask B to D after 00:00
      ask A to C after 00:00`,
}

const CONSTRAINTS = {
  E01_StaySeatedTransferTest: `
    test testRaptor
      change 60
      trip r1: A 00:02, B 00:05
      trip r2: B 00:05, C 00:10
      transfer B,B,4,,r1,r2
      ask A 50 to C 40 after 00:00 before 00:30
        00:01:10 00:10:40 r1 ~ r2
      ask A 50 to C 40 by 00:30
        00:01:10 00:10:40 r1 ~ r2`,
  E02_GuaranteedWalkTransferTest: `
    test testRaptor
      change 60
      stop B 10000
      stop C 10027
      trip r1: A 00:02, B 00:05
      trip r2: C 00:05, D 00:10
      transfer B,C,1,,r1,r2
      ask A 50 to D 40 after 00:00 before 00:30
        pinned type 1 timed: no slack, but the whole walk must fit; its author: r1 > r2, the walk of 30 s left out of account`,
  E03_NotAllowedConstrainedTransferTest: `
    test testRaptor
      change 60
      trip r1: A 00:02, B 00:05
      trip r2-1: B 00:10, C 00:15
      trip r2-2: B 00:12, C 00:17
      trip r3: B 00:15, C 00:20
      transfer B,B,3,,,,r1,r2
      ask A 30 to C 30 after 00:00 before 00:30
        00:01:30 00:20:30 r1 > r3
      ask A 30 to C 30 by 00:30
        00:01:30 00:20:30 r1 > r3`,
  I01_HeuristicTest: `
    test regular
      trip r1: A 00:01, B 00:03
      trip r2: C 00:05, D 00:08
      transfer B,C,2,90
      ask A 30 to D 20 after 00:00
        00:00:30 00:08:20 r1 > r2`,
}

const WINDOWS = {
  M02_DirectTransitWithTripsInSearchWindowTest: `
    test testDirectTransitSearchWindow
      trip r1-1: A 00:02, B 00:04
      trip r1-2: A 00:03, B 00:05
      trip r1-3: A 00:04, B 00:06
      ask A 30 to B 20 after 00:00 until 00:03
        00:01:30 00:04:20 r1-1
        00:02:30 00:05:20 r1-2`,
  M03_DirectTransitSearchWindowTest: `
    test testRelaxedSearchWindow
      trip r1-1: A 00:02, B 00:03
      trip r1-2: A 00:03, B 00:04
      trip r1-3: A 00:04, B 00:05
      trip r1-4: A 00:05, B 00:06
      ask A 60 to B 60 after 00:02 until 00:03
        00:02 00:05 r1-2
        00:03 00:06 r1-3`,
}

const ALL = { ...BASIC, ...CHANGES, ...RIGHTS, ...CONSTRAINTS, ...WINDOWS }

/** The module tests of OpenTripPlanner's raptor. */
export const OPENTRIPPLANNER: readonly PeerFile[] = Object.entries(ALL).map(([name, text]) => ({
  file: `${FOLDER}/${name}.java`,
  cases: onOneDay(readCases(text)),
}))
