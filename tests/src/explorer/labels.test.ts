// Tests drawing stop names on the canvas. Fails if a name is drawn under the panel or the buttons, or over another
// name. Also fails if a name is reported on the wrong side of its stop, since MapLibre would then draw other names
// under it.
import { expect, test } from 'bun:test'
import { drawLabels } from '../../../src/explorer/app/map/labels.ts'
import type { Viewport } from '../../../src/explorer/app/map/mercator.ts'

const VIEW: Viewport = { center: { x: 0.5, y: 0.5 }, worldPixels: 100_000, zoom: 15, width: 1_280, height: 820 }
const LETTER_PIXELS = 7

/**
 * Draws names at places on the screen. Returns the names that were drawn, each with its side of the stop: `left` or
 * `right`.
 */
function draw(names: readonly (readonly [text: string, x: number, y: number])[], left = 0) {
  const starts = new Map<string, number>()
  const context = {
    ...{ font: '', textBaseline: '', lineJoin: '', lineWidth: 0, strokeStyle: '', fillStyle: '' },
    measureText: (text: string) => ({ width: text.length * LETTER_PIXELS }),
    strokeText: () => undefined,
    fillText: (text: string, x: number) => starts.set(text, x),
  }
  const labels = names.map(([text, x, y]) => ({
    text,
    x: 0.5 + (x - VIEW.width / 2) / VIEW.worldPixels,
    y: 0.5 + (y - VIEW.height / 2) / VIEW.worldPixels,
    leastZoom: 0,
    weight: 1,
  }))
  const drawn = drawLabels(context, VIEW, { labels, isDark: false, left })
  return drawn.map(({ label, isOnLeft }) => {
    const [, x = 0] = names.find(([text]) => text === label.text) ?? []
    expect((starts.get(label.text) ?? Number.NaN) < x).toBe(isOnLeft)
    return `${label.text} ${isOnLeft ? 'left' : 'right'}`
  })
}

test('a name is to the right of its stop, at the edge of the map to its left; the first of two that overlap is drawn', () => {
  expect(
    draw([
      ['Gare', 600, 400],
      ['Gare routière', 610, 405],
      ['Port du Rhin', 1_250, 400],
    ]),
  ).toEqual(['Gare right', 'Port du Rhin left'])
})

test('no name is under the buttons, the credit or the legend, or belongs to a stop under the panel', () => {
  const names = [
    ['Under the buttons', 1_150, 60],
    ['Below them', 1_150, 160],
    ['Under the panel', 400, 400],
    ['Beside it', 425, 440],
    ['Under the credit', 440, 800],
    ['Under the legend', 1_000, 800],
  ] as const
  expect(draw(names, 442)).toEqual(['Below them right', 'Beside it right'])
  expect(draw(names)).toContain('Under the panel right')
})
