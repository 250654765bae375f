// The rules of journeys, each with a change to the source that breaks the rule and the tests that must then fail.

/** A rule and how to break it. */
export interface BrokenRule {
  /** What the product does wrong while the rule is broken. */
  readonly name: string
  readonly file: string
  /** Text that occurs once in the file. */
  readonly from: string
  /** The replacement of that text. */
  readonly to: string
  readonly tests: readonly string[]
}

type Breaks = readonly (readonly [name: string, from: string, to: string])[]

const API = 'tests/src/api/'
const LISTS = [
  'tests/src/journeys/hygiene.test.ts',
  `${API}journey-lists.test.ts`,
  'tests/journey-lists.test.ts',
  `${API}journey-risk.test.ts`,
]
const PAGES = [`${API}journey-cursors.test.ts`, 'tests/journey-pages.test.ts']
const CHANGES = [`${API}journey-changes.test.ts`, `${API}journey-transfers.test.ts`]
const NETWORKS = [`${API}journey-networks.test.ts`]
const REACH = [`${API}journey-reach.test.ts`, 'tests/src/journeys/walk-reach.test.ts']
const RISK = [`${API}journey-risk.test.ts`]
const RIDES = [
  `${API}journey-rides.test.ts`,
  'tests/indexes/journeys/changes.test.ts',
  'tests/indexes/journeys/planner.test.ts',
]
const WHEELCHAIRS = [`${API}journey-wheelchairs.test.ts`]

