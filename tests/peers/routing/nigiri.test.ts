// Runs the tests of motis-project/nigiri's search on our planner. Fails if our planner misses a journey that is best
// according to the authors of the tests, or finds an additional journey.
import { askPeers } from './ask-peers.ts'
import { NIGIRI } from './nigiri.ts'

askPeers('motis-project/nigiri', NIGIRI)
