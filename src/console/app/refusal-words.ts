// Why a request was refused, in the user's language, by its reason.
import type { Refusal } from './account-client.ts'
import { texts } from './texts/texts.ts'

/** The reason of refusals that the console itself makes; each has its own sentence. */
export const OWN_REASON = 'console'

/** A sentence for a refusal. */
export function refusalSentence({ reason, message }: Refusal): string {
  if (reason === OWN_REASON) return message
  const { refusals } = texts()
  const sentence = Object.entries(refusals).find(([known]) => known === reason)?.[1]
  return sentence ?? refusals.unknown
}
