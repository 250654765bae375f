// The tests of aubryio/minotor, run on our planner. Fails if ours misses a journey that is best according to its
// author, or finds an additional one.
import { askPeers } from './ask-peers.ts'
import { MINOTOR } from './minotor.ts'

askPeers('aubryio/minotor', MINOTOR)
