// The tests of what transfers.txt means to motis-project/nigiri: rules of stations, lines and trips. Lines are called as what
// stands before the hyphen of their trips, so some trips have other names here.

/** How long a change takes where rules name lines that call there. */
export const VIRTUAL_STOPS = `
  test transfer_time_settings_apply_to_zero_min_hub
    change 120
    trip ga: N 10:00, W 10:30
    trip gb-1: W 10:32, O 11:00
    trip gb-2: W 10:40, O 11:10
    trip gc: N2 10:00, W 10:30
    trip x: O 01:00, N 02:00
    transfer W,W,1
    transfer W,W,2,300,,,ga,x
    ask soonest N to O after 10:00
      10:00 11:00 ga > gb-1
    ask soonest N2 to O after 10:00
      10:00 11:00 gc > gb-1
  test trip_based_routing_sees_hub_transfers
    change 120
    trip fa: L 10:00, U 10:30
    trip fb-1: U 10:33, M 11:00
    trip fb-2: U 10:50, M 11:20
    trip fc: L 01:00, M 02:00
    transfer U,U,2,120
    transfer U,U,2,300,,,fa,fc
    ask soonest L to M after 10:00
      10:00 11:00 fa > fb-1
  test trip_based_routing_projects_virtual_locations
    change 120
    trip q1: QA 10:00, QS 10:30
    trip q2: QS 10:40, QB 11:00
    transfer QS,QS,2,120
    transfer QS,QS,2,0,q1,q2
    ask QA to QB after 10:00
      10:00 11:00 q1 > q2
  test td_offsets_hold_at_virtual_locations
    change 120
    trip fa: L 10:00, U 10:30
    trip fc: U 10:35, M 11:00
    transfer U,U,2,120
    transfer U,U,2,300,,,fa,fc
    ask U 120 to M after 10:30
      10:33 11:00 fc
    ask L to U 300 after 10:00
      10:00 10:35 fa
    ask L to M after 10:00
      10:00 11:00 fa > fc
  test egress_offset_names_the_query_stop
    change 120
    trip fa: L 10:00, U 10:30
    ask L to U 180 after 10:00
      10:00 10:33 fa
`

