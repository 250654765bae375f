// GET the lines of a network, one line, and the stops of a line.

import { Elysia } from 'elysia'
import { normalizeWords, queryWords } from '../../indexes/text/normalize.ts'
import { directionsOfLine, findLine, stopsOfDirection } from '../../indexes/timetable/lines.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import type { LineIndex } from '../../indexes/timetable/timetable.ts'
import { firstWhere, nextIndex } from '../../loaders/columns.ts'
import { textOf } from '../../loaders/strings.ts'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { LastingAnswer, lastingText } from '../rendering/answer-cache.ts'
import { ENVELOPE_START, type Meta, pushMeta, writeEnvelope } from '../rendering/envelope.ts'
import { JsonBytes } from '../rendering/json-bytes.ts'
import {
  directionId,
  lineDetailText,
  linesWithShapesTexts,
  lineText,
  lineWithShapesText,
} from '../rendering/line-text.ts'
import { resolveLine } from '../rendering/public-ids.ts'
import type { SnapshotView } from '../rendering/snapshot-view.ts'
import { endpoint, StaticAnswer } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { compareEnds, decodeCursor, encodeCursor, filterHash, type PageEnd } from './cursor.ts'

/** A page with geometry ends once its lines have this many points, because writing 5,000 points takes about 10 ms. */
const MOST_POINTS = 5_000

/** A buffer for the response that is being written. */
const answer = new JsonBytes()

/** The line routes. */
export const linesApi = (service: Service) =>
  new Elysia({ name: 'api.lines' })
    .get(ROUTES.networkLines.path, networkLines(service), documented(ROUTES.networkLines))
    .get(
      ROUTES.line.path,
      endpoint(service, ROUTES.line, ({ pathId, values, nowMillis }) => {
        const found = resolveLine(service.views, pathId)
        if (found instanceof Problem) return found
        const { view, line } = found
        const metaAt = (atMillis: number): Meta => ({
          nowMillis: atMillis,
          units: ROUTES.line.cost,
          network: view.slug,
          freshness: 'scheduled',
          attribution: view.attributionText,
        })
        const withShapes = values.include?.includes('geometry') === true
        return new StaticAnswer(view.tag, () =>
          withShapes
            ? { body: writeEnvelope(lineWithShapesText(view, line), metaAt(nowMillis)) }
            : lastingText(view, lineDetailText(view, line), (out, atMillis) => pushMeta(out, metaAt(atMillis))),
        )
      }),
      documented(ROUTES.line),
    )
    .get(
      ROUTES.lineStops.path,
      endpoint(service, ROUTES.lineStops, ({ pathId }) => {
        const found = resolveLine(service.views, pathId)
        if (found instanceof Problem) return found
        const { view, line } = found
        return new StaticAnswer(view.tag, () => {
          const end = (out: JsonBytes, nowMillis: number) =>
            pushMeta(out, {
              nowMillis,
              units: ROUTES.lineStops.cost,
              network: view.slug,
              freshness: 'scheduled',
              count: directionsOfLine(view.timetable, line).length,
              attribution: view.attributionText,
            })
          return new LastingAnswer({ basis: view, start: writeLineStops(view, line), end })
        })
      }),
      documented(ROUTES.lineStops),
    )

/** Writes the envelope up to the end of `data`: the stops of a line, by direction. */
function writeLineStops(view: SnapshotView, line: LineIndex): Uint8Array {
  const out = answer.clear()
  out.pushText(ENVELOPE_START)
  for (const [at, direction] of directionsOfLine(view.timetable, line).entries()) {
    out.pushText(`${at === 0 ? '[' : ','}{"direction_id":"${directionId(view, direction)}","stops":[`)
    for (const [place, stop] of stopsOfDirection(view.timetable, direction).entries()) {
      if (place > 0) out.pushText(',')
      view.places.write(out, { kind: 'stop', stop })
    }
    out.pushText(']}')
  }
  out.pushText(directionsOfLine(view.timetable, line).length === 0 ? '[]' : ']')
  return out.view()
}

