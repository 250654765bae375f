// Reads, from a feed's text, the names of stops and lines that riders see.
import { eachRow, openFeedText } from '../oracles/feed-text.ts'
import { readStops } from '../oracles/text-stops.ts'

/** The names of stops and lines by the feed's own ids. */
export interface FeedNames {
  stop(stopId: string): string
  line(routeId: string): string
}

/** Reads the names in a feed. @param source path of a zip or folder, or the files' contents by name */
export async function readFeedNames(source: string | Readonly<Record<string, string>>): Promise<FeedNames> {
  const feed = await openFeedText(source)
  const { names } = await readStops(feed)
  const lines = new Map<string, string>()
  await eachRow(
    feed,
    'routes.txt',
    ['route_id', 'route_short_name', 'route_long_name'],
    ([id = '', code = '', name]) => {
      lines.set(id, code === '' ? (name ?? id) : code)
    },
  )
  return { stop: (id) => names.get(id) ?? id, line: (id) => lines.get(id) ?? id }
}
