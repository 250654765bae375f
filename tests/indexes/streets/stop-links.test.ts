// Tests which streets stops are linked to. Fails if a stop is linked across rails or a river, to the wrong platform, or
// to a street that is too far away, or if a walk enters a station at a place without an entrance.
import { expect, test } from 'bun:test'
import { LinkedFeed } from './linked-feed.ts'
import { at } from './made-streets.ts'

test('a stop is never linked across rails or water', async () => {
  const feed = await LinkedFeed.of(
    { OWN: [50, 8], ACROSS: [50, 30], ON: [50, 20], FAR: [50, 60], SHORE: [650, 30], BRIDGE: [850, 30] },
    `
    A 0 0
    B 500 0
    R1 0 20
    R2 500 20
    C 0 80
    D 500 80
    E 600 0
    F 900 0
    L1 600 20
    L2 700 20
    L3 700 60
    L4 600 60
    T1 780 15
    T2 900 15
    A-B highway=residential name=South
    C-D highway=residential name=North
    R1-R2 railway=rail
    E-F highway=footway name=Quay
    L1-L2-L3-L4-L1 natural=water
    T1-T2 railway=rail bridge=yes`,
  )
  expect(feed.linkedTo('OWN')).toEqual(['South'])
  // The street South is nearer, but behind the track.
  expect(feed.linkedTo('ACROSS')).toEqual(['North'])
  // The stop ON is on the track, because feeds give the middle of a platform or train as the position of a stop. A
  // track at the stop itself is no barrier.
  expect(feed.linkedTo('ON')).toEqual(['South'])
  expect(feed.linkedTo('FAR')).toEqual(['North'])
  // According to the map, the stop SHORE is in the lake, so walks to it are straight lines.
  expect(feed.linkedTo('SHORE')).toEqual([])
  expect(feed.linkedTo('BRIDGE')).toEqual(['Quay'])
  expect(feed.unlinkedIds).toEqual(['SHORE'])
})

test('the platform with the number or the name of a stop is preferred', async () => {
  const map = `
    P1 0 0
    P2 200 0
    Q1 0 12
    Q2 200 12
    S1 0 30
    S2 200 30
    X 250 15
    P1-P2 railway=platform ref=1;2 name=Island
    Q1-Q2 public_transport=platform local_ref=3a
    S1-S2 highway=residential name=Street
    P2-X-Q2 highway=footway name=Ramp
    X-S2 highway=footway name=Ramp`
  const feed = await LinkedFeed.of(
    {
      ONE: [50, 5, { platform: '3A' }],
      TWO: [60, 8, { platform: '2' }],
      CODE: [70, 8, { code: '1' }],
      NAME: [80, 8, { name: 'island' }],
      NONE: [90, 3],
      FAR: [100, 60, { platform: '2' }],
    },
    map,
  )
  expect(feed.linkedTo('ONE')).toEqual([''])
  for (const stop of ['TWO', 'CODE', 'NAME', 'NONE']) expect([stop, feed.linkedTo(stop)]).toEqual([stop, ['Island']])
  expect(feed.linkedTo('FAR')).toEqual(['Street'])
})

test('stops more than 250 m away, or near isolated streets only, are not linked', async () => {
  const map =
    'A 0 0\nB 900 0\nC 0 60\nD 60 60\nE 2000 0\nF 2100 0\nA-B highway=path name=Path\nC-D highway=steps name=Stairs\nE-F highway=path name=Bit'
  const feed = await LinkedFeed.of({ NEAR: [400, 249], FAR: [400, 251], STAIRS: [30, 58], BIT: [2050, 10] }, map)
  expect(feed.linkedTo('NEAR')).toEqual(['Path'])
  expect(feed.linkedTo('STAIRS')).toEqual(['Path'])
  expect(feed.linkedTo('BIT')).toEqual(['Bit'])
  expect(feed.unlinkedIds).toEqual(['FAR'])
})

test('a station is entered and left through its entrances, each in its direction', async () => {
  const feed = await LinkedFeed.of(
    {
      ST: [100, 50, { type: 1 }],
      P: [100, 40, { parent: 'ST' }],
      N: [100, 100, { type: 2, parent: 'ST' }],
      S: [100, 2, { type: 2, parent: 'ST' }],
      BUS: [300, 2],
      TOP: [100, 160],
    },
    `
    A 0 0
    B 400 0
    C 0 160
    D 400 160
    A-B highway=residential
    C-D highway=residential
    B-D highway=residential`,
    // The pathways: from the south entrance to the platform 30 s, out to the north 60 s, out to the south 90 s.
    ['S,P,1,0,30', 'P,N,1,0,60', 'P,S,1,0,90'],
  )
  const walks = feed.walks()
  const question = { maxMeters: 1_000, isEgress: false, isWanted: () => true }
  const timesTo = (x: number, y: number, isEgress: boolean) =>
    Object.fromEntries(
      [...walks.around(at(x, y), { ...question, isEgress })].map(({ stop, seconds }) => [stop, seconds]),
    )[feed.stop('P')]
  // 200 m along the street, 2 m to the entrance, and 30 s inside the station.
  expect(timesTo(300, 0, false)).toBe(Math.ceil(202 / 1.2) + 30)
  // The way out to the south takes 90 s. The way out to the north takes 60 s, followed by a walk of 60 m to the street.
  expect(timesTo(300, 0, true)).toBe(Math.ceil(202 / 1.2) + 90)
  expect(timesTo(100, 160, true)).toBe(Math.ceil(60 / 1.2) + 60)
  // The pathway to the north only leads out, so the way in is a walk of 762 m around to the south entrance.
  expect(timesTo(100, 160, false)).toBe(Math.ceil((300 + 160 + 300 + 2) / 1.2) + 30)
  const change = (from: string, to: string) => walks.change(feed.stop(from), feed.stop(to))
  expect(change('BUS', 'P').seconds).toBe(Math.ceil(204 / 1.2) + 30)
  expect(change('P', 'BUS').seconds).toBe(Math.ceil(204 / 1.2) + 90)
  expect(change('P', 'TOP').seconds).toBe(Math.ceil(60 / 1.2) + 60)
  const near = [...walks.near(feed.stop('P'), 500)].map(({ stop }) => stop)
  expect(near).toContain(feed.stop('BUS'))
  // The drawn walk includes the part inside the station.
  const course = walks.course({ ...at(300, 0) }, { ...at(100, 40), place: { kind: 'stop', stop: feed.stop('P') } }, 240)
  expect(course.source).toBe('streets')
  expect(course.points.length).toBe(5)
})
