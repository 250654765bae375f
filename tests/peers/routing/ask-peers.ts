// Runs the tests of another planner on Quai's planner: each query must have the answer that the test states.
import { describe, expect, test } from 'bun:test'
import { type PeerAsk, type PeerFile, PeerNetwork } from './peer-network.ts'

/** Declares the tests from one repository. @param repository `owner/name` */
export function askPeers(repository: string, files: readonly PeerFile[]): void {
  for (const { file, cases } of files) {
    describe(`${repository} ${file}`, () => {
      test.each(cases.map((each) => [each.test, each] as const))('%s', async (_, { feed, asks }) => {
        const network = await PeerNetwork.of(feed)
        for (const ask of asks) {
          const { gives } = ask
          const answer: PeerAsk = { ...ask, gives: network.answer(ask) }
          expect(answer).toEqual(ask)
          if (ask.isOneMoment !== true) expect(network.answerTurned(ask).map(timesOf)).toEqual(gives.map(timesOf))
        }
      })
    })
  }
}

/** A journey's times and its number of changes, without its trips. */
function timesOf(journey: string): string {
  const [leaves, arrives, ...ridden] = journey.split(' ')
  return `${leaves} ${arrives} ${ridden.filter((word) => word === '>').length}`
}
