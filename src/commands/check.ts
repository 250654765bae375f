// `quai check FEED`: reports the faults in a feed and how an import would treat it, as text or JSON.
import { isTimezone } from '../../loaders/gtfs/agencies.ts'
import { type CheckOrder, checkFeed, type FeedCheck } from '../imports/check-feed.ts'
import { DownloadFailed } from '../sources/download-failed.ts'
import type { Clock } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { type ReportLook, renderCheck } from './check-report.ts'
import type { CommandIo } from './command-io.ts'
import { toPrintable, toPrintableJson } from './printable.ts'

/** Arguments and options of `quai check`. */
export interface CheckOptions {
  /** A zip file, a folder, or a URL. */
  readonly feed: string
  readonly json: boolean
  /** IANA name that overrides the feed's time zone. */
  readonly timezone: string | undefined
}

/** Exit status if the feed cannot be read or cannot be served. */
const REFUSED = 1
/** Exit status for an invalid command line. */
const USAGE = 2
/** Terminal codes: return to the start of the line and clear the line. */
const WIPE_LINE = '\r\x1b[2K'

/** Runs the command and returns the exit status. */
export async function runCheck(options: CheckOptions, clock: Clock, io: CommandIo): Promise<number> {
  const { feed, json, timezone } = options
  if (timezone !== undefined && !isTimezone(timezone)) {
    io.stderr(`quai check: "${toPrintable(timezone)}" is not a time zone; expected an IANA name such as Europe/Paris\n`)
    return USAGE
  }
  const isQuiet = json || process.stderr.isTTY !== true
  const check = await checkAsCommand('check', { source: feed, timezone }, { clock, io, isQuiet })
  if (check === undefined) return REFUSED
  io.stdout(json ? `${toPrintableJson(check)}\n` : renderCheck(check, lookOfTerminal()))
  return check.canBeServed ? 0 : REFUSED
}

/** Checks a feed for a command and shows the progress. If the feed cannot be read, prints why and returns undefined. */
export async function checkAsCommand(
  command: string,
  order: CheckOrder,
  { clock, io, isQuiet }: { readonly clock: Clock; readonly io: CommandIo; readonly isQuiet: boolean },
): Promise<FeedCheck | undefined> {
  const wipe = () => {
    if (!isQuiet) io.stderr(WIPE_LINE)
  }
  try {
    const check = await checkFeed(order, clock, (step, detail) => {
      if (!isQuiet) io.stderr(`${WIPE_LINE}${step} ${toPrintable(detail)}`)
    })
    wipe()
    return check
  } catch (error) {
    wipe()
    const isOutside = error instanceof DownloadFailed || isErrno(error, 'EACCES', 'EPERM', 'EIO', 'ENOSPC')
    if (!isOutside || !(error instanceof Error)) throw error
    io.stderr(`quai ${command}: ${toPrintable(error.message)}\n`)
    return undefined
  }
}

/** Width of the report if the terminal's width is unknown. */
const COLUMNS = 100

function lookOfTerminal(): ReportLook {
  const isTerminal = process.stdout.isTTY === true
  const hasColors = isTerminal && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
  return { hasColors, columns: (isTerminal && process.stdout.columns) || COLUMNS }
}
