// Decides from OpenStreetMap tags where people can walk, and where they can walk without steps.
import { type TagReader, wordSet } from './tag-reader.ts'
import { WordTable } from './word-table.ts'

/** Flags of a walkable way. STEP_FREE: set unless a tag indicates that wheelchairs cannot pass. */
export const STEP_FREE = 1
/** Tagged as accessible for wheelchairs. Without this flag, it is unknown whether a step-free way is accessible. */
export const TAGGED_ACCESSIBLE = 2
export const IS_STEPS = 4
export const IS_ELEVATOR = 8
export const IS_CROSSING = 16
/** On a bridge, in a tunnel, or on a level other than the ground. */
export const OFF_GROUND = 32
/** A square, which can also be crossed in straight lines. */
export const IS_SQUARE = 64
export const IS_PLATFORM = 128

/** Flags of a node. NODE_SHUT: nobody can pass, for example because of a locked gate. */
export const NODE_SHUT = 1
/** Wheelchairs cannot pass, for example because of a raised curb or a stile. */
export const NODE_NOT_STEP_FREE = 2

/** Barriers that the link between a stop and a street must not cross. */
export const BARRIER_RAIL = 1
export const BARRIER_WATER = 2

/** Values of `highway` for ways that are walkable unless tagged otherwise. */
const OPEN_HIGHWAYS = [
  ...['residential', 'living_street', 'unclassified', 'road', 'service', 'track'],
  ...['tertiary', 'tertiary_link', 'secondary', 'secondary_link', 'primary', 'primary_link'],
  ...['pedestrian', 'footway', 'path', 'steps', 'cycleway', 'corridor', 'platform', 'elevator'],
]
/** Values of `highway` for ways that are walkable only if another tag allows it or there is a sidewalk. */
const SHUT_HIGHWAYS = ['trunk', 'trunk_link', 'motorway', 'motorway_link', 'bridleway', 'busway']
const OPEN_VALUES = ['yes', 'designated', 'permissive', 'destination', 'official', 'public', 'customers']
const SHUT_VALUES = [
  ...['no', 'private', 'use_sidepath', 'military', 'agricultural', 'forestry', 'agricultural;forestry'],
  ...['delivery', 'permit', 'emergency', 'restricted', 'residents'],
]
const SIDEWALKS = ['both', 'left', 'right', 'yes', 'separate']
/**
 * Values of `sac_scale` (the difficulty of a hiking path) for paths that count as walkable. Harder paths are for
 * mountaineers.
 */
const EASY_SAC_SCALES = ['hiking', 'mountain_hiking', 'strolling']
const EASY_VISIBILITIES = ['excellent', 'good']
const ROUGH_SURFACES = ['sand', 'mud', 'gravel', 'pebblestone', 'rock', 'stepping_stones', 'woodchips']
const ROUGH_SMOOTHNESS = ['very_bad', 'horrible', 'very_horrible', 'impassable']
const ACCESSIBLE = ['yes', 'designated']
/**
 * Values of `barrier` for barriers that are impassable unless tagged otherwise. All other barriers are passable unless
 * tagged otherwise.
 */
const SHUT_BARRIERS = ['wall', 'fence', 'city_wall', 'retaining_wall', 'hedge', 'guard_rail', 'ditch', 'jersey_barrier']
const STEP_BARRIERS = ['stile', 'turnstile', 'full-height_turnstile', 'kissing_gate', 'log', 'step']
/** Values of `highway` for squares. If such a way has `area=yes` or is a multipolygon, its inside can be crossed. */
const SQUARES = ['pedestrian', 'footway', 'path', 'platform', 'living_street', 'service', 'corridor']
const RAILS = ['rail', 'light_rail', 'subway', 'narrow_gauge']
const WATERWAYS = ['river', 'canal', 'riverbank', 'dock']

const KEYS = [
  ...['highway', 'foot', 'access', 'motorroad', 'sac_scale', 'man_made', 'railway', 'public_transport', 'type', 'area'],
  ...['sidewalk', 'sidewalk:both', 'sidewalk:left', 'sidewalk:right', 'footway', 'path', 'barrier', 'locked', 'kerb'],
  ...['bridge', 'tunnel', 'layer', 'level', 'location', 'wheelchair', 'ramp:wheelchair', 'surface', 'smoothness'],
  ...['incline', 'width', 'trail_visibility', 'name', 'ref', 'local_ref', 'waterway', 'natural', 'intermittent'],
]
const VALUES = [
  ...[OPEN_HIGHWAYS, SHUT_HIGHWAYS, OPEN_VALUES, SHUT_VALUES, SIDEWALKS, EASY_SAC_SCALES, EASY_VISIBILITIES].flat(),
  ...[ROUGH_SURFACES, ROUGH_SMOOTHNESS, SHUT_BARRIERS, STEP_BARRIERS, RAILS, WATERWAYS].flat(),
  ...['pier', 'crossing', 'building_passage', '0', 'underground', 'raised', 'multipolygon', 'water'],
]