/** Rules for the list of journeys: which ones are left out, and how the others are sorted. */
const HYGIENE: Breaks = [
  [
    'a journey is removed because of one that is not shown',
    'givesWay(journey, kept, sorted[0])) kept.add',
    'givesWay(journey, sorted, sorted[0])) kept.add',
  ],
  ['journeys are ranked in display order', '      rankOf(a, rules) - rankOf(b, rules) ||\n', ''],
  ['a change costs nothing in the ranking', '+ transfers * CHANGE_SECONDS\n', '\n'],
  ['among equals, the earlier departure is ranked first', 'b.departs - a.departs) ||\n', 'a.departs - b.departs) ||\n'],
  [
    'among equals, the longer walk is ranked first',
    'walkOf(a.sections) - walkOf(b.sections),',
    'walkOf(b.sections) - walkOf(a.sections),',
  ],
  [
    'a journey is removed because of one that leaves half an hour earlier',
    'other.departs - NEARBY_SECONDS',
    'other.departs - 2 * NEARBY_SECONDS',
  ],
  [
    'a journey is removed because of one that arrives half an hour later',
    'other.arrives + NEARBY_SECONDS',
    'other.arrives + 2 * NEARBY_SECONDS',
  ],
  [
    'a long journey is compared with all journeys of the day',
    'SAME_TIME_SECONDS = 2 * 3600',
    'SAME_TIME_SECONDS = 20 * 3600',
  ],
  [
    'a long journey is kept',
    'duration > 2 * durationOf(other) + LONGER_BY_SECONDS',
    'duration > 9 * (durationOf(other) + LONGER_BY_SECONDS)',
  ],
  [
    'a journey is removed half an hour below the limit for long ones',
    'durationOf(other) + LONGER_BY_SECONDS',
    'durationOf(other)',
  ],
  ['one fewer change is worth nothing', 'CHANGE_SECONDS = 5 * 60', 'CHANGE_SECONDS = 0'],
  ['one fewer change is worth ten minutes', 'CHANGE_SECONDS = 5 * 60', 'CHANGE_SECONDS = 600'],
  [
    'one more change only has to leave later or arrive earlier',
    'Math.max(0, one.departs - other.departs) + Math.max(0, other.arrives - one.arrives)',
    'Math.max(0, one.departs - other.departs, other.arrives - one.arrives)',
  ],
  ['walking less is worth nothing', 'WALK_WORTH = 0.5', 'WALK_WORTH = 0'],
  ['walking less is worth as much as time', 'WALK_WORTH = 0.5', 'WALK_WORTH = 1'],
  ['more walking reduces the value of a saved change', 'WALK_WORTH * Math.max(0, walkSaved)', 'WALK_WORTH * walkSaved'],
  ['a journey with a small gain is kept', 'LITTLE_GAIN_SECONDS = 3 * 60', 'LITTLE_GAIN_SECONDS = -1'],
  ['a journey that gains ten minutes is removed', 'LITTLE_GAIN_SECONDS = 3 * 60', 'LITTLE_GAIN_SECONDS = 600'],
  ['twice the gain counts as many times the gain', 'MANY_TIMES = 3', 'MANY_TIMES = 2'],
  ['a loss of three minutes counts as large', 'MUCH_SECONDS = 5 * 60', 'MUCH_SECONDS = 3 * 60'],
  [
    'a journey with a small gain is removed because of one with a longer walk',
    'EQUAL_WALK_SECONDS = 60',
    'EQUAL_WALK_SECONDS = 600',
  ],
  ['walking costs nothing', 'gainOf(one, other) - walkSaved\n', 'gainOf(one, other)\n'],
  [
    'a journey with a small gain is removed although it has one fewer change',
    'changesWorth === 0 &&',
    'changesWorth <= 0 &&',
  ],
  ['journeys slower than the walk are kept', 'if (isOnFoot(other) && duration >= durationOf(other)) return true', ''],
  [
    'a longer walk without any gain is kept',
    'return gain === 0 && walkSaved',
    'return false && gain === 0 && walkSaved',
  ],
  [
    'the earliest arrival can be removed',
    'kept = new Set(sorted.filter((journey, at) => at === 0 || isOnFoot(journey)))',
    'kept = new Set(sorted.filter((journey) => isOnFoot(journey)))',
  ],
  ['a journey between the first and a direct one is removed', ' && !isBetween(journey, other, first)', ''],
  [
    'a journey between the first and a direct one is kept although the first is much faster',
    'gainOf(first, journey) <= (first.transfers - journey.transfers) * CHANGE_SECONDS',
    'true',
  ],
  [
    'among equal arrivals, the later departure is first',
    'byArrival || byChanges || byDeparture',
    'byArrival || byDeparture || byChanges',
  ],
  [
    'among equal departures, the earlier arrival is first',
    'byDeparture || byChanges || byArrival',
    'byDeparture || byArrival || byChanges',
  ],
  ['a list ends on a tight change', 'limit > 1 ? limit - 1 : limit', 'limit > 1 ? limit : limit'],
  ['a tight journey is removed although it is the only one', 'isTight && limit > 1 ?', 'isTight ?'],
  ['a journey that waits a whole night is kept', 'NIGHT_WAIT_SECONDS = 2 * 3600', 'NIGHT_WAIT_SECONDS = 20 * 3600'],
  ['the night ends at four', 'NIGHT_END_SECONDS = 5 * 3600', 'NIGHT_END_SECONDS = 4 * 3600'],
  [
    'the night follows UTC',
    'nightSeconds(localSeconds(before.arrives), localSeconds(section.departs))',
    'nightSeconds(before.arrives, section.departs)',
  ],
  [
    'a journey counts before it is settled',
    '    if ((rules.isArriveBy ? -journey.departs : journey.arrives) > end) break\n',
    '',
  ],
  [
    'an undecided journey does not end the settled ones',
    '!isDecided(journey) && !waitsByNight(journey, rules) && !givesWay(journey, kept, sorted[0])) break',
    'false) break',
  ],
]

