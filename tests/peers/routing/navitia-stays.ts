// The tests of hove-io/navitia in which a vehicle continues as another trip. Navitia puts all stops in one place. Here,
// if a vehicle continues from another stop than the one where it arrived, the two stops are 50 m apart.

/** Cases in which riders stay seated. */
export const STAYS = `
  test stay_in_basic
    trip a block 1: 1 08:00, 2 08:10
    trip b block 1: 2 08:15, 3 08:20
    ask soonest 1 to 3 after 00:05
      08:00 08:20 a ~ b
  test stay_in_short
    change 120
    trip a block 1: 1 08:00, 2 08:10
    trip b block 1: 2 08:10, 3 08:20
    ask soonest 1 to 3 after 00:05
      08:00 08:20 a ~ b
  test stay_in_nl
    trip l9658 block 1: ehv 16:50, ehb 16:53, bet 16:58, btl 17:06, vg 17:12, ht 17:19
    trip l4462 block 1: ht 17:26, hto 17:29, rs 17:33
    ask soonest bet to rs after 16:53
      16:58 17:33 l9658 ~ l4462
  test stay_in_nl_counterclock
    trip l9658 block 1: ehv 16:50, ehb 16:53, bet 16:58, btl 17:06, vg 17:12, ht 17:19
    trip l4462 block 1: ht 17:26, hto 17:29, rs 17:33
    ask soonest bet to rs by 17:33:20
      16:58 17:33 l9658 ~ l4462
  test stay_in_teleport
    stop 2 10000
    stop 4 10050
    trip a block 1: 1 08:00, 2 08:10
    trip b block 1: 4 08:15, 3 08:20
    ask soonest 1 to 3 after 00:05
      08:00 08:20 a ~ b
  test stay_in_departure_last_of_first_vj
    stop 2 10000
    stop 4 10050
    trip a block 1: 1 08:00, 2 08:10
    trip b block 1: 4 08:15, 3 08:20
    ask soonest 2 + 4 55 to 3 after 00:05
      08:14:05 08:20 b
      pinned access: to every stop within reach; its author: aboard where the first trip ends, to stay seated in the next
  test stay_in_complex
    change 120
    stop 2 20000
    stop 4 20050
    trip a: 1 08:00, 2 09:00, 3 10:00
    trip b block 1: 3 10:05, 2 11:00
    trip c block 1: 4 11:05, 5 11:10
    ask soonest 1 to 5 after 00:05 before 24:00
      08:00 11:10 a > b ~ c
  test stay_in_and_one_earlier_with_connection
    change 120
    stop 2 10000
    stop 4 10050
    trip a block 1: 1 08:00, 2 08:10
    trip b block 1: 4 08:15, 3 08:20
    trip c: 1 08:00, 2 08:05
    trip d: 2 08:10, 3 08:15
    ask soonest 1 to 3 after 00:05
      08:00 08:15 c > d
      08:00 08:20 a ~ b
  test stay_in_3_vj
    stop 2 10000
    stop 4 10050
    stop 5 30000
    stop 6 30050
    trip a block 1: 1 08:00, 2 08:10
    trip b block 1: 4 08:15, 5 08:20
    trip c block 1: 6 08:25, 3 08:30
    ask soonest 1 to 3 after 00:05
      08:00 08:30 a ~ b ~ c
  test stay_in_loop
    stop 2 10000
    stop 4 10050
    stop 3 30000
    stop 5 30050
    trip a block 1: 1 08:00, 2 08:10
    trip b block 1: 4 08:15, 3 08:20
    trip c block 1: 5 08:25, 1 08:30
    trip d block 1: 4 08:35, 3 08:40
    ask soonest 1 to 3 after 00:05
      08:00 08:20 a ~ b
  test stay_in_invalid_vp
    stop 2 10000
    stop 4 10050
    trip a on 20260610 20260611 block 1: 1 08:00, 2 08:10
    trip b on 20260620 block 1: 4 08:15, 3 08:20
    ask soonest 1 to 3 after 00:05 before 24:00
  test invalid_stay_in_overmidnight
    trip a on 20260610 20260611 20260612 block 1: 1 08:00, 2 08:10
    trip b on 20260611 block 1: 2 08:15, 3 24:20/24:25, 4 24:30
    transfer 2,2,3
    ask soonest 1 to 4 after 06:00
    ask soonest 1 to 4 after 06:00 date 2026-06-11
      08:00 24:30 a ~ b
  test stay_in_unnecessary
    trip a block 1: 2 08:00, 3 08:10
    trip b block 1: 1 07:00, 2 08:00
    ask soonest 1 to 2 after 00:05
      07:00 08:00 b
  test stay_in_unnecessary2
    change 120
    trip b block 1: 2 08:00, 3 09:00
    trip a block 1: 1 07:00, 2 08:00
    trip line2: 2 09:55, 4 10:00
    ask soonest 1 to 4 after 00:05
      07:00 10:00 a > line2
  test test_2nd_and_3rd_pass_ext
    change 100
    trip l1-1: A 02:13:20, B 02:30
    trip l1-2: A 02:30, B 02:46:40
    trip l2-1 block 1: B 03:03:20, E 03:05
    trip l4-1 block 1: E 03:05, F 03:06:40
    trip l5-1 block 1: F 03:06:40, C 03:20
    trip l2-2 block 2: B 03:20, E 03:21:40
    trip l4-2 block 2: E 03:21:40, F 03:23:20
    trip l5-2 block 2: F 03:23:20, C 03:36:40
    trip l3-1: C 03:53:20, D 04:10
    trip l3-2: C 04:10, D 04:26:40
    ask soonest A to D after 02:11:40
      02:30 04:10 l1-2 > l2-1 ~ l4-1 ~ l5-1 > l3-1
    ask soonest A to D by 04:28:20
      02:30 04:10 l1-2 > l2-2 ~ l4-2 ~ l5-2 > l3-1
      pinned criteria: arrival, departure, changes; its author: l2-1 ~ l4-1 ~ l5-1, which leaves less time at the first change and more at the second
  test penalty_on_vj_extentions
    trip l1 block 42: A 09:00, B 10:00, C 11:00
    trip l2 block 42: C 11:00, D 12:00
    ask soonest A to B 120 + D 60 after 08:00
      09:00 10:02 l1
  test reader_with_invalid_vj_extensions
    change 60
    trip l1: A 09:00, B 10:00
    trip l2: B 10:10, C 10:40
    trip l10 on 20260601 block 1: B 10:10, E 10:20
    trip l11 block 1: E 10:25, C 10:40
    trip l3: C 11:00, D 12:00
    ask soonest A to D by 12:05
      09:00 12:00 l1 > l2 > l3
  test fix_datetime_represents_arrival_departure
    stop B0 30000
    stop B1 30050
    trip a-1 block 1: A 08:05, B0 08:40
    trip a-2 block 1: B1 08:40/09:05, C 11:50
    ask soonest A to B1 + B0 by 09:00
      08:05 08:40 a-1
    ask soonest A to B1 + B0 after 08:00
      08:05 08:40 a-1
  test optimize_extention_before_min_wait
    stop 2 10000
    stop 3 10050
    trip a-1 block 1: 1 08:00, 2 09:00
    trip a-2 block 1: 3 09:00, 4 12:00
    trip b block 2: 5 10:00, 6 11:00
    transfer 2,5,2,120
    transfer 3,5,2,60
    ask soonest 1 to 6 after 08:00
      08:00 11:00 a-1 > b
  test stay_in_pass_midnight
    trip l1 block 42: S1 23:45, S2 23:50, S3 24:00
    trip l2 block 42: S3 24:45, S4 24:50, S5 24:55
    ask soonest S1 to S5 after 23:00
      23:45 24:55 l1 > l2
      pinned staying seated: the next trip starts 0 to 600 s later; its author: seated for 45 minutes
`
