// Runs the tests of planarnetwork/raptor on our planner. Fails if our planner misses a journey that is best according
// to the author of the tests, or finds an additional journey.
import { askPeers } from './ask-peers.ts'
import { PLANARNETWORK } from './planarnetwork.ts'

askPeers('planarnetwork/raptor', PLANARNETWORK)
