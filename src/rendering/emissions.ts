// What a ride emits: grams of CO2 equivalent a passenger and kilometer, by mode.
//
// Source: ADEME, Base Empreinte (formerly Base Carbone), passenger transport in France, as published by Impact CO2
// (https://impactco2.fr/outils/transport, 2024): building of vehicles included, infrastructure not. Where ADEME has no
// figure for a mode, the row says which one stands in for it. An operator sets its own with `co2_grams_per_km`.
import type { ModeWord } from '../../indexes/timetable/modes.ts'

const BUS_DIESEL = 113
const BUS_ELECTRIC = 21.7
const TRAM = 4.28

/** Grams a passenger and kilometer. */
const GRAMS_PER_KM: Readonly<Record<ModeWord, number>> = {
  tram: TRAM,
  metro: 4.44,
  /** Regional trains (TER): most feeds of rail are of these. Suburban electric ones emit 9.78, long-distance 8.98. */
  rail: 27.7,
  bus: BUS_DIESEL,
  /** UK Government conversion factors 2023, ferry, foot passenger: ADEME has no figure for boats of a city. */
  ferry: 18.7,
  /** Electric traction like a tram's: these four have no figure of their own. */
  cable_tram: TRAM,
  aerial_lift: TRAM,
  funicular: TRAM,
  monorail: TRAM,
  /** As an electric bus. */
  trolleybus: BUS_ELECTRIC,
  coach: 29.5,
  /** Short flights, without condensation trails. */
  air: 141,
  /** As a car with combustion engine and one passenger. */
  taxi: 218,
  /** Most vehicles of public transport are buses. */
  other: BUS_DIESEL,
}

/** Grams of one ride, not rounded. @param own the network's own figures */
export function gramsOfRide(
  mode: ModeWord,
  meters: number,
  own: Readonly<Partial<Record<string, number>>> = {},
): number {
  return ((own[mode] ?? GRAMS_PER_KM[mode]) * meters) / 1000
}

/** Grams as answers give them: one decimal. */
export function roundGrams(grams: number): number {
  return Math.round(grams * 10) / 10
}
