// Compares all of a replayed network's vehicles, line by line, with the second implementation: each expected vehicle
// must be at its position, and no other vehicle may be served.
import type { ExpectedVehicle } from './oracles/realtime-vehicles.ts'
import type { TextBoards } from './oracles/text-boards.ts'
import { listOf, objectOf } from './replayed-boards.ts'
import { NETWORK, type ReplayedNetwork } from './replayed-network.ts'

/** The result of requesting the vehicles of all lines. */
export interface VehiclesFound {
  /** `position_source` → number of vehicles. */
  readonly shown: Record<string, number>
  readonly differences: string[]
}

/** Requests the vehicles of all lines, and compares them with the expected ones. */
export async function askAllVehicles(
  network: ReplayedNetwork,
  boards: TextBoards,
  expected: readonly ExpectedVehicle[],
): Promise<VehiclesFound> {
  const found: VehiclesFound = { shown: {}, differences: [] }
  const byId = new Map(expected.map((vehicle) => [vehicle.id, vehicle]))
  const lines = new Set(boards.trips.map(({ route }) => route.id))
  for (const line of lines) {
    const path = `/v1/lines/${encodeURIComponent(`${NETWORK}:line:${line}`)}/vehicles`
    const { status, body } = await network.get(path)
    // If no vehicle is expected, the network may also answer that it does not support vehicles.
    if (status === 404 && expected.length === 0 && body['reason'] === 'capability_unsupported') continue
    if (status !== 200) {
      found.differences.push(`${path}: ${status}`)
      continue
    }
    for (const shown of listOf(body['data']).map(objectOf)) {
      const source = String(shown['position_source'])
      found.shown[source] = (found.shown[source] ?? 0) + 1
      const vehicle = byId.get(String(shown['id']))
      byId.delete(String(shown['id']))
      const difference = vehicle === undefined ? 'it is not in the bytes' : compareVehicle(shown, vehicle)
      if (difference !== undefined)
        found.differences.push(`${path}: ${difference}\n    served   ${JSON.stringify(shown)}`)
    }
  }
  for (const vehicle of byId.values()) found.differences.push(`not shown: ${JSON.stringify(vehicle)}`)
  return found
}

function compareVehicle(shown: Readonly<Record<string, unknown>>, vehicle: ExpectedVehicle): string | undefined {
  for (const name of ['line_id', 'trip_id', 'position_source', 'next_stop_id'] as const) {
    if (vehicle[name] !== undefined && shown[name] !== vehicle[name]) return `${name} should be ${vehicle[name]}`
  }
  if (Date.parse(String(shown['recorded_at'])) / 1000 !== vehicle.recorded) return 'it was there at another time'
  const place = { lat: Number(shown['lat']), lon: Number(shown['lon']) }
  return vehicle.isAt(place) ? undefined : 'it is at another place'
}
