// The tests of planarnetwork/raptor, run on our planner. Fails if ours misses a journey that is best according to its
// author, or finds an additional one.
import { askPeers } from './ask-peers.ts'
import { PLANARNETWORK } from './planarnetwork.ts'

askPeers('planarnetwork/raptor', PLANARNETWORK)
