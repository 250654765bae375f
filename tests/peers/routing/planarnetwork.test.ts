// What planarnetwork/raptor tests of itself, asked of our planner. Fails by a journey that its author knows to be best and
// that ours does not find, or by one that it finds beside.
import { askPeers } from './ask-peers.ts'
import { PLANARNETWORK } from './planarnetwork.ts'

askPeers('planarnetwork/raptor', PLANARNETWORK)
