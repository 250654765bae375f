// Checks all sources: timetables, live feeds, addresses and street extracts. Each web source is requested once. The
// response body is read only for live feeds. The clock of each web source is compared with this machine's clock.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { connect } from 'node:tls'
import type { Config } from '../config/config.ts'
import type { FeedPace } from '../realtime/feed-ages.ts'
import { MESSAGE_BYTES } from '../realtime/feed-poller.ts'
import { nameSource } from '../sources/feed-sources.ts'
import { fetchGuarded, type GuardedAnswer } from '../sources/guarded-fetch.ts'
import { isWebAddress } from '../sources/source-stamp.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { countText } from '../system/count-text.ts'
import { isErrno } from '../system/errno.ts'
import { type Check, type Finding, fault, ok, warning } from './check.ts'
import { type FetchedMessage, messageFinding } from './feed-message.ts'

const ANSWER_MILLIS = 15_000
const MEGABYTE = 1024 ** 2
const DAY_MILLIS = 86_400_000
/** A warning is reported if a certificate expires within this many days. */
const CERTIFICATE_DAYS = 14
const SKEW_SECONDS = { warning: 5, fault: 60 }

/** A source, and a name for the part of the configuration that contains it. */
interface Source {
  readonly part: string
  readonly source: string
  readonly kind: 'timetable' | 'feed' | 'addresses' | 'streets'
  readonly headers?: Readonly<Record<string, string>>
  /** How often the source is expected to change, and how old its data may be. Only for live feeds. */
  readonly pace?: FeedPace
}

/** Returns a check for each source. */
export function sourceChecks(config: Config): Check[] {
  const sources: Source[] = [
    ...config.networks.flatMap(({ id, gtfs, feeds }) => [
      ...gtfs.map(({ source }) => ({ part: `${id} timetable`, source, kind: 'timetable' as const })),
      ...feeds.map(({ id: feedId, url, headers, intervalSeconds, maxAgeSeconds }) => ({
        part: `${id} feed ${feedId}`,
        source: url,
        headers,
        pace: { intervalSeconds, maxAgeSeconds },
        kind: 'feed' as const,
      })),
    ]),
    ...config.addresses.map(({ source }) => ({ part: 'addresses', source, kind: 'addresses' as const })),
    ...config.streets.map(({ source }) => ({ part: 'streets', source, kind: 'streets' as const })),
  ]
  return sources.map((each) => ({
    part: each.part,
    run: async () => (isWebAddress(each.source) ? await checkWeb(each) : [checkFile(each)]),
  }))
}

/**
 * Kind of source → what its files contain near the beginning: `text` at byte `at`. Files of the other kinds have no
 * fixed beginning.
 */
const BEGINNINGS = {
  timetable: { text: 'PK', at: 0, name: 'a zip file' },
  streets: { text: 'OSMHeader', at: 6, name: 'an .osm.pbf file' },
} as const
/** Matches the tables of a timetable folder: in the folder itself, or in a folder inside it. */
const TABLES = new Bun.Glob('{*.txt,*/*.txt}')

function checkFile({ part, source, kind, pace }: Source): Finding {
  try {
    const { size, mtimeMs } = statSync(source)
    const problem = fileProblem(source, kind)
    if (problem !== undefined) return fault(part, `${source} ${problem}`)
    if (pace !== undefined) return judgeMessage({ part, name: source, pace, bytes: readFileSync(source) })
    const days = Math.floor((TRUE_CLOCK.nowMillis() - mtimeMs) / DAY_MILLIS)
    return ok(
      part,
      `${source}, ${sizeText(size)}, changed ${days === 0 ? 'within a day' : `${countText(days, 'day')} ago`}`,
    )
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return fault(part, `${source} does not exist. ${pathAdvice(kind)}`)
    if (isErrno(error, 'EACCES', 'EPERM'))
      return fault(part, `${source} cannot be read by this user. Change its permissions, or put it into another folder`)
    throw error
  }
}

/**
 * The remedy for a missing path. For a live feed, it also mentions URLs, because a URL without a scheme is read as a
 * path.
 */
function pathAdvice(kind: Source['kind']): string {
  return kind === 'feed' ? 'Correct its path; a URL starts with http:// or https://' : 'Correct its path'
}

/** Describes a problem with an existing file or folder, and the remedy; undefined if there is no problem. */
function fileProblem(path: string, kind: Source['kind']): string | undefined {
  const found = statSync(path)
  if (found.isDirectory()) {
    if (kind !== 'timetable') return 'is a folder. Give the path of the file'
    const hasTables = !TABLES.scanSync({ cwd: path }).next().done
    return hasTables ? undefined : 'has no .txt files. Give the path of the timetable folder or of a zip file'
  }
  if (found.size === 0) return 'is empty. Download it again'
  const beginning = kind === 'timetable' || kind === 'streets' ? BEGINNINGS[kind] : undefined
  if (beginning === undefined || readsAt(path, beginning.at, beginning.text.length) === beginning.text) return undefined
  return `is not ${beginning.name}. Download it again, or correct its path`
}

