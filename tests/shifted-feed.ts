// A copy of a feed whose calendar is moved by whole weeks, so that it covers a clock change or the time at which live
// data was captured.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFeedText } from './oracles/feed-text.ts'
import { dateOf, datesBetween } from './oracles/text-dates.ts'

const WEEK_DAYS = 7
const DAY_SECONDS = 86_400

/**
 * Writes the feed into `folder` as plain files. All dates of calendar.txt and calendar_dates.txt are moved by `weeks`.
 */
export async function writeShiftedFeed(feed: string, folder: string, weeks: number): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const [name, open] of await openFeedText(feed)) {
    let text = ''
    for await (const piece of open()) text += piece
    const isCalendar = name === 'calendar.txt' || name === 'calendar_dates.txt'
    writeFileSync(join(folder, name), isCalendar ? shiftDates(text, weeks) : text)
  }
}

/** Moves the dates in all columns whose names end in `date`. */
function shiftDates(text: string, weeks: number): string {
  const [header = '', ...lines] = text.split('\n')
  const names = header.split(',').map((name) => name.replace(/[\s"\uFEFF]/g, ''))
  const moved = lines.map((line) =>
    line
      .split(',')
      .map((value, place) => (/date$/.test(names[place] ?? '') ? shiftValue(value, weeks) : value))
      .join(','),
  )
  return [header, ...moved].join('\n')
}

function shiftValue(value: string, weeks: number): string {
  return value.replace(/\d{8}/, (date) => {
    const day = Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6, 8))) / 1000
    return dateOf(day + weeks * WEEK_DAYS * DAY_SECONDS)
  })
}

/** The number of weeks by which a calendar must be moved so that its middle is as close as possible to an instant. */
export function weeksToMiddle(firstDate: string, lastDate: string, changeSeconds: number): number {
  const days = datesBetween(firstDate, lastDate)
  const middle = days[Math.floor(days.length / 2)] ?? firstDate
  const from = Date.UTC(Number(middle.slice(0, 4)), Number(middle.slice(4, 6)) - 1, Number(middle.slice(6, 8))) / 1000
  return Math.round((changeSeconds - from) / (WEEK_DAYS * DAY_SECONDS))
}
