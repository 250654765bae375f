// Tests from motis-project/nigiri about transfers.txt: rules for stations, lines and trips. Here, the part of a trip's
// id before the hyphen is the name of its line, so some trips have other names than in nigiri.

/** Cases about how long a change takes at stops that have rules for lines or trips. */
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

/** Cases in which rules apply to some changes at a stop, but not to others. */
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
      pinned a rule for two trips applies to these two only; its author: 18:00 19:00 m1 > m3, as most rules of a stop become its own
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

/**
 * Cases for two kinds of errors that nigiri's authors found in a review: errors in the choice among several rules, and
 * errors in the effect of a rule that forbids changes.
 */
export const REVIEWED_RULES = `
  test station_min_time_applies_within_one_platform
    change 120
    station XS 50000
    stop X1 50000 XS
    stop X2 50033 XS
    trip ta1: A 10:00, X1 10:30
    trip ta2-2: X1 10:35, B 11:00
    trip ta2-3: X1 10:45, B 11:15
    transfer XS,XS,2,600
    ask A to B after 10:00
      10:00 11:15 ta1 > ta2-3
  test station_ban_applies_within_one_platform
    change 120
    station YS 50000
    stop Y1 50000 YS
    stop Y2 50033 YS
    trip te1: C 10:00, Y1 10:30
    trip te2: Y1 10:40, D 11:00
    transfer YS,YS,3
    ask C to D after 10:00
  test one_sided_rule_applies_between_trips_of_its_route
    change 120
    trip rb-1: E 12:00, Z 12:30
    trip rb-2: Z 12:35, F 13:00
    trip rb-3: Z 12:45, F 13:15
    trip rb-4: E2 12:00, Z 12:30
    trip rc-5: Z 12:35, F2 13:00
    trip rc-6: Z 12:45, F2 13:15
    transfer Z,Z,2,120
    transfer Z,Z,2,600,,,rb
    ask E2 to F2 after 12:00
      12:00 13:15 rb-4 > rc-6
    ask E to F after 12:00
      12:00 13:15 rb-1 > rb-3
  test virtual_location_key_keeps_specificity
    change 120
    stop S 50000
    stop S2 50055
    trip rc-1: G 13:00, S 13:30
    trip rc-2: G 14:00, S 14:30
    trip rd-1: S2 13:36, H 14:00
    trip rd-2: S2 14:36, H 15:00
    trip rd-3: S2 14:45, H 15:10
    transfer S,S2,2,180
    transfer S,S2,2,300,rc-1
    transfer S,S2,2,300,,,rc
    transfer S,S2,2,600,,,rc,rd
    ask soonest G to H after 13:00
      13:00 14:00 rc-1 > rd-1
    ask G to H after 14:00
      14:00 15:10 rc-2 > rd-3
  test virtual_location_key_merges_equal_values_without_competition
    change 120
    stop S 50000
    stop S2 50055
    trip rc-1: G 13:00, S 13:30
    trip rc-2: G 14:00, S 14:30
    trip rd-1: S2 13:36, H 14:00
    trip rd-2: S2 14:36, H 15:00
    trip rd-3: S2 14:45, H 15:10
    transfer S,S2,2,180
    transfer S,S2,2,300,rc-1
    transfer S,S2,2,300,,,rc
    ask G to H after 14:00
      14:00 15:00 rc-2 > rd-2
  test fold_keeps_station_trip_rule_over_platform_route_rule
    change 120
    station T 50000
    stop T1 50000 T
    stop T2 50033 T
    trip rd1: J 16:00, T1 16:30
    trip rd2-1: T2 16:33, K 17:00
    trip rd2-2: T2 16:45, K 17:15
    transfer T,T,2,120,rd1,rd2-1
    transfer T1,T2,2,300
    transfer T1,T2,2,480,,,rd1,rd2
    ask J to K after 16:00
      16:00 17:00 rd1 > rd2-1
  test fold_keeps_explicit_station_default
    change 120
    station SJ 50000
    stop J1 50000 SJ
    stop J2 50033 SJ
    trip rj1: JA 10:00, J1 10:30
    trip rj3-1: J2 10:35, JB 11:00
    trip rj3-2: J2 10:45, JB 11:15
    trip rj2: JA 01:00, J2 02:00
    transfer SJ,SJ,2,600
    transfer J1,J2,2,180,,,rj1,rj2
    ask JA to JB after 10:00
      10:00 11:15 rj1 > rj3-2
  test folded_platform_default_holds_at_its_virtual_locations
    change 120
    station LS 50000
    stop L1 50000 LS
    stop L2 50033 LS
    trip rl5: LO 10:00, L1 10:30
    trip rl6: L1 10:40, LD 11:00
    trip rl7-1: L1 10:32, LD2 11:00
    trip rl7-2: L1 10:36, LD2 11:05
    trip rl9: LO2 10:00, L1 10:30
    trip rl1: LO 01:00, L1 02:00
    trip rl2: L1 03:00, LD 04:00
    transfer LS,LS,2,60
    transfer L1,L1,2,300,,,rl1,rl2
    transfer L1,L1,2,0,rl5,rl6
    ask LO2 to LD2 after 10:00
      10:00 11:00 rl9 > rl7-1
    ask LO to LD2 after 10:00
      10:00 11:00 rl5 > rl7-1
  test fold_drops_default_rows_next_to_rules_for_other_trips
    change 300
    trip k1-1: KA 08:00, K 08:30
    trip k2-2: K 08:30, KB 09:00
    trip k1-3: KA 09:30, K 10:00
    trip k2-4: K 10:04, KB 10:30
    trip k1-5: KA 10:30, K 11:00
    trip k2-6: K 11:10, KB 11:40
    trip k2-9: K 10:10, KB 10:40
    transfer K,K,1,,k1-1,k2-2
    transfer K,K,2,300,k1-3,k2-4
    transfer K,K,2,300,k1-5,k2-6
    ask soonest KA to KB after 08:00
      08:00 09:00 k1-1 > k2-2
    ask soonest KA to KB after 09:30
      09:30 10:40 k1-3 > k2-9
  test block_through_service_survives_rule_at_junction
    change 120
    trip it1 block 1: BA 10:00, BS 10:30
    trip it2 block 1: BS 10:30, BB 11:00
    trip it0: BZ 09:00, BS 10:20
    trip ct1 block 2: CA 10:00, CS 10:30
    trip ct2 block 2: CS 10:30, CB 11:00
    transfer BS,BS,1,,it0,it2
    ask CA to CB after 10:00
      10:00 11:00 ct1 ~ ct2
    ask BA to BB after 10:00
      10:00 11:00 it1 ~ it2
  test stay_seated_chain_keeps_rule_of_second_trip
    change 120
    trip st1: SA 10:00, SS 10:30
    trip st2: SS 10:30, SB 11:00
    trip sx: SX0 09:00, SS 10:26
    transfer SS,SS,4,,st1,st2
    transfer SS,SS,2,120
    transfer SS,SS,2,600,sx,st2
    ask SA to SB after 10:00
      10:00 11:00 st1 ~ st2
    ask SX0 to SB after 09:00
  test type5_prevents_block_through_service
    change 120
    trip k1 block 5: A 10:00, S 10:30
    trip k2 block 5: S 10:30, B 11:00
    transfer S,S,5,,k1,k2
    ask A to B after 10:00
  test timed_transfer_with_min_time_is_guaranteed
    change 120
    trip rt1: A 10:00, S 10:30
    trip rt2-1: S 10:32, B 11:00
    trip rt2-2: S 10:50, B 11:20
    transfer S,S,2,120
    transfer S,S,1,300,rt1,rt2-1
    ask A to B after 10:00
      10:00 11:00 rt1 > rt2-1
  test qualified_row_does_not_set_stop_time_for_other_profiles
    change 120
    trip q1: QA 10:00, QS 10:30
    trip q2: QS 10:40, QB 11:00
    trip q3: QC 10:00, QS 10:30
    trip q4-1: QS 10:31, QD 11:00
    trip q4-2: QS 10:40, QD 11:10
    transfer QS,QS,2,120
    transfer QS,QS,2,0,q1,q2
    ask QC to QD after 10:00
      10:00 11:10 q3 > q4-2
  test negative_min_transfer_time_is_not_a_ban
    change 120
    stop NA1 50000
    stop NA2 50033
    trip t1: N0 10:00, NA1 10:30
    trip t2: NA2 10:40, N9 11:00
    transfer NA1,NA2,2,-120
    ask N0 to N9 after 10:00
      10:00 11:00 t1 > t2
  test very_large_min_transfer_time_is_not_a_ban
    change 120
    stop NB1 50000
    stop NB2 50033
    trip t1: NB0 10:00, NB1 10:30
    trip t2: NB2 21:00, NB9 21:30
    transfer NB1,NB2,2,36000
    ask NB0 to NB9 after 10:00
      10:00 21:30 t1 > t2
`
