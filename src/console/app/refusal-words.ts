// Explains in the user's language why a request was refused. The reason of the refusal selects the sentence.
import type { Refusal } from './account-client.ts'
import { texts } from './texts/texts.ts'

/** The reason of refusals that come from the console, not from the service. Each of them contains its own sentence. */
export const OWN_REASON = 'console'

/** A sentence for a refusal. */
export function refusalSentence({ reason, message }: Refusal): string {
  if (reason === OWN_REASON) return message
  const { refusals } = texts()
  const sentence = Object.entries(refusals).find(([known]) => known === reason)?.[1]
  return sentence ?? refusals.unknown
}
