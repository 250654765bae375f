// Sixty queries that riders might send: from one address or point to another, in four cities, in the morning, after
// work, late at night and on a Sunday. The coordinates are those of well-known places, read from a map.

/** A place: an address, or a point. */
export interface RiderPlace {
  readonly name: string
  readonly lat: number
  readonly lon: number
  /** If defined, queries name the place by this address; otherwise by `lat,lon`. */
  readonly address?: RiderAddress
}

/** An address, as in the Base Adresse Nationale. */
export interface RiderAddress {
  readonly number: string
  readonly street: string
  readonly postcode: string
  readonly town: string
  /** The town's INSEE code. */
  readonly code: string
}

/** A rider's query. */
export interface RiderQuestion {
  readonly from: RiderPlace
  readonly to: RiderPlace
  /** Local time, such as `2026-03-10T08:00`. */
  readonly at: string
  /** Whether `at` is the latest arrival. */
  readonly isArriveBy: boolean
}

/** A city with its feed, its places, and the queries between them. */
export interface RiderCity {
  readonly id: string
  readonly name: string
  /** The file name of the city's feed. */
  readonly feed: string
  readonly places: Readonly<Record<string, RiderPlace>>
  readonly questions: readonly RiderQuestion[]
}

interface CityText {
  readonly id: string
  readonly name: string
  readonly feed: string
  /** The dates of the queries, `yyyy-mm-dd`. */
  readonly weekday: string
  readonly sunday: string
  /** Key → `name | lat, lon`, optionally followed by `| number, street, postcode, town, INSEE code`. */
  readonly places: Readonly<Record<string, string>>
  /**
   * `08:00 from > to` leaves on the weekday, `sun 14:00 from > to` leaves on the Sunday, and `by 09:00 from > to`
   * arrives by that time on the weekday.
   */
  readonly questions: readonly string[]
}

