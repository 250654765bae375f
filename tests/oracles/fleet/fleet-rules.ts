// The rules that keep the counts of a cluster right. Each can be broken to check that the histories notice it.

/** The rules with their descriptions. */
export const FLEET_RULES = {
  newWriters: 'each start has new writers; it never counts on under those it finds',
  oldWriterIds: 'counts found on disk are merged under their old writer ids',
  mergeThenSettle: 'the predecessor is settled after its counts are in the ledger',
  keepFiles: 'merged files stay on disk for two days and are told again after a failover',
  mergeHasBeat: 'a merge counts as a durable write of the start, so that its loss is seen',
  refuseCopy: 'a start refuses while its predecessor still looks',
  endedStops: 'a process that reads "ended" charges nothing more',
  rowsWithQuota: 'the quota row is made together with a row for every replica that has ledger units',
  flushTellsUsed: 'a flush tells what was used beyond the grants',
  usedIsAbsolute: 'use is told as an absolute number',
  known: 'a replica tells what it was granted; the database raises its row to it',
  beatRefuses: 'a durable write is refused if the database has forgotten a confirmed one',
  beatIsRead: 'the tick compares the beat',
  readByMark: 'the statement that reads new versions compares the mark of the last one seen',
  tickByMark: 'the tick compares the mark of the last version seen',
  ackByMark: 'a look confirms a version by its mark, not by its number',
  waitForOthers: 'after a failover nothing is granted for 3 seconds, in which all tell',
  termsMark: 'an ask under other terms than those of the database is granted nothing',
  burnFirst: 'units are taken from the cell before they are returned',
  ownSight: 'silence counts only while the own ticks are answered',
  sweep: 'units of ended replicas are freed',
  recall: 'an ask that gets too little recalls what others hold',
  outageOnce: 'the outage share is booked on disk, once a month',
  nextMonth: "the next month's first grants come before its turn",
  sealFirst: 'a month is closed only after all replicas that have not ended have sealed and flushed it',
  sealedByRow: 'a replica seals whenever its row says that it has not',
  lateUsage: 'counts for a closed month do not change its ledger rows',
} as const

/** Name of a rule. */
export type FleetRule = keyof typeof FLEET_RULES

/** All of them. */
export const ALL_FLEET_RULES = Object.keys(FLEET_RULES) as readonly FleetRule[]

/** Which rules are in force in a history. */
export type RulesOn = (rule: FleetRule) => boolean
