// Feeds with one extremely long file. The file is generated chunk by chunk, so that a process needs much memory for the
// file only if the reader does.
import type { FeedSource } from '../../../loaders/gtfs/feed.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'

const CHUNK_BYTES = 64 * 1024
const encoder = new TextEncoder()

/** The content of a file: `start`, then `bytes` bytes that repeat `unit`. */
interface EndlessFile {
  readonly file: string
  readonly start: string
  readonly unit: string
  readonly bytes: number
}

const MIB = 1024 ** 2
const STOP_TIMES = 'trip_id,arrival_time,departure_time,stop_id,stop_sequence\n'
const AGENCY = 'agency_id,agency_name,agency_url,agency_timezone\n'
const UNKNOWN_CALL = 'x,08:00:00,08:00:00,G,1\n'

/** The long file in the feed with this name. In the names `rows-N` and `agencies-N`, N is the number of rows. */
function describeFile(name: string): EndlessFile {
  const [kind = '', rows = '0'] = name.split('-')
  switch (kind) {
    case 'field':
      return { file: 'stops.txt', start: `${SMALL_FEED['stops.txt']}\nX,,`, unit: 'x', bytes: 100 * MIB }
    case 'quote':
      return { file: 'stops.txt', start: `${SMALL_FEED['stops.txt']}\nX,,"`, unit: 'x\n', bytes: 100 * MIB }
    case 'line':
      return { file: 'stop_times.txt', start: STOP_TIMES, unit: 'a,', bytes: 1024 * MIB }
    case 'header':
      return { file: 'shapes.txt', start: 'shape_id,', unit: 'c,', bytes: 1024 * MIB }
    case 'nul':
      return { file: 'trips.txt', start: '', unit: '\0', bytes: 1024 * MIB }
    case 'lines':
      return { file: 'routes.txt', start: SMALL_FEED['routes.txt'] ?? '', unit: '\n\r', bytes: 256 * MIB }
    case 'rows':
      return {
        file: 'stop_times.txt',
        start: STOP_TIMES,
        unit: UNKNOWN_CALL,
        bytes: Number(rows) * UNKNOWN_CALL.length,
      }
    case 'agencies':
      return { file: 'agency.txt', start: AGENCY, unit: `,V,,Europe/Paris\n`, bytes: Number(rows) * 17 }
  }
  throw new Error(`there is no endless feed "${name}"`)
}

/**
 * The endless feed with this name. It is the small feed with one file replaced by a long file, or with a long file
 * added.
 */
export function makeEndlessFeed(name: string): FeedSource {
  const made = describeFile(name)
  return {
    names: [...new Set([...Object.keys(SMALL_FEED), made.file])].sort(),
    open: (file) => {
      if (file === made.file) return chunksOf(made)
      const text = SMALL_FEED[file]
      return text === undefined ? undefined : chunksOf({ file, start: text, unit: '\n', bytes: 0 })
    },
  }
}

async function* chunksOf({ start, unit, bytes }: EndlessFile): AsyncGenerator<Uint8Array> {
  const whole = dedent(start)
  yield encoder.encode(start === '' || /\n$/.test(start) || bytes === 0 ? whole : whole.slice(0, -1))
  const chunk = encoder.encode(unit.repeat(Math.ceil(CHUNK_BYTES / unit.length)))
  for (let given = 0; given < bytes; given += chunk.length)
    yield chunk.subarray(0, Math.min(chunk.length, bytes - given))
}
