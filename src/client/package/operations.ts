// The operations in the API document.
// Written by `bun run contracts` from the response schemas; do not edit.

import { Connection } from './connection.ts'
import type {
  Alert,
  DeparturesAnswer,
  ExplanationsAnswer,
  GetHealthAnswer,
  GetJourneyAnswer,
  GetJourneyParameters,
  GetLineAnswer,
  GetLineParameters,
  GetNetworkAnswer,
  GetNetworkParameters,
  GetStatusAnswer,
  GetStopAnswer,
  GetStopParameters,
  GetTripParameters,
  GetUsageAnswer,
  Journey,
  Line,
  ListAlertsAnswer,
  ListAlertsParameters,
  ListDeparturesParameters,
  ListExplanationsParameters,
  ListedStop,
  ListLineAlertsAnswer,
  ListLineAlertsParameters,
  ListLineStopsAnswer,
  ListLineStopsParameters,
  ListLinesAnswer,
  ListLinesParameters,
  ListLineVehiclesParameters,
  ListNearbyDeparturesAnswer,
  ListNearbyDeparturesParameters,
  ListNearbyStopsAnswer,
  ListNearbyStopsParameters,
  ListNearbyVehiclesAnswer,
  ListNearbyVehiclesParameters,
  ListNetworkAlertsAnswer,
  ListNetworkAlertsParameters,
  ListNetworksAnswer,
  ListNetworksParameters,
  ListStopAlertsAnswer,
  ListStopAlertsParameters,
  ListStopsAnswer,
  ListStopsParameters,
  PlanJourneysAnswer,
  PlanJourneysParameters,
  QuaiClient,
  ReversePlacesAnswer,
  ReversePlacesParameters,
  SearchPlacesAnswer,
  SearchPlacesParameters,
  StreamDeparturesParameters,
  StreamLineVehiclesParameters,
  StreamTripParameters,
  TripAnswer,
  VehiclesAnswer,
} from './contract.ts'
import type { CallOptions, PagedAnswer, StreamEvent } from './surface.ts'

/** A client of the API. */
export class Client extends Connection implements QuaiClient {
  getHealth(options?: CallOptions): Promise<GetHealthAnswer> {
    return this.call('/v1/health', {}, options)
  }

  getStatus(options?: CallOptions): Promise<GetStatusAnswer> {
    return this.call('/v1/status', {}, options)
  }

  listNetworks(parameters?: ListNetworksParameters, options?: CallOptions): Promise<ListNetworksAnswer> {
    return this.call('/v1/networks', parameters, options)
  }

  getNetwork(parameters: GetNetworkParameters, options?: CallOptions): Promise<GetNetworkAnswer> {
    return this.call('/v1/networks/{network}', parameters, options)
  }

  listLines(parameters: ListLinesParameters, options?: CallOptions): PagedAnswer<ListLinesAnswer, Line> {
    return this.list('/v1/networks/{network}/lines', parameters, options)
  }

  getLine(parameters: GetLineParameters, options?: CallOptions): Promise<GetLineAnswer> {
    return this.call('/v1/lines/{line_id}', parameters, options)
  }

  listLineStops(parameters: ListLineStopsParameters, options?: CallOptions): Promise<ListLineStopsAnswer> {
    return this.call('/v1/lines/{line_id}/stops', parameters, options)
  }

  listLineVehicles(parameters: ListLineVehiclesParameters, options?: CallOptions): Promise<VehiclesAnswer> {
    return this.call('/v1/lines/{line_id}/vehicles', parameters, options)
  }

  listLineAlerts(parameters: ListLineAlertsParameters, options?: CallOptions): Promise<ListLineAlertsAnswer> {
    return this.call('/v1/lines/{line_id}/alerts', parameters, options)
  }

  listStops(parameters: ListStopsParameters, options?: CallOptions): PagedAnswer<ListStopsAnswer, ListedStop> {
    return this.list('/v1/networks/{network}/stops', parameters, options)
  }