const CITIES: readonly CityText[] = [
  {
    id: 'cts',
    name: 'Strasbourg',
    feed: 'strasbourg-cts-2026.zip',
    weekday: '2026-03-10',
    sunday: '2026-03-15',
    places: {
      petiteFrance: 'Petite France | 48.58080, 7.74220 | 12, Rue des Dentelles, 67000, Strasbourg, 67482',
      university: 'university, Esplanade | 48.58010, 7.76560 | 4, Rue Blaise Pascal, 67000, Strasbourg, 67482',
      hospital: 'civil hospital | 48.57640, 7.75000 | 1, Place de l’Hôpital, 67000, Strasbourg, 67482',
      parliament: 'European Parliament | 48.59730, 7.76860',
      hautepierre: 'Hautepierre, a flat | 48.59420, 7.70040 | 25, Avenue Racine, 67200, Strasbourg, 67482',
      neudorf: 'Neudorf, a flat | 48.56480, 7.76450 | 50, Route du Polygone, 67100, Strasbourg, 67482',
      robertsau: 'Robertsau, a house | 48.60790, 7.78600 | 84, Rue Boecklin, 67000, Strasbourg, 67482',
      schiltigheim: 'Schiltigheim, a shop | 48.60850, 7.75420 | 85, Route de Bischwiller, 67300, Schiltigheim, 67447',
      lingolsheim: 'Lingolsheim, town hall | 48.55730, 7.68320 | 7, Rue du Château, 67380, Lingolsheim, 67267',
      illkirch: 'Illkirch, campus | 48.52680, 7.73680',
      station: 'main station | 48.58500, 7.73450',
      meinau: 'Meinau stadium | 48.56010, 7.75500',
      kehl: 'Kehl, town hall square | 48.57330, 7.81510',
      orangerie: 'Orangerie park | 48.59190, 7.77380',
      koenigshoffen: 'Koenigshoffen, a flat | 48.58180, 7.70450',
      wolfisheim: 'Wolfisheim, church | 48.58760, 7.66690',
      cathedral: 'cathedral | 48.58190, 7.75100',
      reichstett: 'Reichstett, village | 48.64840, 7.75560',
    },
    questions: [
      '08:00 hautepierre > university',
      '08:00 neudorf > parliament',
      '08:00 lingolsheim > hospital',
      '08:00 robertsau > illkirch',
      'by 09:00 wolfisheim > schiltigheim',
      '18:00 university > koenigshoffen',
      '18:00 illkirch > orangerie',
      '18:00 schiltigheim > kehl',
      '18:00 cathedral > reichstett',
      '23:30 station > robertsau',
      '23:30 petiteFrance > hautepierre',
      '23:30 meinau > lingolsheim',
      'sun 08:00 robertsau > station',
      'sun 14:00 kehl > orangerie',
      'sun 18:00 illkirch > cathedral',
    ],
  },
  {
    id: 'subway',
    name: 'New York, subway',
    feed: 'mta-subway-2026.zip',
    weekday: '2026-06-09',
    sunday: '2026-06-14',
    places: {
      columbia: 'Columbia University | 40.80750, -73.96260',
      wallStreet: 'Wall Street, stock exchange | 40.70690, -74.01130',
      coneyIsland: 'Coney Island, boardwalk | 40.57300, -73.97900',
      flushing: 'Flushing, library | 40.75760, -73.82890',
      yankees: 'Yankee Stadium | 40.82960, -73.92620',
      met: 'Metropolitan Museum | 40.77940, -73.96320',
      bedford: 'Williamsburg, Bedford Avenue | 40.71720, -73.95670',
      inwood: 'Inwood Hill Park | 40.86920, -73.92100',
      forestHills: 'Forest Hills, Austin Street | 40.71980, -73.84480',
      farRockaway: 'Far Rockaway, Mott Avenue | 40.60500, -73.75300',
      timesSquare: 'Times Square | 40.75800, -73.98550',
      bayRidge: 'Bay Ridge, 86th Street | 40.62260, -74.02840',
      bronxZoo: 'Bronx Zoo, gate | 40.84590, -73.87860',
      prospectPark: 'Prospect Park, boathouse | 40.66080, -73.96530',
      astoria: 'Astoria, 30th Avenue | 40.76690, -73.92130',
      redHook: 'Red Hook, pier | 40.67500, -74.01650',
      museum: 'Brooklyn Museum | 40.67120, -73.96360',
      canarsie: 'Canarsie, a house | 40.63900, -73.89500',
    },
    questions: [
      '08:00 astoria > wallStreet',
      '08:00 bayRidge > timesSquare',
      '08:00 inwood > bedford',
      '08:00 forestHills > columbia',
      'by 09:00 canarsie > timesSquare',
      '18:00 wallStreet > flushing',
      '18:00 timesSquare > farRockaway',
      '18:00 columbia > museum',
      '18:00 redHook > met',
      '23:30 yankees > bedford',
      '23:30 timesSquare > canarsie',
      '23:30 bedford > astoria',
      'sun 08:00 flushing > coneyIsland',
      'sun 14:00 prospectPark > bronxZoo',
      'sun 18:00 coneyIsland > columbia',
    ],
  },
  {
    id: 'vilnius',
    name: 'Vilnius',
    feed: 'vilnius-2015.zip',
    weekday: '2015-10-13',
    sunday: '2015-10-18',
    places: {
      cathedral: 'cathedral square | 54.68580, 25.28770',
      station: 'railway station | 54.67020, 25.28440',
      airport: 'airport | 54.64310, 25.27990',
      akropolis: 'Akropolis mall | 54.71030, 25.26300',
      antakalnis: 'Antakalnis, a flat | 54.71880, 25.32210',
      pasilaiciai: 'Pašilaičiai, a flat | 54.72800, 25.22650',
      tower: 'television tower | 54.68700, 25.21500',
      zirmunai: 'Žirmūnai, a flat | 54.71430, 25.29800',
      clinics: 'Santariškės clinics | 54.75120, 25.27900',
      lazdynai: 'Lazdynai, a flat | 54.67280, 25.20710',
      vilnia: 'Naujoji Vilnia, market | 54.69320, 25.40380',
      uzupis: 'Užupis, angel | 54.68030, 25.29500',
      university: 'Saulėtekis campus | 54.72260, 25.33740',
      paneriai: 'Paneriai, memorial | 54.63120, 25.16050',
      parliament: 'parliament | 54.69040, 25.26340',
      verkiai: 'Verkiai palace | 54.74990, 25.29190',
      naujamiestis: 'Naujamiestis, an office | 54.67560, 25.25640',
    },
    questions: [
      '08:00 pasilaiciai > university',
      '08:00 lazdynai > parliament',
      '08:00 vilnia > naujamiestis',
      '08:00 antakalnis > clinics',
      'by 09:00 zirmunai > airport',
      '18:00 naujamiestis > pasilaiciai',
      '18:00 university > lazdynai',
      '18:00 cathedral > verkiai',
      '18:00 airport > akropolis',
      '23:30 station > antakalnis',
      '23:30 uzupis > pasilaiciai',
      '23:30 cathedral > vilnia',
      'sun 08:00 lazdynai > station',
      'sun 14:00 cathedral > tower',
      'sun 18:00 paneriai > zirmunai',
    ],
  },
  {
    id: 'saskatoon',
    name: 'Saskatoon',
    feed: 'saskatoon-2026.zip',
    weekday: '2026-07-14',
    sunday: '2026-07-19',
    places: {
      university: 'university, library | 52.13060, -106.63350',
      downtown: 'city hall | 52.13180, -106.66020',
      centreMall: 'Centre mall | 52.11560, -106.60530',
      confederation: 'Confederation mall | 52.13170, -106.72400',
      lawson: 'Lawson Heights mall | 52.16660, -106.63340',
      stonebridge: 'Stonebridge, a shop | 52.08450, -106.63220',
      hospital: 'university hospital | 52.13150, -106.64210',
      saintPaul: 'hospital of Saint Paul | 52.12830, -106.69820',
      airport: 'airport | 52.16540, -106.69960',
      sutherland: 'Sutherland, a house | 52.13820, -106.59440',
      broadway: 'Broadway, theatre | 52.11850, -106.65630',
      prairieland: 'Prairieland park | 52.10160, -106.67260',
      arena: 'arena in the north | 52.18980, -106.67900',
      willowgrove: 'Willowgrove, a house | 52.14490, -106.55570',
      nutana: 'Nutana Park, a house | 52.09330, -106.65130',
      polytechnic: 'polytechnic, Idylwyld | 52.13900, -106.67130',
      montgomery: 'Montgomery Place, a house | 52.10370, -106.73130',
    },
    questions: [
      '08:00 willowgrove > university',
      '08:00 confederation > hospital',
      '08:00 nutana > polytechnic',
      '08:00 lawson > centreMall',
      'by 09:00 montgomery > downtown',
      '18:00 university > stonebridge',
      '18:00 downtown > sutherland',
      '18:00 polytechnic > willowgrove',
      '18:00 broadway > airport',
      '23:30 university > confederation',
      '23:30 downtown > lawson',
      '23:30 centreMall > saintPaul',
      'sun 08:00 sutherland > saintPaul',
      'sun 14:00 lawson > prairieland',
      'sun 18:00 arena > broadway',
    ],
  },
]

