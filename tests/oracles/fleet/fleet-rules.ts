// The rules that keep the counts of a cluster correct. Tests break each rule on purpose, and check that some history
// then fails.

/** The rules with their descriptions. */
export const FLEET_RULES = {
  newWriters: 'each start has new writers; it never continues the counts of those it finds',
  oldWriterIds: 'counts found on disk are merged under their old writer ids',
  mergeThenSettle: 'the predecessor is settled after its counts are in the ledger',
  keepFiles: 'merged files stay on disk for two days and are reported again after a failover',
  mergeHasBeat: 'a merge counts as a durable write of the start, so its loss is noticed',
  refuseCopy: 'a start is refused while its predecessor still polls',
  endedStops: 'a process that reads "ended" charges nothing more',
  rowsWithQuota: 'the quota row is made together with a row for every replica that has ledger units',
  flushTellsUsed: 'a flush reports the units used beyond the grants',
  usedIsAbsolute: 'used units are reported as an absolute number',
  known: 'a replica reports its grants; the database raises its row to them',
  beatRefuses: 'a durable write is refused if the database has forgotten a confirmed one',
  beatIsRead: 'the tick compares the beat',
  readByMark: 'the statement that reads new versions compares the mark of the last one seen',
  tickByMark: 'the tick compares the mark of the last version seen',
  ackByMark: 'a poll confirms a version by its mark, not by its number',
  waitForOthers: 'after a failover, nothing is granted for 3 seconds, in which all replicas report',
  termsMark: 'a request under terms other than the database’s is granted nothing',
  burnFirst: 'units are taken from the cell before they are returned',
  ownSight: 'others’ silence only counts while a replica’s own ticks are answered',
  sweep: 'ended replicas’ units are freed',
  recall: 'a request that gets too few units recalls those of others',
  outageOnce: 'the outage share is booked on disk, once a month',
  nextMonth: "the next month's first grants come before it starts",
  sealFirst: 'a month is closed only after all replicas that have not ended have sealed and flushed it',
  sealedByRow: 'a replica seals whenever its row says that it has not',
  lateUsage: 'counts for a closed month do not change its ledger rows',
} as const

/** Name of a rule. */
export type FleetRule = keyof typeof FLEET_RULES

/** All rules. */
export const ALL_FLEET_RULES = Object.keys(FLEET_RULES) as readonly FleetRule[]

/** Returns whether a rule is in force in a history. */
export type RulesOn = (rule: FleetRule) => boolean
