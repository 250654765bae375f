// The tests of motis-project/nigiri's search, run on our planner. Fails if ours misses a journey that its authors know
// to be best, or finds an additional one.
import { askPeers } from './ask-peers.ts'
import { NIGIRI } from './nigiri.ts'

askPeers('motis-project/nigiri', NIGIRI)