/** Rules for the search: maximum duration and distance, and allowed vehicles. */
const SEARCH: readonly BrokenRule[] = [
  ...breaksOf('indexes/journeys/planner.ts', LISTS, [
    [
      'a search ends with as many journeys as the limit, settled or not',
      'if (worth === undefined) return',
      'if (worth === undefined || found.length >= limit) return',
    ],
  ]),
  ...breaksOf('indexes/journeys/plan-reach.ts', LISTS, [
    [
      'journeys are followed for twelve hours',
      'Math.max(LONG_JOURNEY_SECONDS, LONGEST_RIDES * longestRideSeconds)',
      'JOURNEY_SECONDS',
    ],
    ['journeys are followed for three days, whatever the rides', 'LONGEST_RIDES = 3', 'LONGEST_RIDES = 0'],
  ]),
  ...breaksOf('src/journeys/list-days.ts', LISTS, [
    ['arrive_by after the calendar finds nothing', 'isArriveBy ? seconds - DAY_SECONDS : seconds\n', 'seconds\n'],
  ]),
  ...breaksOf('indexes/journeys/seated.ts', RIDES, [
    ['type 4 joins only trips of the same day', 'startsLater(timetable, from, to) ? 0 : 1', '0'],
    ['type 5 separates nothing', 'type !== FORCED && type !== FORBIDDEN', 'type !== FORCED'],
  ]),
  ...breaksOf(
    'indexes/timetable/blocks.ts',
    ['tests/loaders/blocks.test.ts', ...RIDES],
    [
      ['a block is used although its trips overlap that day', 'if (this.overlaps(block, day)) return', ''],
      [
        'a block that overlaps on one day is ignored on all days',
        'if (!isActive(timetable, timetable.trips.service[trip], day)) continue\n      if (first',
        'if (first',
      ],
    ],
  ),
  ...breaksOf(
    'indexes/journeys/pending-changes.ts',
    [...CHANGES, ...RIDES],
    [
      [
        'riding out and back avoids a change',
        'if (seconds !== undefined && time < this.time[each] + seconds) return true',
        '',
      ],
    ],
  ),
  ...breaksOf('indexes/journeys/change-places.ts', CHANGES, [
    ['a change has half a minute to spare', 'ENOUGH_SECONDS = 120', 'ENOUGH_SECONDS = 30'],
    ['a change takes the longer walk', 'a.changeSeconds - b.changeSeconds ||', 'b.changeSeconds - a.changeSeconds ||'],
    [
      'a change is made where the search found it',
      'if (place === undefined || isPlaceOf(moved, at, place)) continue',
      'continue',
    ],
    [
      'a change is not moved before a trip for which riders stay seated',
      'while (rides[first].staysSeated) first--',
      '',
    ],
    [
      'a change is not moved behind a trip that the vehicle continues as',
      'while (rides[last + 1]?.staysSeated) last++',
      '',
    ],
  ]),
  ...breaksOf('indexes/journeys/footpaths.ts', CHANGES, [
    ['type 1 needs the usual minimum', 'if (rule?.type === TIMED) return walk.seconds', ''],
    ['type 2 needs the usual minimum', 'return rule.minSeconds', 'return Math.max(rule.minSeconds, changeSeconds)'],
    ['type 3 forbids nothing', 'if (rule?.type === FORBIDDEN) return undefined', ''],
  ]),
]

/** Rules about what is read from feeds, including fares. */
const FEEDS: readonly BrokenRule[] = [
  ...breaksOf(
    'indexes/fares/fare-classes.ts',
    ['tests/indexes/fares.test.ts', 'tests/indexes/fares-v2.test.ts'],
    [
      [
        'the time of a ticket includes a ride for which riders stay seated',
        'boarded.at(-1)?.departs',
        'rides.at(-1)?.departs',
      ],
    ],
  ),
  ...breaksOf(
    'loaders/gtfs/call-distances.ts',
    ['tests/regressions/19-distances-in-other-units.test.ts'],
    [['distances in other units are used', 'STRAY_CALL_METERS = 200', 'STRAY_CALL_METERS = 2e9']],
  ),
]

