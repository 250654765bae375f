// Runs the tests of aubryio/minotor on our planner. Fails if our planner misses a journey that is best according to the
// author of the tests, or finds an additional journey.
import { askPeers } from './ask-peers.ts'
import { MINOTOR } from './minotor.ts'

askPeers('aubryio/minotor', MINOTOR)