const networkLines = (service: Service) =>
  endpoint(service, ROUTES.networkLines, ({ pathId, values, nowMillis }) => {
    const view = service.views.find(pathId)
    if (view instanceof Problem) return view
    const scope = { route: ROUTES.networkLines.name, filter: filterHash([view.slug, values.modes, values.q]) }
    const start = decodeCursor(values.cursor, scope, ['number', 'string'])
    if (start instanceof Problem) return start
    return new StaticAnswer(view.tag, () => {
      const { lines, isLast } = pageOfLines(view, values, start)
      const texts =
        values.include?.includes('geometry') === true
          ? linesWithShapesTexts(view, lines, MOST_POINTS)
          : lines.map((line) => lineText(view, line))
      const last = lines[texts.length - 1]
      const isWhole = isLast && texts.length === lines.length
      const nextCursor = isWhole || last === undefined ? null : encodeCursor(scope, lineEnd(view, last))
      const body = writeEnvelope(`[${texts.join(',')}]`, {
        nowMillis,
        units: ROUTES.networkLines.cost,
        network: view.slug,
        freshness: 'scheduled',
        count: texts.length,
        limit: values.limit,
        nextCursor,
        attribution: view.attributionText,
        reason: lines.length === 0 ? 'no_matches' : undefined,
      })
      return { body, nextCursor }
    })
  })

/**
 * The next page of the lines that pass the filters, and whether it is the last page.
 * @param start position after which the page starts; undefined for the first page
 */
function pageOfLines(
  view: SnapshotView,
  filter: { readonly modes?: readonly string[]; readonly q?: string; readonly limit: number },
  start: PageEnd | undefined,
): { readonly lines: readonly LineIndex[]; readonly isLast: boolean } {
  const { lines: columns } = view.timetable
  const tokens = filter.q === undefined ? undefined : queryWords(filter.q)
  const lines: LineIndex[] = []
  let line = start === undefined ? (0 as LineIndex) : firstBehind(view, start)
  for (; line < columns.id.length; line++) {
    if (filter.modes !== undefined && !filter.modes.includes(modeWord(columns.mode[line]))) continue
    if (tokens !== undefined && !matchesTokens(view, line, tokens)) continue
    if (lines.length === filter.limit) return { lines, isLast: false }
    lines.push(line)
  }
  return { lines, isLast: true }
}

/** Whether each token is a prefix of a word in the line's code or name. A query without tokens matches nothing. */
function matchesTokens(view: SnapshotView, line: LineIndex, tokens: readonly string[]): boolean {
  const { lines, strings } = view.timetable
  const words = [
    ...normalizeWords(textOf(strings, lines.code[line])),
    ...normalizeWords(textOf(strings, lines.name[line])),
  ]
  return tokens.length > 0 && tokens.every((token) => words.some((word) => word.startsWith(token)))
}

/** The position of a line in the list: by sort order, then by code in natural order, then by id. */
function lineEnd(view: SnapshotView, line: LineIndex): PageEnd {
  const { lines, strings } = view.timetable
  return {
    key: [lines.sortOrder[line], textOf(strings, lines.code[line])],
    id: textOf(strings, lines.id[line]),
  }
}

/**
 * The first line after a position. In most cases, the position belongs to a line in this snapshot. Lines are numbered
 * in list order, so the result is then the line with the next number.
 */
function firstBehind(view: SnapshotView, place: PageEnd): LineIndex {
  const line = findLine(view.timetable, place.id)
  if (line !== undefined && compareEnds(lineEnd(view, line), place) === 0) return nextIndex(line)
  const end = view.timetable.lines.id.length as LineIndex
  return firstWhere(0 as LineIndex, end, (each) => compareEnds(lineEnd(view, each), place) > 0)
}
