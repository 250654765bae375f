// The purposes of calls, as shown in the request drawer. Each language has a text for each.

/** What a call is for. */
export type Purpose =
  | 'address'
  | 'alerts'
  | 'chosenVehicles'
  | 'departures'
  | 'explanations'
  | 'health'
  | 'journeys'
  | 'lineShape'
  | 'lineShapes'
  | 'lineStops'
  | 'lineVehicles'
  | 'lines'
  | 'networks'
  | 'stop'
  | 'stopsInView'
  | 'suggestions'
  | 'trip'
  | 'tripShape'
  | 'vehicleTrip'
  | 'vehiclesInView'
