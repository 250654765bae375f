// What motis-project/nigiri tests of its search, asked of our planner. Fails by a journey that its authors know to be best
// and that ours does not find, or by one that it finds beside.
import { askPeers } from './ask-peers.ts'
import { NIGIRI } from './nigiri.ts'

askPeers('motis-project/nigiri', NIGIRI)
