// `bun run contracts`: generates code. For the console and the explorer, generates the types of API responses from the
// schemas. For the client, generates types and methods from the API document. A test fails if the generated files are
// out of date.
import { join } from 'node:path'
import { type TSchema, Type } from '@sinclair/typebox'
import * as account from '../account-api/answers.schema.ts'
import { AlertSchema } from '../contract/alerts.schema.ts'
import { DepartureSchema, NearbyDepartureSchema, NearbyDeparturesSchema } from '../contract/departures.schema.ts'
import { documented } from '../contract/documented.ts'
import { META, SourceSchema } from '../contract/envelope.schema.ts'
import { ExplanationSchema } from '../contract/explanations.schema.ts'
import {
  JourneySchema,
  RideCallSchema,
  RideSchema,
  SectionPlaceSchema,
  SectionSchema,
  WalkSchema,
} from '../contract/journeys.schema.ts'
import {
  CompactLineSchema,
  GeometrySchema,
  LineDetailSchema,
  LineSchema,
  PositionSchema,
} from '../contract/lines.schema.ts'
import { ModeWord, NetworkSchema } from '../contract/networks.schema.ts'
import { PlaceSchema } from '../contract/places.schema.ts'
import { ROUTE_LIST } from '../contract/routes.ts'
import { StatusEntrySchema } from '../contract/status.schema.ts'
import { DirectionStopsSchema, StopDetailSchema, StopSchema } from '../contract/stops.schema.ts'
import { TripSchema } from '../contract/trips.schema.ts'
import { PlanWord, UsageSchema } from '../contract/usage.schema.ts'
import { NearbyVehicleSchema, VehicleSchema } from '../contract/vehicles.schema.ts'
import { openApiDocument } from '../docs/openapi.ts'
import { PROBLEM_SCHEMA, REASON_SCHEMA } from '../docs/openapi-components.ts'
import { type ApiDocument, clientOperations, clientTypes, readOperations } from './client-text.ts'
import { type NamedSchema, typeDeclarations } from './type-text.ts'

const ROOT = join(import.meta.dir, '..', '..')
const WRITTEN = '// Written by `bun run contracts` from the response schemas; do not edit.'

/** All members of `meta` in any response. Members that every response has are required; the others are optional. */
const AnyMeta = Type.Object(mergedMembers(Object.values(META)))

/** Members that `include` adds to rides and that the explorer does not read. */
const RIDE_EXTRAS = ['geometry', 'geometry_source', 'alert_ids']

const EXPLORER: readonly NamedSchema[] = [
  { name: 'Mode', schema: ModeWord, about: 'A mode of transport.' },
  { name: 'Network', schema: NetworkSchema, about: 'A network.' },
  { name: 'Coordinate', schema: PositionSchema, about: '[lon, lat] in degrees.' },
  { name: 'Geometry', schema: GeometrySchema, about: 'The shape of a line in one direction.' },
  { name: 'CompactLine', schema: CompactLineSchema, about: "A line in a stop's details." },
  { name: 'Line', schema: LineSchema, about: 'A line.' },
  { name: 'LineDetail', schema: LineDetailSchema, about: 'A line with its stops and shapes.' },
  { name: 'Stop', schema: StopSchema, about: 'A stop, or an area with several stops.' },
  { name: 'StopDetail', schema: StopDetailSchema, about: 'A stop or an area with its lines.' },
  { name: 'DirectionStops', schema: DirectionStopsSchema, about: 'The stops of one direction, in order.' },
  { name: 'Vehicle', schema: VehicleSchema, about: 'A vehicle.' },
  { name: 'NearbyVehicle', schema: NearbyVehicleSchema, about: 'A vehicle near a point.' },
  { name: 'Alert', schema: AlertSchema, about: 'A service alert.' },
  { name: 'Departure', schema: DepartureSchema, about: 'A departure on a board.' },
  { name: 'NearbyDeparture', schema: NearbyDepartureSchema, about: 'A departure from a nearby stop.' },
  { name: 'NearbyDepartures', schema: NearbyDeparturesSchema, about: 'The next departures from a stop near a point.' },
  { name: 'Place', schema: PlaceSchema, about: 'A stop, area or address that matches a search.' },
  { name: 'SectionPlace', schema: SectionPlaceSchema, about: 'Where a section of a journey begins or ends.' },
  { name: 'Walk', schema: WalkSchema, about: 'A section on foot.', unread: ['steps', 'wheelchair'] },
  { name: 'TripCall', schema: RideCallSchema, about: 'A stop on a trip, with its times.' },
  { name: 'Ride', schema: RideSchema, about: 'A section in one vehicle.', unread: RIDE_EXTRAS },
  { name: 'Section', schema: SectionSchema, about: 'A section of a journey.' },
  { name: 'Trip', schema: TripSchema, about: 'A trip on one day.', unread: ['geometry_source'] },
  { name: 'Explanation', schema: ExplanationSchema, about: "Why a call is or is not on a stop's board." },
  { name: 'Journey', schema: JourneySchema, about: 'A journey from one point to another.' },
  { name: 'Status', schema: Type.Omit(StatusEntrySchema, ['mismatched_feeds']), about: 'The status of a network.' },
  { name: 'Source', schema: SourceSchema, about: 'A feed used for a response.' },
  { name: 'Meta', schema: AnyMeta, about: 'The metadata of a response.' },
  { name: 'Reason', schema: REASON_SCHEMA, about: 'The reason for an error.' },
  { name: 'ProblemBody', schema: PROBLEM_SCHEMA, about: 'An error response.' },
]