  getStop(parameters: GetStopParameters, options?: CallOptions): Promise<GetStopAnswer> {
    return this.call('/v1/stops/{stop_id}', parameters, options)
  }

  listStopAlerts(parameters: ListStopAlertsParameters, options?: CallOptions): Promise<ListStopAlertsAnswer> {
    return this.call('/v1/stops/{stop_id}/alerts', parameters, options)
  }

  listDepartures(parameters: ListDeparturesParameters, options?: CallOptions): Promise<DeparturesAnswer> {
    return this.call('/v1/stops/{stop_id}/departures', parameters, options)
  }

  streamDepartures(
    parameters: StreamDeparturesParameters,
    options?: CallOptions,
  ): AsyncGenerator<StreamEvent<DeparturesAnswer>, void, undefined> {
    return this.follow({ path: '/v1/stops/{stop_id}/departures/stream', event: 'departures' }, parameters, options)
  }

  streamLineVehicles(
    parameters: StreamLineVehiclesParameters,
    options?: CallOptions,
  ): AsyncGenerator<StreamEvent<VehiclesAnswer>, void, undefined> {
    return this.follow({ path: '/v1/lines/{line_id}/vehicles/stream', event: 'vehicles' }, parameters, options)
  }

  listNearbyStops(parameters: ListNearbyStopsParameters, options?: CallOptions): Promise<ListNearbyStopsAnswer> {
    return this.call('/v1/stops/nearby', parameters, options)
  }

  listNearbyDepartures(
    parameters: ListNearbyDeparturesParameters,
    options?: CallOptions,
  ): Promise<ListNearbyDeparturesAnswer> {
    return this.call('/v1/departures/nearby', parameters, options)
  }

  listNearbyVehicles(
    parameters: ListNearbyVehiclesParameters,
    options?: CallOptions,
  ): Promise<ListNearbyVehiclesAnswer> {
    return this.call('/v1/vehicles/nearby', parameters, options)
  }

  planJourneys(parameters: PlanJourneysParameters, options?: CallOptions): PagedAnswer<PlanJourneysAnswer, Journey> {
    return this.list('/v1/journeys', parameters, options)
  }

  getJourney(parameters: GetJourneyParameters, options?: CallOptions): Promise<GetJourneyAnswer> {
    return this.call('/v1/journeys/{journey_id}', parameters, options)
  }

  searchPlaces(parameters: SearchPlacesParameters, options?: CallOptions): Promise<SearchPlacesAnswer> {
    return this.call('/v1/places', parameters, options)
  }

  reversePlaces(parameters: ReversePlacesParameters, options?: CallOptions): Promise<ReversePlacesAnswer> {
    return this.call('/v1/places/reverse', parameters, options)
  }

  listNetworkAlerts(
    parameters: ListNetworkAlertsParameters,
    options?: CallOptions,
  ): PagedAnswer<ListNetworkAlertsAnswer, Alert> {
    return this.list('/v1/networks/{network}/alerts', parameters, options)
  }

  listAlerts(parameters: ListAlertsParameters, options?: CallOptions): PagedAnswer<ListAlertsAnswer, Alert> {
    return this.list('/v1/alerts', parameters, options)
  }

  listExplanations(parameters: ListExplanationsParameters, options?: CallOptions): Promise<ExplanationsAnswer> {
    return this.call('/v1/stops/{stop_id}/explanations', parameters, options)
  }

  getTrip(parameters: GetTripParameters, options?: CallOptions): Promise<TripAnswer> {
    return this.call('/v1/trips/{trip_id}', parameters, options)
  }

  streamTrip(
    parameters: StreamTripParameters,
    options?: CallOptions,
  ): AsyncGenerator<StreamEvent<TripAnswer>, void, undefined> {
    return this.follow({ path: '/v1/trips/{trip_id}/stream', event: 'trip' }, parameters, options)
  }

  getUsage(options?: CallOptions): Promise<GetUsageAnswer> {
    return this.call('/v1/usage', {}, options)
  }
}
