// Tests the policies for faults in agencies, stops and routes. There is one faulty feed for each GTFS validator notice
// that does not prevent the service from serving a feed. Fails if a fault is not reported, if rows other than the
// faulty row and those that refer to it are dropped, or if a line number is wrong.
import { describe } from 'bun:test'
import { added, replaced } from './loaded-feed.ts'
import { checkPolicies } from './policy-cases.ts'

describe('agency.txt', () => {
  checkPolicies([
    {
      what: 'the first of duplicates wins',
      changes: added('agency.txt', 'V,Other,https://other.example,Europe/Paris,fr'),
      reported: ['dropped_row duplicate_key agency.txt:3 agency_id ×1 (V)'],
    },
    {
      what: 'the lines of an agency without a name are kept',
      changes: replaced('agency.txt', 'V,Ville', 'V,'),
      reported: ['repaired missing_required_field agency.txt:2 agency_name ×1 ()'],
    },
    {
      what: 'an invalid URL is ignored',
      changes: replaced('agency.txt', 'https://ville.example', 'ville dot example'),
      reported: ['repaired invalid_url agency.txt:2 agency_url ×1 (ville dot example)'],
    },
    {
      what: 'a language with an underscore is corrected; any other invalid one is ignored',
      changes: replaced('agency.txt', ',fr', ',fr_FR'),
      reported: ['repaired invalid_language_code agency.txt:2 agency_lang ×1 (fr_FR)'],
    },
    {
      what: 'an invalid email address or telephone number is only reported',
      changes: {
        'agency.txt':
          'agency_id,agency_name,agency_url,agency_timezone,agency_email,agency_phone\nV,Ville,,Europe/Paris,ville at example,none',
      },
      reported: [
        'reported invalid_email agency.txt:2 agency_email ×1 (ville at example)',
        'reported invalid_phone_number agency.txt:2 agency_phone ×1 (none)',
      ],
    },
    {
      what: 'so are those of publishers and of credited organizations',
      changes: {
        'feed_info.txt':
          'feed_publisher_name,feed_publisher_url,feed_lang,feed_contact_email\nV,https://v.example,fr,@ville.example',
        'attributions.txt':
          'organization_name,is_producer,attribution_email,attribution_phone\nV,1,v@w@example.org,12\nW,1,w@example.org,+33 3 88 00 00 00',
      },
      reported: [
        'reported invalid_email attributions.txt:2 attribution_email ×1 (v@w@example.org)',
        'reported invalid_phone_number attributions.txt:2 attribution_phone ×1 (12)',
        'reported invalid_email feed_info.txt:2 feed_contact_email ×1 (@ville.example)',
      ],
    },
    {
      what: 'a single agency needs no id',
      changes: { ...replaced('agency.txt', 'V,Ville', ',Ville'), ...replaced('routes.txt', 'A,V,', 'A,,') },
      reported: ['repaired foreign_key_violation routes.txt:3 agency_id ×1 (V)'],
    },
    {
      what: 'each of several agencies needs an id, including the first',
      changes: {
        'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\n,N,,Europe/Paris\nV,Ville,,Europe/Paris',
      },
      reported: ['repaired missing_required_agency_id agency.txt:2 agency_id ×1 ()'],
      left: { agencies: 2 },
    },
  ])
})