const CONSOLE: readonly NamedSchema[] = [
  { name: 'Plan', schema: PlanWord, about: 'A plan.' },
  { name: 'Account', schema: account.AccountSchema, about: 'The account of a session.' },
  { name: 'Visitor', schema: account.VisitorSchema, about: 'A visitor to the console, with or without a session.' },
  { name: 'Session', schema: account.SessionSchema, about: 'The current session.' },
  { name: 'ListedSession', schema: account.ListedSessionSchema, about: 'An open session.' },
  { name: 'SessionList', schema: account.SessionsSchema, about: "The account's open sessions." },
  { name: 'Passkey', schema: account.PasskeySchema, about: 'A passkey.' },
  { name: 'PasskeyList', schema: account.PasskeysSchema, about: "The account's passkeys." },
  { name: 'Factor', schema: account.FactorSchema, about: "The account's second factor." },
  { name: 'FactorSetup', schema: account.FactorSetupSchema, about: 'The secret for setting up an authenticator app.' },
  { name: 'RecoveryCodes', schema: account.RecoveryCodesSchema, about: 'New recovery codes, shown only once.' },
  { name: 'ListedKey', schema: account.KeySchema, about: 'A key, without its secret.' },
  { name: 'Key', schema: account.UsedKeySchema, about: 'A key with its usage.' },
  {
    name: 'MadeKey',
    schema: account.MadeKeySchema,
    about: 'A new key: the only response that contains the key itself.',
  },
  { name: 'MonthUsage', schema: UsageSchema, about: "An account's usage in the current month." },
  { name: 'KeyDay', schema: account.KeyDaySchema, about: 'Usage of one key on one UTC day.' },
  { name: 'UsageAnswer', schema: account.DailyUsageSchema, about: 'Usage in the current month, and by day.' },
  { name: 'RouteAnswers', schema: account.RouteAnswersSchema, about: 'The responses sent to one key on one route.' },
  { name: 'RouteUsage', schema: account.RouteUsageSchema, about: 'Responses by key and route.' },
  { name: 'Statement', schema: account.ListedStatementSchema, about: 'The statement for a closed month.' },
  { name: 'AccountEvent', schema: account.EventSchema, about: 'Something that happened to an account or its keys.' },
  { name: 'EventPage', schema: account.EventsSchema, about: 'A page of events, newest first.' },
  { name: 'ProblemBody', schema: account.AccountProblemSchema, about: 'An error response (RFC 9457).' },
]

const ANSWER = `
/** A response from the API. */
export interface Answer<Data> {
  readonly data: Data
  readonly meta: Meta
}
`

/** A generated file. */
export interface ContractFile {
  /** Relative to the repository's root. */
  readonly path: string
  readonly text: string
}

/** Generates the files from the schemas. */
export async function listContracts(): Promise<ContractFile[]> {
  const document = await readDocument()
  const operations = readOperations(document)
  return [
    await contract(
      'src/console/app/contract.ts',
      'The account API responses that the page reads.',
      typeDeclarations(CONSOLE),
    ),
    await contract(
      'src/explorer/app/contract.ts',
      'The data API responses that the page reads.',
      typeDeclarations(EXPLORER) + ANSWER,
    ),
    await contract(
      'src/client/package/contract.ts',
      'The types in the API document, and a method for each of its operations.',
      clientTypes(document, operations),
    ),
    await contract(
      'src/client/package/operations.ts',
      'The operations in the API document.',
      clientOperations(operations),
    ),
  ]
}

async function contract(path: string, about: string, declarations: string): Promise<ContractFile> {
  return { path, text: await formatted(path, `// ${about}\n${WRITTEN}\n\n${declarations}`) }
}

/** The data API's document, built in the same way as by a running service. */
async function readDocument(): Promise<ApiDocument> {
  const routes = ROUTE_LIST.map((route) => ({ method: 'GET', path: route.path, hooks: documented(route) }))
  return JSON.parse(await openApiDocument(routes, { baseUrl: 'https://api.example.org', pages: [] }))
}

/** Formats a file's source code and sorts its imports with biome. */
async function formatted(path: string, text: string): Promise<string> {
  const biome = Bun.spawn([process.execPath, 'x', 'biome', 'check', '--write', `--stdin-file-path=${path}`], {
    cwd: ROOT,
    stdin: new Blob([text]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = await new Response(biome.stdout).text()
  if ((await biome.exited) !== 0) throw new Error(`${path} could not be formatted`)
  return output
}

function mergedMembers(schemas: readonly { readonly properties: Record<string, TSchema> }[]): Record<string, TSchema> {
  const all = Object.assign({}, ...schemas.map(({ properties }) => properties)) as Record<string, TSchema>
  const isCommon = (name: string) => schemas.every(({ properties }) => name in properties)
  const members = Object.entries(all).map(([name, schema]) => [name, isCommon(name) ? schema : Type.Optional(schema)])
  return Object.fromEntries(members)
}

if (import.meta.main) for (const { path, text } of await listContracts()) await Bun.write(join(ROOT, path), text)
