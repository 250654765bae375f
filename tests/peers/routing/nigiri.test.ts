// The tests of motis-project/nigiri's search, run on our planner. Fails if ours misses a journey that is best according
// to its authors, or finds an additional one.
import { askPeers } from './ask-peers.ts'
import { NIGIRI } from './nigiri.ts'

askPeers('motis-project/nigiri', NIGIRI)
