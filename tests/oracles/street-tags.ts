// A second implementation of the rules about who may walk where, written for the walk oracle (street-walks.ts). Shares
// no code with loaders/osm/foot-access.ts.

type Tags = Readonly<Record<string, string>>

const OPEN = new Set(
  `residential living_street unclassified road service track tertiary tertiary_link secondary secondary_link primary
  primary_link pedestrian footway path steps cycleway corridor platform elevator`.split(/\s+/),
)
const REQUESTED = new Set('trunk trunk_link motorway motorway_link bridleway busway'.split(' '))
const YES = new Set('yes designated permissive destination official public customers'.split(' '))
const NO = new Set(
  'no private use_sidepath military agricultural forestry agricultural;forestry delivery permit emergency restricted residents'.split(
    ' ',
  ),
)

/** 'open' or 'shut', as decided by the tag `foot`, or else by the tag `access`; '' if neither decides. */
function ruled(tags: Tags): string {
  for (const value of [tags['foot'] ?? '', tags['access'] ?? '']) {
    if (NO.has(value)) return 'shut'
    if (YES.has(value)) return 'open'
  }
  return ''
}

export function isPlatform(tags: Tags): boolean {
  return tags['highway'] === 'platform' || tags['railway'] === 'platform' || tags['public_transport'] === 'platform'
}

export function isWalkable(tags: Tags): boolean {
  if (ruled(tags) === 'shut') return false
  const scale = tags['sac_scale']
  if (scale !== undefined && !['hiking', 'mountain_hiking', 'strolling'].includes(scale)) return false
  const highway = tags['highway'] ?? ''
  const mayFoot = YES.has(tags['foot'] ?? '')
  if (OPEN.has(highway)) return tags['motorroad'] !== 'yes' || mayFoot
  if (REQUESTED.has(highway)) {
    const sides = ['sidewalk', 'sidewalk:both', 'sidewalk:left', 'sidewalk:right'].map((key) => tags[key] ?? '')
    return mayFoot || sides.some((side) => ['both', 'left', 'right', 'yes', 'separate'].includes(side))
  }
  return isPlatform(tags) || tags['man_made'] === 'pier'
}

export function isSquare(tags: Tags): boolean {
  if (tags['area'] !== 'yes' && tags['type'] !== 'multipolygon') return false
  const kinds = ['pedestrian', 'footway', 'path', 'platform', 'living_street', 'service', 'corridor']
  return kinds.includes(tags['highway'] ?? '') || isPlatform(tags)
}

export function isOffGround(tags: Tags): boolean {
  const { bridge, tunnel, location, layer, level } = tags
  if (bridge !== undefined && bridge !== 'no') return true
  if (tunnel !== undefined && tunnel !== 'no' && tunnel !== 'building_passage') return true
  return location === 'underground' || (layer !== undefined && layer !== '0') || (level !== undefined && level !== '0')
}

const isYes = (value: string | undefined) => value === 'yes' || value === 'designated'

export function isStepFree(tags: Tags): boolean {
  const { wheelchair, surface = '', smoothness = '', incline, width } = tags
  if (wheelchair === 'no') return false
  if (isYes(wheelchair)) return true
  if (tags['highway'] === 'steps') return tags['ramp:wheelchair'] === 'yes'
  if (tags['sac_scale'] !== undefined) return false
  if (/^(sand|mud|gravel|pebblestone|rock|stepping_stones|woodchips)$/.test(surface)) return false
  if (/^(very_bad|horrible|very_horrible|impassable)$/.test(smoothness)) return false
  const visibility = tags['trail_visibility']
  if (visibility !== undefined && visibility !== 'excellent' && visibility !== 'good') return false
  const steep = /^([-+]?[0-9.]+)\s*%?$/.exec(incline ?? '')
  if (steep && Math.abs(Number(steep[1])) > 10) return false
  const narrow = /^\s*([-+]?[0-9.]+)\s*m?$/.exec(width ?? '')
  return !(narrow && Number(narrow[1]) < 0.8)
}

/** Whether nobody can pass a node. */
export function isShutNode(tags: Tags): boolean {
  const barrier = tags['barrier']
  if (barrier === undefined) return false
  if (ruled(tags) === 'shut') return true
  const walls = ['wall', 'fence', 'city_wall', 'retaining_wall', 'hedge', 'guard_rail', 'ditch', 'jersey_barrier']
  return ruled(tags) !== 'open' && (tags['locked'] === 'yes' || walls.includes(barrier))
}

/** Whether a wheelchair cannot pass a node. */
export function isStepNode(tags: Tags): boolean {
  const { barrier, kerb, wheelchair } = tags
  if (barrier === undefined) return kerb === 'raised'
  if (isYes(wheelchair)) return false
  const steps = ['stile', 'turnstile', 'full-height_turnstile', 'kissing_gate', 'log', 'step']
  return kerb === 'raised' || wheelchair === 'no' || steps.includes(barrier)
}
