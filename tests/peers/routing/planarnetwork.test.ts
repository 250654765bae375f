// The tests of planarnetwork/raptor, run on our planner. Fails if ours misses a journey that its author knows to be
// best, or finds an additional one.
import { askPeers } from './ask-peers.ts'
import { PLANARNETWORK } from './planarnetwork.ts'

askPeers('planarnetwork/raptor', PLANARNETWORK)