/** The cities with their queries. */
export function riderCities(): RiderCity[] {
  return CITIES.map((city) => {
    const places = Object.fromEntries(Object.entries(city.places).map(([key, text]) => [key, toPlace(text)]))
    const { id, name, feed } = city
    return { id, name, feed, places, questions: city.questions.map((text) => toQuestion(city, places, text)) }
  })
}

function toPlace(text: string): RiderPlace {
  const [name = '', point = '', reported] = text.split(' | ')
  const [lat = Number.NaN, lon = Number.NaN] = point.split(', ').map(Number)
  if (reported === undefined) return { name, lat, lon }
  const [number = '', street = '', postcode = '', town = '', code = ''] = reported.split(', ')
  return { name, lat, lon, address: { number, street, postcode, town, code } }
}

function toQuestion(
  { weekday, sunday }: CityText,
  places: Readonly<Record<string, RiderPlace>>,
  text: string,
): RiderQuestion {
  const [, kind, time = '', from = '', to = ''] = /^(?:(sun|by) )?(\d\d:\d\d) (\w+) > (\w+)$/.exec(text) ?? []
  const [start, end] = [places[from], places[to]]
  if (start === undefined || end === undefined) throw new Error(`not a query: ${text}`)
  const date = kind === 'sun' ? sunday : weekday
  return { from: start, to: end, at: `${date}T${time}`, isArriveBy: kind === 'by' }
}