/** All tag keys and values that these rules need. */
export const FOOT_WORDS = new WordTable([...new Set([...KEYS, ...VALUES])])

const word = (text: string) => FOOT_WORDS.number(text)
const set = (words: readonly string[]) => wordSet(FOOT_WORDS, words)

/** Keys whose values the loaders store as strings. */
export const NAME = word('name')
export const REF = word('ref')
export const LOCAL_REF = word('local_ref')

const HIGHWAY = word('highway')
const FOOT = word('foot')
const ACCESS = word('access')
const MOTORROAD = word('motorroad')
const SAC_SCALE = word('sac_scale')
const MAN_MADE = word('man_made')
const RAILWAY = word('railway')
const PUBLIC_TRANSPORT = word('public_transport')
const TYPE = word('type')
const AREA = word('area')
const SIDEWALK_KEYS = ['sidewalk', 'sidewalk:both', 'sidewalk:left', 'sidewalk:right'].map(word)
const FOOTWAY = word('footway')
const PATH = word('path')
const BARRIER = word('barrier')
const LOCKED = word('locked')
const KERB = word('kerb')
const BRIDGE = word('bridge')
const TUNNEL = word('tunnel')
const LAYER = word('layer')
const LEVEL = word('level')
const LOCATION = word('location')
const WHEELCHAIR = word('wheelchair')
const WHEELCHAIR_RAMP = word('ramp:wheelchair')
const SURFACE = word('surface')
const SMOOTHNESS = word('smoothness')
const INCLINE = word('incline')
const WIDTH = word('width')
const TRAIL_VISIBILITY = word('trail_visibility')
const WATERWAY = word('waterway')
const NATURAL = word('natural')
const INTERMITTENT = word('intermittent')

const YES = word('yes')
const NO = word('no')
const STEPS = word('steps')
const ELEVATOR = word('elevator')
const PLATFORM = word('platform')
const PIER = word('pier')
const CROSSING = word('crossing')
const BUILDING_PASSAGE = word('building_passage')
const ZERO = word('0')
const UNDERGROUND = word('underground')
const RAISED = word('raised')
const MULTIPOLYGON = word('multipolygon')
const WATER = word('water')

const openHighways = set(OPEN_HIGHWAYS)
const shutHighways = set(SHUT_HIGHWAYS)
const openValues = set(OPEN_VALUES)
const shutValues = set(SHUT_VALUES)
const sidewalks = set(SIDEWALKS)
const easyScales = set(EASY_SAC_SCALES)
const easyVisibilities = set(EASY_VISIBILITIES)
const roughSurfaces = set(ROUGH_SURFACES)
const roughSmoothness = set(ROUGH_SMOOTHNESS)
const accessible = set(ACCESSIBLE)
const shutBarriers = set(SHUT_BARRIERS)
const stepBarriers = set(STEP_BARRIERS)
const squares = set(SQUARES)
const rails = set(RAILS)
const waterways = set(WATERWAYS)

/** Maximum incline of a step-free way, in percent. */
const STEEPEST = 10
/** Minimum width of a step-free way, in meters. */
const NARROWEST = 0.8

/** The pedestrian flags of a way; undefined if it is not walkable. */
export function footFlags(tags: TagReader): number | undefined {
  if (!isWalkable(tags)) return undefined
  let flags = 0
  const highway = tags.word(HIGHWAY)
  if (highway === STEPS) flags |= IS_STEPS
  if (highway === ELEVATOR) flags |= IS_ELEVATOR
  if (isPlatform(tags)) flags |= IS_PLATFORM
  if (tags.word(FOOTWAY) === CROSSING || tags.word(PATH) === CROSSING) flags |= IS_CROSSING
  if (isOffGround(tags)) flags |= OFF_GROUND
  if (!isStepFree(tags)) return flags
  return flags | STEP_FREE | (tags.isIn(WHEELCHAIR, accessible) ? TAGGED_ACCESSIBLE : 0)
}

/** Whether a walkable closed way or multipolygon is a square, whose inside can be crossed. */
export function isSquare(tags: TagReader): boolean {
  const isArea = tags.word(AREA) === YES || isMultipolygon(tags)
  return isArea && (tags.isIn(HIGHWAY, squares) || isPlatform(tags))
}

/** Whether a relation is an area formed by ways. */
export function isMultipolygon(tags: TagReader): boolean {
  return tags.word(TYPE) === MULTIPOLYGON
}

