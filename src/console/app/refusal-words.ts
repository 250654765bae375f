// Explains in the user's language why a request was refused. The refusal's reason selects the sentence.
import type { Refusal } from './account-client.ts'
import { texts } from './texts/texts.ts'

/**
 * The reason of all refusals that come from the console and not from the service. The message of such a refusal is the
 * sentence to show.
 */
export const OWN_REASON = 'console'

/** The sentence that explains a refusal. */
export function refusalSentence({ reason, message }: Refusal): string {
  if (reason === OWN_REASON) return message
  const { refusals } = texts()
  const sentence = Object.entries(refusals).find(([known]) => known === reason)?.[1]
  return sentence ?? refusals.unknown
}
