// Tests vehicles on trips whose calls give distances in a different unit from the shape, as BART's trips do. Fails if a
// vehicle's position, delay or next stop differs from what is found without distances.
import { expect, test } from 'bun:test'
import { at, LINE, LiveLine, TODAY, timed, update } from './live-line.ts'

const METERS_APART = 1112
/**
 * The line with a shape from stop to stop. Each parameter says how many meters one unit of distance is: `unitOfCalls`
 * in stop_times.txt, `unitOfPoints` in shapes.txt. If a parameter is undefined, its file has no distances.
 */
function feedOf(unitOfCalls: number | undefined, unitOfPoints: number | undefined) {
  const distance = (stop: number, unit: number | undefined) =>
    unit === undefined ? '' : ((stop * METERS_APART) / unit).toFixed(4)
  return {
    ...LINE,
    'trips.txt': 'route_id,service_id,trip_id,direction_id,shape_id\nL,daily,t,0,s\nL,daily,u,0,s',
    'shapes.txt': ['shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled']
      .concat(Array.from({ length: 5 }, (_, stop) => `s,48.5${stop},7.75,${stop},${distance(stop, unitOfPoints)}`))
      .join('\n'),
    'stop_times.txt': ['trip_id,arrival_time,departure_time,stop_id,stop_sequence,shape_dist_traveled']
      .concat(
        ['t', 'u'].flatMap((trip, hour) =>
          Array.from({ length: 5 }, (_, stop) => {
            const time = `0${8 + hour}:${stop}0:00`
            return `${trip},${time},${time},S${stop + 1},${stop + 1},${distance(stop, unitOfCalls)}`
          }),
        ),
      )
      .join('\n'),
  }
}

/**
 * What is shown for a vehicle that is halfway from S2 to S3 and three minutes late: once estimated from a prediction,
 * and once with a reported position.
 */
async function shown(unitOfCalls?: number, unitOfPoints?: number) {
  const line = await LiveLine.open(feedOf(unitOfCalls, unitOfPoints))
  const trip = { tripId: 't', startDate: TODAY }
  const position = { latitude: 48.515, longitude: 7.75 }
  const withPosition = { id: 'v', vehicle: { trip, vehicle: { id: '10' }, position, timestamp: at('08:18') } }
  const of = (entities: Parameters<LiveLine['publish']>[1]) =>
    line.publish('08:18', entities).shown.map(({ lat, lon, delaySeconds, nextStop, source }) => ({
      place: `${lat.toFixed(3)} ${lon.toFixed(3)}`,
      delaySeconds,
      next: nextStop === line.stop('S3'),
      source,
    }))
  return [...of([update('t', { 2: timed('08:13') })]), ...of([withPosition])]
}

const EXPECTED = [
  { place: '48.515', delaySeconds: 180, next: true, source: 'interpolated' as const },
  { place: '48.515', delaySeconds: 180, next: true, source: 'gps' as const },
].map((vehicle) => ({ ...vehicle, place: `${vehicle.place} 7.750` }))

test('has the right position, delay and next stop in any unit of distance', async () => {
  const [METERS, KILOMETERS, MILES, FEET] = [1, 1000, 1609.344, 0.3048]
  expect(await shown()).toEqual(EXPECTED)
  for (const [calls, points] of [
    [METERS, METERS],
    [KILOMETERS, METERS],
    [METERS, KILOMETERS],
    [MILES, KILOMETERS],
    [KILOMETERS, MILES],
    [FEET, METERS],
    [METERS, undefined],
    [undefined, MILES],
  ]) {
    expect({ calls, points, shown: await shown(calls, points) }).toEqual({ calls, points, shown: EXPECTED })
  }
})
