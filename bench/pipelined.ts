// `bun bench/pipelined.ts` checks that each pipelined request is answered once, and in order. The requests for each
// route are sent over several connections: on each connection, first one at a time, then four at a time, then sixteen.
// Journeys, which the service answers asynchronously, are sent one at a time, and then two at a time to measure how
// many are answered. QUAI_BENCH_FEED names the feed; the default is the demo city.
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { openLiveWorld } from './live-world.ts'
import { listQuestions } from './questions.ts'

const PORT = 18_261
const CONNECTIONS = 16
const DEPTHS = [1, 4, 16]
const CALLS = 1_920
const JOURNEYS = 96
const UPDATES = 20_000
/** Maximum time without any response. After this time, the run does not wait for more. */
const STALL_MILLIS = 10_000
const HEAD_END = '\r\n\r\n'

interface Measured {
  readonly sent: number
  /** Number of responses that have status 200 and answer the oldest unanswered request on their connection. */
  readonly inOrder: number
  /**
   * Number of other responses: those to a request that was not the oldest unanswered one, and those with a status other
   * than 200.
   */
  readonly wrong: number
  /** Number of connections that the service closed. */
  readonly closed: number
}

const feed = await benchFeed()
const world = await openLiveWorld({ feed: feed.path, port: PORT, workers: 1, updates: UPDATES })
const headers = `host: 127.0.0.1:${PORT}\r\nauthorization: Bearer ${world.service.key}`
try {
  for (const { route, paths } of listQuestions(world.timetable)) {
    if (route === '/v1/journeys') await showJourneys(paths)
    else for (const depth of DEPTHS) await showRoute({ route, paths, depth })
  }
} finally {
  await world.close()
}

async function showRoute({ route, paths, depth }: { route: string; paths: readonly string[]; depth: number }) {
  const queried = Array.from({ length: CALLS }, (_, at) => paths[at % paths.length] ?? '')
  const seen = await ask(queried, depth)
  const name = `${feed.name}: ${route}, ${depth} at a time, answered in order`
  showFigure({ name, value: seen.inOrder / seen.sent, unit: '', atLeast: 1 })
}

async function showJourneys(paths: readonly string[]): Promise<void> {
  const queried = Array.from({ length: JOURNEYS }, (_, at) => paths[at % paths.length] ?? '')
  const name = `${feed.name}: /v1/journeys`
  const alone = await ask(queried, 1)
  showFigure({
    name: `${name}, one at a time, answered in order`,
    value: alone.inOrder / alone.sent,
    unit: '',
    atLeast: 1,
  })
  const pairs = await ask(queried, 2)
  showFigure({ name: `${name}, two at a time, answered in order`, value: pairs.inOrder / pairs.sent, unit: '' })
  showFigure({ name: `${name}, two at a time, answers to other requests`, value: pairs.wrong, unit: '', atMost: 0 })
  showFigure({ name: `${name}, two at a time, closed connections, of ${CONNECTIONS}`, value: pairs.closed, unit: '' })
}

/**
 * Sends all paths over the connections. Each connection sends `depth` requests at once, and the next ones when all of
 * these have been answered.
 */
async function ask(paths: readonly string[], depth: number): Promise<Measured> {
  const shares = Array.from({ length: CONNECTIONS }, (_, which) => paths.filter((_, at) => at % CONNECTIONS === which))
  const seen = await Promise.all(shares.map((share, which) => askOver(share, { depth, which })))
  const sum = (of: (each: Measured) => number) => seen.reduce((total, each) => total + of(each), 0)
  return {
    sent: sum(({ sent }) => sent),
    inOrder: sum(({ inOrder }) => inOrder),
    wrong: sum(({ wrong }) => wrong),
    closed: sum(({ closed }) => closed),
  }
}

/** Sends paths over one connection. If the service closes the connection, the remaining requests stay unanswered. */
async function askOver(
  paths: readonly string[],
  { depth, which }: { readonly depth: number; readonly which: number },
): Promise<Measured> {
  let [next, answered, inOrder, wrong, isClosed] = [0, 0, 0, 0, false]
  let rest = ''
  const ended = Promise.withResolvers<void>()
  const send = (socket: { write(text: string): number }) => {
    const batch = paths.slice(next, next + depth)
    next += batch.length
    socket.write(batch.map((path, at) => requestOf(path, `b-${which}-${next - batch.length + at}`)).join(''))
  }
  const stall = setTimeout(() => ended.resolve(), STALL_MILLIS)
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: PORT,
    socket: {
      data: (socket, bytes) => {
        stall.refresh()
        rest += bytes.toString('latin1')
        for (let head = headOf(rest); head !== undefined && rest.length >= head.end; head = headOf(rest)) {
          if (head.isGood && head.id === `b-${which}-${answered}`) inOrder++
          else wrong++
          answered++
          rest = rest.slice(head.end)
        }
        if (answered === paths.length) ended.resolve()
        else if (answered === next) send(socket)
      },
      close: () => {
        isClosed = answered < paths.length
        ended.resolve()
      },
    },
  })
  send(socket)
  await ended.promise
  clearTimeout(stall)
  socket.end()
  return { sent: paths.length, inOrder, wrong, closed: isClosed ? 1 : 0 }
}

function requestOf(path: string, id: string): string {
  return `GET ${path} HTTP/1.1\r\n${headers}\r\nx-request-id: ${id}${HEAD_END}`
}

/**
 * Parses the head of the first response in the received data. Also returns the position at which that response ends.
 * Returns undefined if the head is incomplete.
 */
function headOf(text: string): { readonly isGood: boolean; readonly id: string; readonly end: number } | undefined {
  const end = text.indexOf(HEAD_END)
  if (end < 0) return undefined
  const head = text.slice(0, end)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const id = /\r\nx-request-id: ([^\r]*)/i.exec(head)?.[1] ?? ''
  return { isGood: head.startsWith('HTTP/1.1 200'), id, end: end + HEAD_END.length + length }
}
