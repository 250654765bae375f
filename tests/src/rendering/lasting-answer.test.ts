// Tests how long a cached answer is valid when the network's live data changes. Fails if an answer that depends only on
// the overlay becomes invalid at every change, if an answer outlives its live data, or if the last bytes of an envelope
// are out of date.
import { beforeEach, expect, test } from 'bun:test'
import { LastingAnswer, type LastingParts } from '../../../src/rendering/answer-cache.ts'

const NOW_MILLIS = 5_000

let network: { current: object; live?: { readonly overlay: object | undefined; readonly age: number } | undefined }
beforeEach(() => {
  network = { current: {}, live: { overlay: {}, age: 1 } }
})

function make(dependsOn?: LastingParts['dependsOn']): LastingAnswer {
  return new LastingAnswer({
    basis: { snapshot: network.current, network },
    start: '[',
    end: (out) => out.push(new TextEncoder().encode(`${network.live?.age}]`)),
    nowMillis: NOW_MILLIS,
    ...(dependsOn === undefined ? {} : { dependsOn }),
  })
}

const isValid = (answer: LastingAnswer) => answer.holdsAt(NOW_MILLIS)
const bodyOf = (answer: LastingAnswer) => new TextDecoder().decode(answer.bodyAt(NOW_MILLIS))

test('an answer that depends on the overlay is valid until the overlay changes', () => {
  const answer = make('overlay')
  network.live = { overlay: network.live?.overlay, age: 2 }
  expect(isValid(answer)).toBe(true)
  network.live = { overlay: {}, age: 2 }
  expect(isValid(answer)).toBe(false)
  network.live = undefined
  expect(isValid(answer)).toBe(false)
})

test('an answer made without an overlay is valid until there is one', () => {
  for (const live of [undefined, { overlay: undefined, age: 1 }]) {
    network.live = live
    const answer = make('overlay')
    network.live = { overlay: undefined, age: 2 }
    expect(isValid(answer)).toBe(true)
    network.live = { overlay: {}, age: 2 }
    expect(isValid(answer)).toBe(false)
  }
})

test('an answer that depends on all live data ends with any change', () => {
  const answer = make('live')
  expect(isValid(answer)).toBe(true)
  network.live = { overlay: network.live?.overlay, age: 1 }
  expect(isValid(answer)).toBe(false)
})

test('an answer that depends on no live data ends with its snapshot', () => {
  const answer = make()
  network.live = undefined
  expect(isValid(answer)).toBe(true)
  network.current = {}
  expect(isValid(answer)).toBe(false)
})

test('the end of the envelope is written again when the live data changes within a second', () => {
  const answer = make('overlay')
  expect(bodyOf(answer)).toBe('[1]')
  network.live = { overlay: network.live?.overlay, age: 22 }
  expect(bodyOf(answer)).toBe('[22]')
  network.live = undefined
  expect(bodyOf(answer)).toBe('[undefined]')
})