describe('stops.txt', () => {
  checkPolicies([
    {
      what: 'a stop without an id is dropped',
      changes: added('stops.txt', ',,Nowhere,48.5,7.7,0,,,'),
      reported: ['dropped_row missing_required_field stops.txt:8 stop_id ×1 ()'],
    },
    {
      what: 'the first of duplicates wins',
      changes: added('stops.txt', 'G,,Other,48.5,7.7,0,,,'),
      reported: ['dropped_row duplicate_key stops.txt:8 stop_id ×1 (G)'],
    },
    {
      what: 'stops, stations and entrances need a position; nodes and boarding areas do not',
      changes: added(
        'stops.txt',
        'X0,,X,,7.7,0,,,',
        'X1,,X,48.5,,1,,,',
        'X2,,X,,,2,S,,',
        'X3,,,,,3,S,,',
        'X4,,,,,4,CA,,',
      ),
      reported: ['dropped_row stop_without_location stops.txt:8 stop_id ×3 (X0)'],
      left: { stops: 8 },
    },
    {
      what: 'a position consists of numbers',
      changes: added('stops.txt', 'X,,X,48°30,7.7,0,,,'),
      reported: ['dropped_row invalid_float stops.txt:8 stop_id ×1 (X)'],
    },
    {
      what: 'a position is on the globe',
      changes: added('stops.txt', 'X,,X,90.1,7.7,0,,,', 'Y,,Y,48.5,-180.1,0,,,'),
      reported: ['dropped_row number_out_of_range stops.txt:8 stop_id ×2 (X)'],
    },
    {
      what: 'the positions 0, 0 and the poles are invalid; those next to them are valid',
      changes: added('stops.txt', 'O,,O,0,0,0,,,', 'N,,N,-89.5,7,0,,,', 'A,,A,0.5,1.1,0,,,', 'B,,B,88.9,7,0,,,'),
      reported: [
        'dropped_row point_near_origin stops.txt:8 stop_id ×1 (O)',
        'dropped_row point_near_pole stops.txt:9 stop_id ×1 (N)',
      ],
      left: { stops: 8 },
    },
    {
      what: 'a stop without a name is named by its id',
      changes: replaced('stops.txt', 'Gare', ''),
      reported: ['repaired missing_stop_name stops.txt:5 stop_id ×1 (G)'],
    },
    {
      what: 'an unknown parent is ignored',
      changes: replaced('stops.txt', 'G,200,Gare,48.5850,7.7350,0,,', 'G,200,Gare,48.5850,7.7350,0,XX,'),
      reported: ['repaired foreign_key_violation stops.txt:5 parent_station ×1 (XX)'],
    },
    {
      what: 'a station has no parent',
      changes: added('stops.txt', 'S2,,Second,48.5,7.7,1,S,,'),
      reported: ['repaired station_with_parent_station stops.txt:8 parent_station ×1 (S)'],
      left: { stops: 7 },
    },
    {
      what: 'a stop with a parent of the wrong kind is kept without it; entrances, nodes and boarding areas are dropped',
      changes: added(
        'stops.txt',
        'X0,,X,48.5,7.7,0,G,,',
        'X2,,X,48.5,7.7,2,G,,',
        'X3,,X,48.5,7.7,3,G,,',
        'X4,,X,48.5,7.7,4,S,,',
        'Y4,,Y,48.5,7.7,4,X0,,',
      ),
      reported: [
        'repaired wrong_parent_location_type stops.txt:8 parent_station ×1 (G)',
        'dropped_row wrong_parent_location_type stops.txt:9 parent_station ×3 (G)',
      ],
      left: { stops: 8 },
    },
    {
      what: 'entrances, nodes and boarding areas should have a parent',
      changes: added('stops.txt', 'X2,,X,48.5,7.7,2,,,'),
      reported: ['repaired location_without_parent_station stops.txt:8 parent_station ×1 ()'],
      left: { stops: 7 },
    },
    {
      what: 'unknown values of location_type and wheelchair_boarding count as missing',
      changes: added('stops.txt', 'X,,X,48.5,7.7,9,,,', 'Y,,Y,48.5,7.7,,,yes,'),
      reported: [
        'repaired number_out_of_range stops.txt:8 location_type ×1 (9)',
        'repaired invalid_integer stops.txt:9 wheelchair_boarding ×1 (yes)',
      ],
      left: { stops: 8 },
    },
    {
      what: 'an unknown time zone of a stop is ignored',
      changes: {
        'stops.txt': `stop_id,stop_name,stop_lat,stop_lon,stop_timezone\n${['CA', 'CB', 'G', 'P', 'T', 'S'].map((id, i) => `${id},${id},48.5${i},7.7,${id === 'G' ? 'Mars/Base' : 'Europe/Paris'}`).join('\n')}`,
      },
      reported: ['repaired invalid_timezone stops.txt:4 stop_timezone ×1 (Mars/Base)'],
    },
  ])
})

describe('routes.txt', () => {
  checkPolicies([
    {
      what: 'the first of duplicates wins',
      changes: added('routes.txt', 'A,V,B,Other,3,,,'),
      reported: ['dropped_row duplicate_key routes.txt:4 route_id ×1 (A)'],
    },
    {
      what: 'a route needs an id and a type, which is a number',
      changes: added('routes.txt', ',V,B,Other,3,,,', 'B,V,B,Other,,,,', 'C,V,B,Other,bus,,,', 'D,V,B,Other,-1,,,'),
      reported: [
        'dropped_row missing_required_field routes.txt:4 route_id ×1 ()',
        'dropped_row missing_required_field routes.txt:5 route_type ×1 ()',
        'dropped_row invalid_integer routes.txt:6 route_type ×1 (bus)',
        'dropped_row number_out_of_range routes.txt:7 route_type ×1 (-1)',
      ],
    },
    {
      what: 'a dropped route loses its trips and their calls',
      changes: replaced('routes.txt', '7,V,7,Centre - Stade,3', '7,V,7,Centre - Stade,x'),
      reported: [
        'dropped_row invalid_integer routes.txt:3 route_type ×1 (x)',
        'dropped_row foreign_key_violation stop_times.txt:17 trip_id ×4 (b1)',
        'dropped_row foreign_key_violation trips.txt:7 route_id ×2 (7)',
      ],
      left: { routes: 1, trips: 5, calls: 15 },
    },
    {
      what: 'a route without names is named by its id',
      changes: replaced('routes.txt', '7,V,7,Centre - Stade', '7,V,,'),
      reported: ['repaired route_both_short_and_long_name_missing routes.txt:3 route_id ×1 (7)'],
    },
    {
      what: 'an invalid color is replaced by the default',
      changes: replaced('routes.txt', 'E10D19,FFFFFF', 'red,#12345'),
      reported: [
        'repaired invalid_color routes.txt:2 route_color ×1 (red)',
        'repaired invalid_color routes.txt:2 route_text_color ×1 (#12345)',
      ],
    },
    {
      what: 'an unknown agency is replaced by the only one',
      changes: replaced('routes.txt', 'A,V,A', 'A,W,A'),
      reported: ['repaired foreign_key_violation routes.txt:2 agency_id ×1 (W)'],
    },
    {
      what: 'with several agencies, a route without one belongs to the first',
      changes: {
        ...added('agency.txt', 'W,West,https://west.example,Europe/Paris,fr'),
        ...replaced('routes.txt', 'A,V,A', 'A,,A'),
      },
      reported: ['repaired missing_required_agency_id routes.txt:2 agency_id ×1 ()'],
      left: { agencies: 2 },
    },
    {
      what: 'an invalid sort order is ignored',
      changes: replaced('routes.txt', 'FFFFFF,1', 'FFFFFF,-1'),
      reported: ['repaired number_out_of_range routes.txt:2 route_sort_order ×1 (-1)'],
    },
  ])
})
