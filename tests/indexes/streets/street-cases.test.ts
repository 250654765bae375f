// Tests walks on generated streets, checked by eye: rivers, bridges, gates, squares, stairs, elevators and islands.
// Fails if a walk crosses an obstacle, misses an existing route, or is longer or shorter than the streets that it
// follows.
import { expect, test } from 'bun:test'
import { at, MadeStreets } from './made-streets.ts'

test('walks go around a river, over its bridge', () => {
  const streets = MadeStreets.of(`
    A 0 0
    B 400 0
    C 0 100
    D 400 100
    A-B highway=residential
    C-D highway=residential
    (bridge) B-D highway=footway bridge=yes`)
  // The walk takes the bridge, although the places are only 100 m apart.
  expect(streets.meters(at(0, 0), at(0, 100))).toBe(900)
  // The walk from each place to its street is included.
  expect(streets.meters(at(0, 5), at(0, 95))).toBe(910)
})

test('a street under a bridge is not connected to it', () => {
  const streets = MadeStreets.of(`
    W 0 0
    E 400 0
    S 200 -300
    N 200 300
    J 380 0
    K 200 280
    W-J-E highway=residential
    S-K-N highway=residential bridge=yes layer=1
    J-K highway=footway`)
  // 180 m along the street, 333 m on the footway, and 80 m back along the bridge.
  expect(streets.meters(at(200, 0), at(200, 200))).toBe(180 + Math.round(Math.hypot(180, 280)) + 80)
})

test('a place below a viaduct is on the ground', () => {
  const streets = MadeStreets.of(`
    A 0 0
    B 300 0
    C 0 12
    D 300 12
    X 300 400
    A-B highway=residential name=Ground
    C-D highway=footway bridge=yes name=Viaduct
    B-X-D highway=footway`)
  expect(streets.steps(at(50, 10), at(100, 2))).toEqual(['street Ground 62'])
})

test('gates block nobody unless locked or private; walls always do', () => {
  const across = (gate: string) =>
    MadeStreets.of(`
      A 0 0
      G 100 0 ${gate}
      B 200 0
      C 0 300
      D 200 300
      A-G-B highway=footway
      A-C-D-B highway=residential`).meters(at(50, 0), at(150, 0))
  expect(across('')).toBe(100)
  expect(across('barrier=gate')).toBe(100)
  expect(across('barrier=gate access=private foot=yes')).toBe(100)
  for (const shut of [
    'barrier=gate locked=yes',
    'barrier=gate access=private',
    'barrier=gate foot=no',
    'barrier=wall',
  ]) {
    expect([shut, across(shut)]).toEqual([shut, 50 + 300 + 200 + 300 + 50])
  }
})

test('private ways and ways without walking access are omitted', () => {
  const along = (tags: string) =>
    MadeStreets.of(`
      A 0 0
      B 200 0
      C 0 400
      D 200 400
      A-B ${tags}
      A-C-D-B highway=residential`).meters(at(0, 0), at(200, 0))
  for (const open of [
    ...[
      'highway=residential',
      'highway=primary',
      'highway=footway',
      'highway=path',
      'highway=track',
      'highway=cycleway',
    ],
    ...['highway=trunk foot=yes', 'highway=trunk sidewalk=both', 'highway=trunk sidewalk:left=yes', 'man_made=pier'],
    ...['highway=service access=private foot=permissive', 'railway=platform', 'public_transport=platform'],
    ...['highway=path sac_scale=mountain_hiking', 'highway=bridleway foot=designated', 'highway=steps'],
  ]) {
    expect([open, along(open)]).toEqual([open, 200])
  }
  for (const shut of [
    ...[
      'highway=motorway',
      'highway=trunk',
      'highway=bridleway',
      'highway=construction',
      'railway=rail',
      'building=yes',
    ],
    ...['highway=service access=private', 'highway=footway foot=no', 'highway=cycleway foot=use_sidepath'],
    ...['highway=primary motorroad=yes', 'highway=path sac_scale=alpine_hiking', 'highway=trunk sidewalk=no'],
  ]) {
    expect([shut, along(shut)]).toEqual([shut, 1000])
  }
})

test('a square is crossed straight, and around its fountain', () => {
  const square = (hole: string, relation: string) =>
    MadeStreets.of(`
      A 0 0
      B 300 0
      C 300 300
      D 0 300
      P 120 120
      Q 180 120
      R 180 180
      S 120 180
      W -200 0
      E 500 300
      (outline) A-B-C-D-A ${relation === '' ? 'highway=pedestrian area=yes' : ''}
      (fountain) P-Q-R-S-P ${hole}
      W-A highway=residential
      C-E highway=residential
      ${relation}`)
  const diagonal = Math.round(Math.hypot(300, 300))
  expect(square('', '').meters(at(-100, 0), at(400, 300))).toBe(100 + diagonal + 100)
  // The fountain is in the way, and only the outline leads around it.
  const withHole = square('', 'outer=outline inner=fountain type=multipolygon highway=pedestrian')
  expect(withHole.meters(at(-100, 0), at(400, 300))).toBe(100 + 600 + 100)
})

test('an elevator can be walked and has no steps for wheelchairs', () => {
  const streets = MadeStreets.of(`
    A 0 0
    B 200 0
    C 201 0
    D 203 0
    E 400 0
    A-B highway=residential name=Low
    B-C highway=elevator
    B-D highway=steps
    C-E highway=footway name=High level=1
    D-E highway=footway level=1`)
  expect(streets.steps(at(0, 0), at(400, 0))).toEqual(['street Low 200', 'elevator - 1', 'street High 199'])
  expect(streets.meters(at(0, 0), at(400, 0), 'step_free')).toBe(400)
})

