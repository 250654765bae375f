// The rules of journeys, each with a change to the source that breaks it and the tests that must notice.

/** A rule and how to break it. */
export interface BrokenRule {
  /** What the broken product does. */
  readonly name: string
  readonly file: string
  /** Text that occurs once in the file, and its replacement. */
  readonly from: string
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

/** The list: which journeys are left out, and the order. */
const HYGIENE: Breaks = [
  [
    'a journey goes by one that is not shown',
    'givesWay(journey, kept, sorted[0])) kept.add',
    'givesWay(journey, sorted, sorted[0])) kept.add',
  ],
  ['journeys are weighed in display order', '      rankOf(a, rules) - rankOf(b, rules) ||\n', ''],
  ['a change costs nothing when journeys are weighed', '+ transfers * CHANGE_SECONDS\n', '\n'],
  ['of equals the earlier departure is weighed first', 'b.departs - a.departs) ||\n', 'a.departs - b.departs) ||\n'],
  [
    'of equals the longer walk is weighed first',
    'walkOf(a.sections) - walkOf(b.sections),',
    'walkOf(b.sections) - walkOf(a.sections),',
  ],
  [
    'a journey goes by one that leaves half an hour earlier',
    'other.departs - NEARBY_SECONDS',
    'other.departs - 2 * NEARBY_SECONDS',
  ],
  [
    'a journey goes by one that arrives half an hour later',
    'other.arrives + NEARBY_SECONDS',
    'other.arrives + 2 * NEARBY_SECONDS',
  ],
  ['a long journey is compared with all of the day', 'SAME_TIME_SECONDS = 2 * 3600', 'SAME_TIME_SECONDS = 20 * 3600'],
  [
    'a long journey stays',
    'duration > 2 * durationOf(other) + LONGER_BY_SECONDS',
    'duration > 9 * (durationOf(other) + LONGER_BY_SECONDS)',
  ],
  ['a long journey goes half an hour sooner', 'durationOf(other) + LONGER_BY_SECONDS', 'durationOf(other)'],
  ['a change less is worth nothing', 'CHANGE_SECONDS = 5 * 60', 'CHANGE_SECONDS = 0'],
  ['a change less is worth ten minutes', 'CHANGE_SECONDS = 5 * 60', 'CHANGE_SECONDS = 600'],
  [
    'a change more need only leave later or arrive earlier',
    'Math.max(0, one.departs - other.departs) + Math.max(0, other.arrives - one.arrives)',
    'Math.max(0, one.departs - other.departs, other.arrives - one.arrives)',
  ],
  ['walking less is worth nothing', 'WALK_WORTH = 0.5', 'WALK_WORTH = 0'],
  ['walking less is worth as much as time', 'WALK_WORTH = 0.5', 'WALK_WORTH = 1'],
  ['more walking takes from what a change saves', 'WALK_WORTH * Math.max(0, walkSaved)', 'WALK_WORTH * walkSaved'],
  ['what gains little stays', 'LITTLE_GAIN_SECONDS = 3 * 60', 'LITTLE_GAIN_SECONDS = -1'],
  ['what gains ten minutes goes', 'LITTLE_GAIN_SECONDS = 3 * 60', 'LITTLE_GAIN_SECONDS = 600'],
  ['twice the gain is many times', 'MANY_TIMES = 3', 'MANY_TIMES = 2'],
  ['three minutes are much', 'MUCH_SECONDS = 5 * 60', 'MUCH_SECONDS = 3 * 60'],
  ['what gains little goes by a longer walk', 'EQUAL_WALK_SECONDS = 60', 'EQUAL_WALK_SECONDS = 600'],
  ['walks cost nothing', 'gainOf(one, other) - walkSaved\n', 'gainOf(one, other)\n'],
  ['what gains little goes though it has a change less', 'changesWorth === 0 &&', 'changesWorth <= 0 &&'],
  ['journeys slower than the walk stay', 'if (isOnFoot(other) && duration >= durationOf(other)) return true', ''],
  ['a longer walk for nothing stays', 'return gain === 0 && walkSaved', 'return false && gain === 0 && walkSaved'],
  [
    'the earliest arrival goes like any other',
    'kept = new Set(sorted.filter((journey, at) => at === 0 || isOnFoot(journey)))',
    'kept = new Set(sorted.filter((journey) => isOnFoot(journey)))',
  ],
  ['one between the first and a direct one goes', ' && !isBetween(journey, other, first)', ''],
  [
    'one between them stays though the first saves enough',
    'gainOf(first, journey) <= (first.transfers - journey.transfers) * CHANGE_SECONDS',
    'true',
  ],
  [
    'of equal arrivals the later departure is first',
    'byArrival || byChanges || byDeparture',
    'byArrival || byDeparture || byChanges',
  ],
  [
    'of equal departures the earlier arrival is first',
    'byDeparture || byChanges || byArrival',
    'byDeparture || byArrival || byChanges',
  ],
  ['a list ends on a tight change', 'limit > 1 ? limit - 1 : limit', 'limit > 1 ? limit : limit'],
  ['a tight journey goes though it is the only one', 'isTight && limit > 1 ?', 'isTight ?'],
  ['a journey waits all night', 'NIGHT_WAIT_SECONDS = 2 * 3600', 'NIGHT_WAIT_SECONDS = 20 * 3600'],
  ['the night ends at four', 'NIGHT_END_SECONDS = 5 * 3600', 'NIGHT_END_SECONDS = 4 * 3600'],
  [
    'the night is that of Greenwich',
    'nightSeconds(localSeconds(before.arrives), localSeconds(section.departs))',
    'nightSeconds(before.arrives, section.departs)',
  ],
  [
    'a journey counts before it is decided',
    '    if ((rules.isArriveBy ? -journey.departs : journey.arrives) > end) break\n',
    '',
  ],
  [
    'what is undecided does not end what is settled',
    '!isDecided(journey) && !waitsByNight(journey, rules) && !givesWay(journey, kept, sorted[0])) break',
    'false) break',
  ],
]

/** The search: how long, how far, with which vehicles. */
const SEARCH: readonly BrokenRule[] = [
  ...breaksOf('indexes/journeys/planner.ts', LISTS, [
    [
      'a search ends with as many journeys as the limit, settled or not',
      'if (worth === undefined) return',
      'if (worth === undefined || found.length >= limit) return',
    ],
    [
      'journeys are followed for twelve hours',
      'Math.max(LONG_JOURNEY_SECONDS, LONGEST_RIDES * this.longestRideSeconds)',
      'JOURNEY_SECONDS',
    ],
    ['journeys are followed for three days, whatever the rides', 'LONGEST_RIDES = 3', 'LONGEST_RIDES = 0'],
  ]),
  ...breaksOf('src/journeys/list-days.ts', LISTS, [
    ['arrive_by after the calendar finds nothing', 'isArriveBy ? seconds - DAY_SECONDS : seconds\n', 'seconds\n'],
  ]),
  ...breaksOf('indexes/journeys/seated.ts', RIDES, [
    ['type 4 joins trips of one day only', 'startsLater(timetable, from, to) ? 0 : 1', '0'],
    ['type 5 separates nothing', 'type !== FORCED && type !== FORBIDDEN', 'type !== FORCED'],
  ]),
  ...breaksOf(
    'indexes/timetable/blocks.ts',
    ['tests/loaders/blocks.test.ts', ...RIDES],
    [
      ['a block holds though its trips overlap that day', 'if (this.overlaps(block, day)) return', ''],
      [
        'a block that overlaps on one day holds on none',
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
        'riding out and back dodges a change',
        'if (seconds !== undefined && time < this.time[each] + seconds) return true',
        '',
      ],
    ],
  ),
  ...breaksOf('indexes/journeys/change-places.ts', CHANGES, [
    ['a change has half a minute to spare', 'ENOUGH_SECONDS = 120', 'ENOUGH_SECONDS = 30'],
    ['a change takes the longer walk', 'a.changeSeconds - b.changeSeconds ||', 'b.changeSeconds - a.changeSeconds ||'],
    [
      'a change stays where the search found it',
      'if (place === undefined || isPlaceOf(moved, at, place)) continue',
      'continue',
    ],
    ['a change stays behind the trip one stays seated for', 'while (rides[first].staysSeated) first--', ''],
    ['a change stays before the trip that goes on', 'while (rides[last + 1]?.staysSeated) last++', ''],
  ]),
  ...breaksOf('indexes/journeys/footpaths.ts', CHANGES, [
    ['type 1 needs the usual minimum', 'if (rule?.type === TIMED) return walk.seconds', ''],
    ['type 2 needs the usual minimum', 'return rule.minSeconds', 'return Math.max(rule.minSeconds, changeSeconds)'],
    ['type 3 forbids nothing', 'if (rule?.type === FORBIDDEN) return undefined', ''],
  ]),
]

/** What is read from feeds, including fares. */
const FEEDS: readonly BrokenRule[] = [
  ...breaksOf(
    'indexes/fares/fare-classes.ts',
    ['tests/indexes/fares.test.ts', 'tests/indexes/fares-v2.test.ts'],
    [['the time of a ticket counts a ride one stays seated for', 'boarded.at(-1)?.departs', 'rides.at(-1)?.departs']],
  ),
  ...breaksOf(
    'loaders/gtfs/call-distances.ts',
    ['tests/regressions/19-distances-in-other-units.test.ts'],
    [['distances in other units are believed', 'STRAY_CALL_METERS = 200', 'STRAY_CALL_METERS = 2e9']],
  ),
]

/** The ends of a question. */
const ENDS: readonly BrokenRule[] = [
  ...breaksOf('src/journeys/journey-ends.ts', NETWORKS, [
    ['words are not near the other end', '[...other.found.keys()], known?.end)', '[...other.found.keys()])'],
    ['of two words the second is not near the first', "'words' in texts.from && 'words' in texts.to ?", 'false ?'],
    ['of the pairs not the best is taken', 'scoreIn(b) - scoreIn(a) || sizeOf', 'sizeOf'],
    ['ids of lines are words', "['line', 'vehicle', 'alert', 'trip', 'direction']", "['x']"],
    ['swapped coordinates get no hint', "isRight ? ' The values", "isRight && !isRight ? ' The values"],
  ]),
  ...breaksOf('src/api/journeys.ts', REACH, [
    ['one walks farther than max_walk', 'mayWalkFarther: maxWalk === undefined', 'mayWalkFarther: true'],
  ]),
  ...breaksOf('src/journeys/walk-reach.ts', REACH, [
    ['1 500 m are not tried', '[1_250, 1_500, 2_000, 2_500]', '[1_250, 2_000, 2_500]'],
    [
      'farther though both ends reach stops',
      'if (reached.access.stops.length > 0 && reached.egress.stops.length > 0) break',
      '',
    ],
    ['the nearest stop is sought within 5 km', 'NEAREST_STOP_METERS = 10_000', 'NEAREST_STOP_METERS = 5_000'],
  ]),
  ...breaksOf(
    'src/api/journeys.ts',
    [`${API}journey-again.test.ts`, `${API}journeys.test.ts`, `${API}journey-rides.test.ts`],
    [['points have no names', 'label: end.label ?? addresses?.labelNear(end)', 'label: end.label']],
  ),
]

/** Reasons shown to riders, paging, wheelchairs. */
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
      'a page of another moment is answered',
      "return when === undefined || isSame ? moment : otherMoment('when')",
      'return moment',
    ],
  ]),
  ...breaksOf('src/journeys/journey-pages.ts', PAGES, [
    ['the walk is on every page', '!isOnFoot(journey) && (key === undefined ||', '(key === undefined ||'],
    ['a page repeats the last journey of the one before', 'isArriveBy) > 0),', 'isArriveBy) >= 0),'],
    ['a page back leaves out its nearest journey', 'candidates.slice(-limit)', 'candidates.slice(-limit - 1, -1)'],
    [
      'days without journeys are linked to',
      'return at === undefined ? undefined : { isBeyond: side',
      'return { isBeyond: side',
    ],
  ]),
  ...breaksOf('indexes/journeys/step-free.ts', WHEELCHAIRS, [
    ['wheelchairs take stairs', 'seconds: stationWays.stepFreeSeconds', 'seconds: stationWays.seconds'],
    [
      'wheelchairs board where they cannot',
      'pickupType: without(patterns.pickupType)',
      'pickupType: patterns.pickupType',
    ],
    [
      'wheelchairs alight where they cannot',
      'dropOffType: without(patterns.dropOffType)',
      'dropOffType: patterns.dropOffType',
    ],
    ['wheelchairs ride vehicles that cannot carry them', 'Number(word === NO_WHEELCHAIRS)', 'Number(word === 99)'],
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
