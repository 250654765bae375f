// Emissions of a ride: grams of CO2 equivalent per passenger-kilometer, by mode.
//
// Source: ADEME, Base Empreinte (formerly Base Carbone), passenger transport in France, as published by Impact CO2
// (https://impactco2.fr/outils/transport, 2024). The figures include the production of vehicles, but not of
// infrastructure. If ADEME has no figure for a mode, the comment on the mode names the substitute. Operators can set
// other figures with `co2_grams_per_km`.
import type { ModeWord } from '../../indexes/timetable/modes.ts'

const BUS_DIESEL = 113
const BUS_ELECTRIC = 21.7
const TRAM = 4.28

/** Grams of CO2 equivalent per passenger-kilometer. */
const GRAMS_PER_KM: Readonly<Record<ModeWord, number>> = {
  tram: TRAM,
  metro: 4.44,
  /**
   * Regional trains (TER), because most rail feeds contain these. Suburban electric trains emit 9.78, long-distance
   * trains 8.98.
   */
  rail: 27.7,
  bus: BUS_DIESEL,
  /** UK Government conversion factors 2023, ferry, foot passenger. ADEME has no figure for city boats. */
  ferry: 18.7,
  /** ADEME has no figures for these four modes. They use electric traction, like a tram. */
  cable_tram: TRAM,
  aerial_lift: TRAM,
  funicular: TRAM,
  monorail: TRAM,
  /** Same as an electric bus. */
  trolleybus: BUS_ELECTRIC,
  coach: 29.5,
  /** Short flights, without the effect of contrails. */
  air: 141,
  /** Same as a car with a combustion engine and one passenger. */
  taxi: 218,
  /** Most public-transport vehicles are buses. */
  other: BUS_DIESEL,
}

/** The emissions of one ride, in grams of CO2 equivalent, unrounded. @param own the network's own figures */
export function gramsOfRide(
  mode: ModeWord,
  meters: number,
  own: Readonly<Partial<Record<string, number>>> = {},
): number {
  return ((own[mode] ?? GRAMS_PER_KM[mode]) * meters) / 1000
}

/** Rounds grams to one decimal place, as shown in answers. */
export function roundGrams(grams: number): number {
  return Math.round(grams * 10) / 10
}