/** Rules about the origin and the destination of a query. */
const ENDS: readonly BrokenRule[] = [
  ...breaksOf('src/journeys/journey-ends.ts', NETWORKS, [
    ['words are not searched near the other end', '[...other.found.keys()], known?.end)', '[...other.found.keys()])'],
    [
      'words at both ends are not searched near each other',
      "'words' in texts.from && 'words' in texts.to ?",
      'false ?',
    ],
    ['the best pair is not used', 'scoreIn(b) - scoreIn(a) || sizeOf', 'sizeOf'],
    ['line ids are searched as words', "['line', 'vehicle', 'alert', 'trip', 'direction']", "['x']"],
    ['swapped coordinates get no hint', "isRight ? ' The values", "isRight && !isRight ? ' The values"],
  ]),
  ...breaksOf('src/api/journeys.ts', REACH, [
    ['walks are longer than max_walk', 'mayWalkFarther: maxWalk === undefined', 'mayWalkFarther: true'],
  ]),
  ...breaksOf('src/journeys/walk-reach.ts', REACH, [
    ['walks of 1 500 m are not tried', '[1_250, 1_500, 2_000, 2_500]', '[1_250, 2_000, 2_500]'],
    [
      'longer walks are tried although both ends reach stops',
      'if (reached.access.stops.length > 0 && reached.egress.stops.length > 0) break',
      '',
    ],
    ['the nearest stop is searched within 5 km', 'NEAREST_STOP_METERS = 10_000', 'NEAREST_STOP_METERS = 5_000'],
  ]),
  ...breaksOf(
    'src/api/journeys.ts',
    [`${API}journey-again.test.ts`, `${API}journeys.test.ts`, `${API}journey-rides.test.ts`],
    [['points have no names', 'label: end.label ?? addresses?.labelNear(end)', 'label: end.label']],
  ),
]

/** Rules about responses: reasons shown to riders, paging, wheelchairs. */
const ANSWERS: readonly BrokenRule[] = [
  ...breaksOf('src/rendering/journey-text.ts', RISK, [
    ['journeys without live times are at risk', 'isLive && slackSeconds < tightSeconds', 'slackSeconds < tightSeconds'],
  ]),
  ...breaksOf(
    'src/rendering/journey.ts',
    [...RISK, ...LISTS],
    [
      [
        'spare time ignores the minimum of the change',
        'ride.departs - before.arrives - ride.changeSeconds',
        'ride.departs - before.arrives',
      ],
    ],
  ),
  ...breaksOf('src/api/journeys.ts', PAGES, [
    [
      'a page for another time is accepted',
      "return when === undefined || isSame ? moment : otherMoment('when')",
      'return moment',
    ],
  ]),
  ...breaksOf('src/journeys/journey-pages.ts', PAGES, [
    ['the walk is on every page', '!isOnFoot(journey) && (key === undefined ||', '(key === undefined ||'],
    ['a page repeats the last journey of the one before', 'isArriveBy) > 0),', 'isArriveBy) >= 0),'],
    ['a page back leaves out its nearest journey', 'candidates.slice(-limit)', 'candidates.slice(-limit - 1, -1)'],
    [
      'links lead to days without journeys',
      'return at === undefined ? undefined : { isBeyond: side',
      'return { isBeyond: side',
    ],
  ]),
  ...breaksOf('indexes/journeys/step-free.ts', WHEELCHAIRS, [
    ['riders in wheelchairs use stairs', 'seconds: stationWays.stepFreeSeconds', 'seconds: stationWays.seconds'],
    [
      'riders in wheelchairs board at inaccessible stops',
      'pickupType: without(patterns.pickupType)',
      'pickupType: patterns.pickupType',
    ],
    [
      'riders in wheelchairs alight at inaccessible stops',
      'dropOffType: without(patterns.dropOffType)',
      'dropOffType: patterns.dropOffType',
    ],
    ['riders in wheelchairs use inaccessible vehicles', 'Number(word === NO_WHEELCHAIRS)', 'Number(word === 99)'],
  ]),
]

/** All rules. */
export const BROKEN_RULES: readonly BrokenRule[] = [
  ...breaksOf('src/journeys/hygiene.ts', LISTS, HYGIENE),
  ...SEARCH,
  ...FEEDS,
  ...ENDS,
  ...ANSWERS,
]

function breaksOf(file: string, tests: readonly string[], breaks: Breaks): BrokenRule[] {
  return breaks.map(([name, from, to]) => ({ name, file, from, to, tests }))
}
