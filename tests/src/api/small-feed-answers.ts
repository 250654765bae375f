// The API's responses for the small feed of tests/feeds, written by hand from its tables for 08:00 on 2026-06-10 in
// Paris.

/** The attribution of the network. */
export const ATTRIBUTION = ['ville data, open licence']
/** `meta` of a response about the network. */
export const META = {
  generated_at: '2026-06-10T06:00:00Z',
  units: 1,
  network: 'ville',
  freshness: 'scheduled',
  attribution: ATTRIBUTION,
}

/** Tram line A, without its directions. */
export const LINE_A = {
  id: 'ville:line:A',
  network: 'ville',
  code: 'A',
  name: 'Gare - Port',
  mode: 'tram',
  color: '#E10D19',
  text_color: '#FFFFFF',
  operator: 'Ville',
  sort_order: 1,
  accessible: false,
}
/** Bus line 7, without its directions. */
export const LINE_7 = {
  id: 'ville:line:7',
  network: 'ville',
  code: '7',
  name: 'Centre - Stade',
  mode: 'bus',
  color: '#FFFFFF',
  text_color: '#000000',
  operator: 'Ville',
  sort_order: 2147483647,
  accessible: false,
}
/** The direction of tram line A from Gare to Port. */
export const OUTBOUND = { id: '0', name: 'Gare - Port du Rhin', headsign: 'Port' }
/** The opposite direction of tram line A. */
export const INBOUND = { id: '1', name: 'Port du Rhin - Gare', headsign: 'Gare' }
/** The direction of bus 7. */
export const TO_STADE = { id: '0', name: 'Centre - Stade Élan', headsign: 'Stade' }

/** Tram line A as a stop lists it. */
export const COMPACT_A = { id: 'ville:line:A', code: 'A', name: 'Gare - Port', mode: 'tram', color: '#E10D19' }
/** Bus line 7 as a stop lists it. */
export const COMPACT_7 = { id: 'ville:line:7', code: '7', name: 'Centre - Stade', mode: 'bus', color: '#FFFFFF' }

/** The station Centre as an area, with its stops as children. */
export const AREA = {
  id: 'ville:area:S',
  network: 'ville',
  kind: 'area',
  name: 'Centre',
  lat: 48.58,
  lon: 7.75,
  parent_id: null,
  line_ids: ['ville:line:A', 'ville:line:7'],
  modes: ['tram', 'bus'],
  town: '',
  accessible: false,
  platform_code: null,
  children: ['ville:stop:CA', 'ville:stop:CB'],
}
/** Platform A of the station Centre. */
export const CENTRE_A = {
  ...AREA,
  id: 'ville:stop:CA',
  kind: 'stop',
  lat: 48.5801,
  lon: 7.7501,
  parent_id: 'ville:area:S',
  line_ids: ['ville:line:A'],
  modes: ['tram'],
  accessible: true,
  platform_code: 'A',
  children: [],
}
/** Platform B of the station Centre. */
export const CENTRE_B = {
  ...CENTRE_A,
  id: 'ville:stop:CB',
  lat: 48.5799,
  lon: 7.7499,
  line_ids: ['ville:line:A', 'ville:line:7'],
  modes: ['tram', 'bus'],
  accessible: false,
  platform_code: 'B',
}
const alone = { parent_id: null, platform_code: null, line_ids: ['ville:line:A'], modes: ['tram'] }
/** First stop of the tram. */
export const GARE = { ...CENTRE_A, ...alone, id: 'ville:stop:G', name: 'Gare', lat: 48.585, lon: 7.735 }
/** Last stop of the tram. */
export const PORT = {
  ...CENTRE_A,
  ...alone,
  id: 'ville:stop:P',
  name: 'Port du Rhin',
  lat: 48.575,
  lon: 7.77,
  accessible: false,
}
/** Last stop of the bus. */
export const STADE = {
  ...PORT,
  id: 'ville:stop:T',
  name: 'Stade Élan',
  lat: 48.59,
  lon: 7.76,
  line_ids: ['ville:line:7'],
  modes: ['bus'],
}

/** Members of a departure without live data. */
export const NOT_LIVE = { expected_at: null, delay_seconds: null, realtime: false, status: 'unknown' }
/** The first departure from Centre after eight. */
export const FIRST_TRAM = {
  stop_id: 'ville:stop:CA',
  line_id: 'ville:line:A',
  line_code: 'A',
  line_name: 'Gare - Port',
  mode: 'tram',
  color: '#E10D19',
  text_color: '#FFFFFF',
  direction_id: '0',
  headsign: 'Port',
  scheduled_at: '2026-06-10T08:05:30+02:00',
  ...NOT_LIVE,
  trip_id: 'ville:trip:20260610:a1',
  vehicle_id: null,
  platform: 'A',
  source: 'gtfs',
}
/** The second departure from Centre. */
export const FIRST_TRAM_BACK = {
  ...FIRST_TRAM,
  stop_id: 'ville:stop:CB',
  direction_id: '1',
  headsign: 'Gare',
  scheduled_at: '2026-06-10T08:07:30+02:00',
  trip_id: 'ville:trip:20260610:r1',
  platform: 'B',
}
/** The third departure from Centre. */
export const FIRST_BUS = {
  ...FIRST_TRAM_BACK,
  line_id: 'ville:line:7',
  line_code: '7',
  line_name: 'Centre - Stade',
  mode: 'bus',
  color: '#FFFFFF',
  text_color: '#000000',
  direction_id: '0',
  headsign: 'Stade',
  scheduled_at: '2026-06-10T08:10:00+02:00',
  trip_id: 'ville:trip:20260610:b1',
}
/** The fourth departure from Centre. */
export const SECOND_TRAM = {
  ...FIRST_TRAM,
  scheduled_at: '2026-06-10T08:15:30+02:00',
  trip_id: 'ville:trip:20260610:a2',
}
/** The fifth departure from Centre. */
export const SECOND_TRAM_BACK = {
  ...FIRST_TRAM_BACK,
  scheduled_at: '2026-06-10T08:27:30+02:00',
  trip_id: 'ville:trip:20260610:r2',
}
/** `meta.sources` of a board. */
export const SOURCES = [{ id: 'gtfs', fetched_at: '2026-06-10T05:57:00Z', age_seconds: 180, freshness: 'scheduled' }]

/** The network as an item in a list. */
export const NETWORK = {
  id: 'ville',
  name: 'ville name',
  city: 'Ville',
  timezone: 'Europe/Paris',
  modes: ['tram', 'bus'],
  capabilities: {
    realtime_departures: false,
    vehicles: 'none',
    alerts: false,
    journeys: 'service',
    shapes: false,
    places: true,
    streams: true,
  },
  static_refreshed_at: '2026-06-10T07:57:00+02:00',
}