/** Rules that hold for some changes at a stop and not for others. */
export const TRANSFER_RULES = `
  test transfer_rules_station_level_min_time
    change 120
    station XS 50000
    stop X1 50011 XS
    stop X2 50022 XS
    trip t1: A 10:00, X1 10:30
    trip t2-1: X2 10:35, B 11:00
    trip t2-2: X2 10:42, B 11:10
    transfer XS,XS,2,600
    ask A to B after 10:00
      10:00 11:10 t1 > t2-2
  test transfer_rules_route_qualified
    change 120
    trip u1: A2 12:00, Y 12:30
    trip u2: Y 12:31, C 13:00
    trip u3: Y 12:31, D 13:00
    transfer Y,Y,2,120
    transfer Y,Y,2,0,,,u1,u2
    ask A2 to C after 12:00
      12:00 13:00 u1 > u2
    ask A2 to D after 12:00
  test transfer_rules_forbidden
    change 120
    station FS 50000
    stop F1 50011 FS
    stop F2 50022 FS
    trip v1: A3 14:00, F1 14:30
    trip v2-1: F2 14:40, E 15:00
    trip v2-2: F2 23:30, E 23:50
    transfer F1,F2,3
    ask A3 to E after 14:00
    ask A3 to E after 14:00 until 26:00
  test transfer_rules_trip_beats_route
    change 120
    trip z1-1: A4 16:00, Z 16:30
    trip z2-2: Z 16:31, BZ 17:00
    trip z2-3: Z 16:31, CZ 17:10
    transfer Z,Z,2,120
    transfer Z,Z,2,0,,,z1,z2
    transfer Z,Z,3,,z1-1,z2-2
    ask A4 to BZ after 16:00
    ask A4 to CZ after 16:00
      16:00 17:10 z1-1 > z2-3
  test transfer_rules_majority_fold_uniform
    change 120
    trip m1: A5 18:00, M 18:30
    trip m2: M 18:30, G 19:00
    trip m3: M 18:30, H 19:00
    transfer M,M,1,,m1,m2
    ask A5 to G after 18:00
      18:00 19:00 m1 > m2
    ask A5 to H after 18:00
      pinned a rule of two trips holds for these two; its author: 18:00 19:00 m1 > m3, as most rules of a stop become its own
  test transfer_rules_majority_fold_exception
    change 120
    trip n1: A6 20:00, N 20:30
    trip n4: A7 20:05, N 20:29
    trip n2: N 20:32, I 21:00
    trip n3: N 20:32, J 21:00
    transfer N,N,2,60,n1,n2
    transfer N,N,2,60,n4,n2
    transfer N,N,2,600,n1,n3
    ask A6 to I after 20:00
      20:00 21:00 n1 > n2
    ask A6 to J after 20:00
  test transfer_rules_self_pair
    change 120
    trip p-1: A8 22:00, P 22:30
    trip p-2: P 22:35, K 23:00
    trip q: P 22:35, L 23:00
    transfer P,P,2,120
    transfer P,P,2,600,,,p,p
    ask A8 to K after 22:00
    ask A8 to L after 22:00
      22:00 23:00 p-1 > q
  test transfer_rules_mutual_restriction
    change 120
    trip q1: A9 08:00, Q 08:30
    trip q2-1: Q 08:32, QA 09:00
    trip q2-2: Q 08:41, QA 09:10
    trip q3: Q 08:32, QB 09:00
    transfer Q,Q,2,120
    transfer Q,Q,2,600,q1,q2-1
    transfer Q,Q,2,600,q2-1,q1
    ask A9 to QA after 08:00
      08:00 09:10 q1 > q2-2
    ask A9 to QB after 08:00
      08:00 09:00 q1 > q3
  test transfer_rules_slow_member
    change 120
    trip ss-0: A10 08:50, SS 09:20
    trip sx: A10 09:00, SS 09:30
    trip sy-2: SS 09:32, SSA 10:00
    trip ss-3: SS 09:33, SSB 10:00
    trip sy-4: SS 09:23, SSC 10:00
    transfer SS,SS,2,120
    transfer SS,SS,2,600,,,ss,ss
    transfer SS,SS,2,600,sx,sy-2
    ask A10 to SSA after 09:00
    ask A10 to SSB after 09:00
      09:00 10:00 sx > ss-3
    ask A10 to SSC after 08:45
      08:50 10:00 ss-0 > sy-4
  test transfer_rules_fast_rule_stays_on_its_route
    change 120
    trip ga: GO1 08:00, GU 09:00
    trip gb: GO2 09:30, GU 10:00
    trip gc: GO3 09:40, GU 09:55
    trip gx: GU 10:01, GUD 10:30
    transfer GU,GU,2,180,,,ga,gx
    transfer GU,GU,2,180,,,gb,gx
    transfer GU,GU,2,0,,,gc,gx
    ask GO3 to GUD after 09:30
      09:40 10:30 gc > gx
    ask GO2 to GUD after 09:00
    ask GO1 to GUD after 07:30
      08:00 10:30 ga > gx
  test transfer_rules_forbidden_same_stop_unqualified
    change 120
    trip x: T6A 14:30, T6N 15:00
    trip y-1: T6N 15:15, T6J 15:30
    trip y-2: T6N 18:00, T6J 18:20
    transfer T6N,T6N,3
    ask T6A to T6N after 14:30
      14:30 15:00 x
    ask T6A to T6J after 14:30 until 22:00
  test transfer_rules_forbidden_same_stop_route
    change 120
    trip x-1: T7A 14:30, T7Q 15:00
    trip x-2: T7Q 15:15, T7K 15:30
    trip x-3: T7Q 19:20, T7K 19:40
    trip y: T7Q 15:15, T7L 15:30
    transfer T7Q,T7Q,2,120
    transfer T7Q,T7Q,3,,,,x,x
    ask T7A to T7L after 14:30
      14:30 15:30 x-1 > y
    ask T7A to T7K after 14:30 until 22:00
`