function readsAt(path: string, at: number, length: number): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(length)
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, length, at))
  } finally {
    closeSync(file)
  }
}

async function checkWeb({ part, source, headers = {}, pace }: Source): Promise<Finding[]> {
  const name = nameSource(source)
  const bounds = { deadlineMillis: ANSWER_MILLIS, idleMillis: ANSWER_MILLIS, maxBytes: MESSAGE_BYTES }
  const answer = await fetchGuarded({ url: source, headers, headersFor: () => ({}), ...bounds }).catch((error) => {
    throw new Error(`${error instanceof Error ? error.message : error}. Check the address, DNS and the firewall`)
  })
  const found = [await answerFinding(part, name, { answer, pace })]
  // The Date header of a cached response shows when the response was cached, not the server's current time.
  const isCached = answer.headers.get('age') !== null
  const skew = isCached ? undefined : skewFinding(part, answer.headers.get('date'), TRUE_CLOCK.nowMillis())
  if (skew !== undefined) found.push(skew)
  const certificate = await checkCertificate(part, new URL(answer.url))
  if (certificate !== undefined) found.push(certificate)
  return found
}

interface ReadableAnswer {
  readonly answer: GuardedAnswer
  readonly pace: FeedPace | undefined
}

async function answerFinding(part: string, name: string, { answer, pace }: ReadableAnswer): Promise<Finding> {
  const { status } = answer
  if (status === 200 && pace !== undefined) {
    const chunks: Uint8Array[] = []
    for await (const chunk of answer.chunks()) chunks.push(chunk)
    return judgeMessage({ part, name, pace, bytes: Buffer.concat(chunks) })
  }
  answer.dismiss()
  return status === 200
    ? ok(part, `${name} answers${lengthText(answer.headers)}`)
    : fault(part, `${name}: ${refusalText(status)}`)
}

function judgeMessage(message: Omit<FetchedMessage, 'nowSeconds'>): Finding {
  return messageFinding({ ...message, nowSeconds: Math.floor(TRUE_CLOCK.nowMillis() / 1_000) })
}

function refusalText(status: number): string {
  if (status === 401 || status === 403)
    return `status ${status}. Check the access key of the source, in "headers" or in the URL`
  if (status === 404 || status === 410) return `status ${status}. The URL is wrong or out of date: correct it`
  if (status === 429)
    return 'status 429: too many requests. Wait, or increase the interval between fetches of this source'
  return `status ${status}. Contact the publisher`
}

function lengthText(headers: Headers): string {
  const length = Number(headers.get('content-length') ?? 0)
  return length > 0 ? ` with ${sizeText(length)}` : ''
}

function sizeText(bytes: number): string {
  return bytes < MEGABYTE ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / MEGABYTE).toFixed(1)} MB`
}

/**
 * A warning or a fault if this machine's clock differs from the clock of a server by more than a few seconds; otherwise
 * undefined.
 * @param date the Date header of the server's response
 */
export function skewFinding(part: string, date: string | null, nowMillis: number): Finding | undefined {
  const seconds = Math.round((nowMillis - Date.parse(date ?? '')) / 1_000)
  if (Number.isNaN(seconds) || Math.abs(seconds) <= SKEW_SECONDS.warning) return undefined
  const side = seconds > 0 ? 'ahead of' : 'behind'
  const message = `this machine's clock is ${Math.abs(seconds)} s ${side} the server's. Run an NTP client`
  return Math.abs(seconds) > SKEW_SECONDS.fault ? fault(part, message) : warning(part, message)
}

/**
 * Returns a finding if a source's certificate expires soon or has expired. Returns undefined if the certificate is
 * fine, or if the source has none.
 */
async function checkCertificate(part: string, { protocol, hostname, port }: URL): Promise<Finding | undefined> {
  if (protocol !== 'https:') return undefined
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname }, () =>
    resolve(socket.getPeerCertificate().valid_to),
  )
  socket.setTimeout(ANSWER_MILLIS, () =>
    reject(new Error(`the TLS handshake with the server took more than ${ANSWER_MILLIS / 1_000} s`)),
  )
  socket.on('error', reject)
  try {
    const endMillis = Date.parse(await promise)
    return endFinding(part, { what: `the certificate of ${hostname}`, endMillis, advice: 'Contact the publisher' })
  } finally {
    socket.destroy()
  }
}

/** A warning if something such as a certificate expires soon, a fault if it has expired, and undefined otherwise. */
export function endFinding(
  part: string,
  { what, endMillis, advice }: { readonly what: string; readonly endMillis: number; readonly advice: string },
): Finding | undefined {
  const days = Math.floor((endMillis - TRUE_CLOCK.nowMillis()) / DAY_MILLIS)
  if (Number.isNaN(days) || days >= CERTIFICATE_DAYS) return undefined
  if (days < 0) return fault(part, `${what} has expired. ${advice}`)
  return warning(part, `${what} expires ${days === 0 ? 'within a day' : `in ${countText(days, 'day')}`}. ${advice}`)
}
