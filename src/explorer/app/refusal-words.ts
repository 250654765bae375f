// Explains, in the user's language, why an API call was refused. The request drawer shows the API's own message.
import type { Refusal } from './api-client.ts'
import { texts } from './texts/texts.ts'

/** The sentence that explains a refusal, chosen by its reason. */
export function refusalSentence({ reason }: Pick<Refusal, 'reason'>): string {
  const { refusals } = texts()
  const sentence = Object.entries(refusals).find(([known]) => known === reason)?.[1]
  return sentence ?? refusals.unknown
}