/** BARRIER_RAIL or BARRIER_WATER; 0 for everything that the link between a stop and a street may cross. */
export function barrierOf(tags: TagReader): number {
  const isWater = tags.word(NATURAL) === WATER || tags.isIn(WATERWAY, waterways)
  const isRail = tags.isIn(RAILWAY, rails)
  if ((!isWater && !isRail) || isOffGround(tags) || tags.word(INTERMITTENT) === YES) return 0
  return isWater ? BARRIER_WATER : BARRIER_RAIL
}

/** Flags of a node on a way. */
export function nodeFlags(tags: TagReader): number {
  const isRaised = tags.word(KERB) === RAISED
  if (!tags.has(BARRIER)) return isRaised ? NODE_NOT_STEP_FREE : 0
  const stopsWheels = isRaised || tags.isIn(BARRIER, stepBarriers) || tags.word(WHEELCHAIR) === NO
  const flags = stopsWheels && !tags.isIn(WHEELCHAIR, accessible) ? NODE_NOT_STEP_FREE : 0
  const access = accessOf(tags)
  if (access === 'shut') return flags | NODE_SHUT
  const isShut = tags.word(LOCKED) === YES || tags.isIn(BARRIER, shutBarriers)
  return isShut && access !== 'open' ? flags | NODE_SHUT : flags
}

function isWalkable(tags: TagReader): boolean {
  const access = accessOf(tags)
  if (access === 'shut') return false
  if (tags.has(SAC_SCALE) && !tags.isIn(SAC_SCALE, easyScales)) return false
  if (tags.isIn(HIGHWAY, openHighways)) return tags.word(MOTORROAD) !== YES || tags.isIn(FOOT, openValues)
  if (tags.isIn(HIGHWAY, shutHighways)) {
    return tags.isIn(FOOT, openValues) || SIDEWALK_KEYS.some((key) => tags.isIn(key, sidewalks))
  }
  return isPlatform(tags) || tags.word(MAN_MADE) === PIER
}

/**
 * `open` if the tag `foot` allows walking, `shut` if `foot` forbids walking. Otherwise, the tag `access` decides in the
 * same way. Undefined if neither tag decides.
 */
function accessOf(tags: TagReader): 'open' | 'shut' | undefined {
  if (tags.isIn(FOOT, shutValues)) return 'shut'
  if (tags.isIn(FOOT, openValues)) return 'open'
  if (tags.isIn(ACCESS, shutValues)) return 'shut'
  return tags.isIn(ACCESS, openValues) ? 'open' : undefined
}

function isPlatform(tags: TagReader): boolean {
  return [HIGHWAY, RAILWAY, PUBLIC_TRANSPORT].some((key) => tags.word(key) === PLATFORM)
}

function isOffGround(tags: TagReader): boolean {
  if (tags.has(BRIDGE) && tags.word(BRIDGE) !== NO) return true
  if (tags.has(TUNNEL) && tags.word(TUNNEL) !== NO && tags.word(TUNNEL) !== BUILDING_PASSAGE) return true
  if (tags.word(LOCATION) === UNDERGROUND) return true
  return (tags.has(LAYER) && tags.word(LAYER) !== ZERO) || (tags.has(LEVEL) && tags.word(LEVEL) !== ZERO)
}

/** Whether a way counts as step-free: false if a tag indicates that wheelchairs cannot pass. */
function isStepFree(tags: TagReader): boolean {
  if (tags.word(WHEELCHAIR) === NO) return false
  if (tags.isIn(WHEELCHAIR, accessible)) return true
  if (tags.word(HIGHWAY) === STEPS) return tags.word(WHEELCHAIR_RAMP) === YES
  if (tags.has(SAC_SCALE) || tags.isIn(SURFACE, roughSurfaces) || tags.isIn(SMOOTHNESS, roughSmoothness)) return false
  if (tags.has(TRAIL_VISIBILITY) && !tags.isIn(TRAIL_VISIBILITY, easyVisibilities)) return false
  const incline = numberOf(tags.text(INCLINE), '%')
  const width = numberOf(tags.text(WIDTH), 'm')
  return (incline === undefined || Math.abs(incline) <= STEEPEST) && (width === undefined || width >= NARROWEST)
}

/** Parses a number that may be followed by its unit; undefined if the string is not a number. */
function numberOf(text: string | undefined, unit: string): number | undefined {
  if (text === undefined) return undefined
  const number = text.endsWith(unit) ? text.slice(0, -unit.length).trim() : text.trim()
  return /^[-+]?\d+(\.\d+)?$/.test(number) ? Number(number) : undefined
}
