// The tests of hove-io/navitia about nights, days and frequencies.

/** Cases with trips that run past midnight, and with trips that run only on some days. */
export const NIGHTS = `
  test over_midnight
    change 120
    trip a: 1 23:00, 2 24:05
    trip b: 2 00:10, 3 00:20
    ask soonest 1 to 3 after 22:00
      23:00 24:20 a > b
    ask 1 to 3 after 22:00 before 26:21:40
      23:00 24:20 a > b
    ask 1 to 3 after 22:00 before 24:20
      23:00 24:20 a > b
    ask 1 to 3 after 22:00 before 24:19:59
  test over_midnight_2
    change 120
    trip a: 1 23:00, 2 23:59
    trip b: 4 23:10, 2 24:10, 3 24:20
    ask soonest 1 to 3 after 22:00
      23:00 24:20 a > b
    ask 1 to 3 after 22:00 before 24:20
      23:00 24:20 a > b
    ask 1 to 3 after 22:00 before 24:19:59
  test over_midnight_interne
    trip a: 1 23:00, 2 23:30/24:30, 3 24:40
    ask soonest 1 to 3 after 22:00
      23:00 24:40 a
    ask 1 to 3 after 22:00 before 24:40
      23:00 24:40 a
    ask 1 to 3 after 22:00 before 24:39:59
  test validity_pattern
    trip d-1 on 20260611: 1 02:13:20, 2 02:16:40
    trip d-2 on 20260610: 1 02:30, 2 02:33:20
    ask soonest 1 to 2 after 02:10
      02:30 02:33:20 d-2
    ask 1 to 2 after 02:10 before 02:33:20
      02:30 02:33:20 d-2
    ask 1 to 2 after 02:10 before 02:33:19
    ask 1 to 2 after 02:11:40 date 2026-06-12
  test marche_a_pied_pam
    change 120
    trip a: 1 02:13:20, 2 23:59
    trip b: 3 02:00, 4 02:00:20
    transfer 2,3,2,600
    transfer 3,2,2,600
    ask soonest 1 to 4 after 02:11:40
      02:13:20 26:00:20 a > b
    ask 1 to 4 after 02:11:40 before 26:00:20
      02:13:20 26:00:20 a > b
    ask 1 to 4 after 02:11:40 before 26:00:19
  test pam_veille
    trip a: 1 00:03, 2 00:20
    trip b on 20260610: 0 23:00, 2 24:30, 3 24:40
    ask 2 to 3 after 00:05 date 2026-06-11
      00:30 00:40 b
  test pam_3
    change 120
    trip a: 1 23:00, 2 24:05
    trip b: 1 23:00, 3 23:05
    trip c-1: 2 00:10, 3 00:20, 4 00:30
    trip c-2: 2 23:00, 3 23:10, 4 23:40
    ask soonest 1 to 4 after 00:05
      23:00 23:40 b > c-2
  test over_midnight_special
    change 120
    trip a: 1 08:00, 2 08:10
    trip b: 1 07:00, 3 07:05
    trip c: 2 07:10, 3 07:15, 4 07:20
    ask soonest 1 to 4 after 06:00
      07:00 07:20 b > c
`

/**
 * Cases with frequency trips. In navitia, the times of a run count from its arrival at the first stop; here, from its
 * departure there.
 */
export const FREQUENCIES = `
  test freq_vj
    trip a: 1 08:00, 2 08:10
    frequency a,08:00:00,18:00:00,300,0
    ask soonest 1 to 2 after 08:00
      08:00 08:10 a
    ask soonest 1 to 2 after 09:00
      09:00 09:10 a
  test freq_vj_pam
    trip a: 1 08:00, 2 08:10
    frequency a,08:00:00,26:00:00,300,0
    ask soonest 1 to 2 after 23:00
      23:00 23:10 a
    ask soonest 1 to 2 after 24:00
      24:00 24:10 a
    ask soonest 1 to 2 after 25:00
      25:00 25:10 a
  test freq_vj_stop_times
    trip a: 1 08:00/08:10, 2 08:15/08:25, 3 08:30/08:40
    frequency a,08:10:00,18:10:00,3600,0
    ask soonest 1 to 3 after 09:00
      09:10 09:30 a
    ask soonest 1 to 3 by 09:30
      09:10 09:30 a
  test freq_vj_different_departure_arrival_duration
    trip a: 1 08:00/08:10, 2 08:15/08:40, 3 09:00/09:05
    frequency a,08:10:00,18:10:00,3600,0
    ask soonest 1 to 3 after 09:05
      09:10 10:00 a
    ask soonest 1 to 3 by 10:00
      09:10 10:00 a
  test freq_vj_overmidnight_different_dep_arr
    trip a: 1 08:00/08:10, 2 08:30/08:35, 3 09:20/09:40
    frequency a,08:10:00,26:10:00,3600,0
    ask soonest 1 to 3 after 22:15
      23:10 24:20 a
    ask soonest 1 to 3 by 25:00
      23:10 24:20 a
  test freq_vj_transfer_with_regular_vj
    change 120
    trip a: 1 08:00/08:10, 2 08:30/08:35, 3 09:20/09:40
    trip b: 4 12:00/12:05, 2 12:10/12:11, 5 12:30
    frequency a,08:10:00,26:10:00,3600,0
    ask soonest 1 to 5 after 10:20
      11:10 12:30 a > b
    ask soonest 1 to 5 by 12:40
      11:10 12:30 a > b
  test transfer_between_freq
    trip a: 1 08:00/08:10, 2 08:30, 3 09:20/09:40
    trip b: 4 08:00/08:14, 5 08:35/08:44, 6 09:25/09:34
    frequency a,08:10:00,26:10:00,3600,0
    frequency b,14:14:00,20:14:00,600,0
    transfer 3,4,2,1200
    ask soonest 1 to 5 after 11:10
      12:10 14:35 a > b
    ask soonest 1 to 5 by 14:35
      12:10 14:35 a > b
  test freq_vj_end_time_is_smaller_than_start_time
    trip a on 20260610 20260611 20260612 20260613: 1 20:00/20:10, 2 21:00/21:10, 3 22:00
    frequency a,20:10:00,30:10:00,3600,0
    ask soonest 1 to 3 after 21:30
      22:10 24:00 a
    ask soonest 1 to 3 after 21:30 date 2026-06-13
      22:10 24:00 a
    ask soonest 1 to 3 after 21:30 date 2026-06-14
    ask soonest 1 to 3 after 21:30 date 2026-06-09
      44:10 46:00 a
      pinned journeys: the first vehicle leaves within 24 h; its author: none, as nothing runs on the day itself
`