test('stairs, curbs and stiles block wheelchairs unless tagged as accessible', () => {
  const across = (way: string, node = '') =>
    MadeStreets.of(`
      A 0 0
      N 100 0 ${node}
      B 200 0
      C 0 300
      D 200 300
      A-N-B ${way}
      A-C-D-B highway=residential`).meters(at(0, 0), at(200, 0), 'step_free')
  for (const open of [
    ...[
      'highway=footway',
      'highway=steps wheelchair=yes',
      'highway=steps ramp:wheelchair=yes',
      'highway=path incline=8%',
    ],
    ...[
      'highway=footway width=1.2',
      'highway=footway surface=asphalt smoothness=bad',
      'highway=path wheelchair=limited',
    ],
  ]) {
    expect([open, across(open)]).toEqual([open, 200])
  }
  for (const shut of [
    ...['highway=steps', 'highway=footway wheelchair=no', 'highway=path surface=sand', 'highway=path incline=-15%'],
    ...['highway=path width=0.5', 'highway=path smoothness=very_bad', 'highway=path sac_scale=hiking'],
  ]) {
    expect([shut, across(shut)]).toEqual([shut, 800])
  }
  expect(across('highway=footway', 'barrier=kerb kerb=lowered')).toBe(200)
  expect(across('highway=footway', 'barrier=kerb kerb=raised')).toBe(800)
  expect(across('highway=footway', 'barrier=stile')).toBe(800)
  expect(across('highway=footway', 'barrier=cycle_barrier wheelchair=no')).toBe(800)
})

test('a real island with a pier is kept: no walk leads to the mainland', () => {
  const streets = MadeStreets.of(`
    A 0 0
    B 500 0
    C 0 200
    D 500 200
    E 500 120
    A-B highway=residential
    C-D highway=residential
    D-E man_made=pier`)
  expect(streets.meters(at(100, 0), at(100, 200))).toBe(undefined)
  expect(streets.meters(at(100, 200), at(500, 120))).toBe(480)
})

test('an isolated piece of street is used only if nothing else is near', () => {
  const streets = MadeStreets.of(`
    A 0 0
    B 500 0
    C 100 60
    D 200 60
    X 2000 60
    Y 2100 60
    A-B highway=residential
    C-D highway=steps
    X-Y highway=footway`)
  // The stairs are nearer, but not connected to any street.
  expect(streets.snapMeters(at(150, 50))).toBeCloseTo(50, 1)
  expect(streets.meters(at(150, 50), at(400, 0))).toBe(300)
  expect(streets.meters(at(2000, 60), at(2050, 60))).toBe(50)
  expect(streets.snapMeters(at(150, 400))).toBe(undefined)
})

test('a footbridge between two roads without walking access leads nowhere; with stairs to the street it is used', () => {
  const map = `
    A 0 0
    B 500 0
    C 100 20
    D 400 20
    E 100 60
    F 400 60
    G 200 120
    H 400 120
    A-B highway=residential
    A-G highway=residential
    G-H highway=residential
    C-D highway=trunk
    E-F highway=trunk
    C-E highway=footway bridge=yes`
  const [south, north] = [at(100, 5), at(300, 118)]
  // 5 m to the street, 100 m back to A, 233 m to G, 100 m along the street there, and 2 m to the place.
  expect(MadeStreets.of(map).meters(south, north)).toBe(440)
  const stairs = `${map}
    P 100 0
    Q 100 120
    A-P-B highway=residential
    Q-G highway=residential
    P-C highway=steps
    E-Q highway=steps`
  // The start is on the stairs, so the walk begins there: 115 m over the stairs and the bridge across both trunk roads,
  // 200 m along the street, and 2 m from the street to the end.
  expect(MadeStreets.of(stairs).meters(south, north)).toBe(317)
})

test('a tunnel under a place is not used as its street', () => {
  const streets = MadeStreets.of(`
    A 0 0
    B 400 0
    C 0 15
    D 400 15
    E 400 300
    A-B highway=residential name=Above
    C-D highway=footway tunnel=yes name=Below
    B-E-D highway=footway`)
  expect(streets.steps(at(100, 13), at(300, 1))).toEqual(['street Above 214'])
})

test('a way with missing nodes is cut there', () => {
  const streets = MadeStreets.of(`
    A 0 0
    B 100 0
    D 300 0
    E 400 0
    A-B-lost-D-E highway=residential`)
  expect(streets.meters(at(0, 0), at(100, 0))).toBe(100)
  expect(streets.meters(at(0, 0), at(300, 0))).toBe(undefined)
})

test('streets longer than the maximum edge are walked to their end', () => {
  const streets = MadeStreets.of(`
    A 0 0
    B 5000 0
    C 9000 0
    D 9000 16000
    A-B-C highway=track
    C-D highway=track`)
  const first = MadeStreets.of('A 0 0\nB 16000 0\nA-B highway=track')
  expect(streets.decimeters(at(0, 0), at(9000, 0), 'foot', 20_000)).toBeCloseTo(90_000, -1)
  expect(first.decimeters(at(100, 0), at(15_900, 0), 'foot', 20_000)).toBeCloseTo(158_000, -1)
  expect(streets.kilometers).toBeCloseTo(25, 1)
})

test('walks between places on one street need not pass a crossing, and their steps add up', () => {
  const streets = MadeStreets.of(`
    A 0 0
    B 300 0
    C 300 200
    A-B highway=residential name=First_Street
    B-C highway=residential name=Second_Street`)
  expect(streets.steps(at(10, 2), at(60, 2))).toEqual(['street First Street 54'])
  expect(streets.steps(at(100, 4), at(304, 100))).toEqual(['street First Street 204', 'street Second Street 104'])
  expect(streets.points(at(100, 4), at(304, 100)).length).toBe(5)
})
