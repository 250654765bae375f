// Runs the tests of hove-io/navitia's raptor on our planner. Fails if our planner misses a journey that is best
// according to the authors of the tests, or finds an additional journey.
import { askPeers } from './ask-peers.ts'
import { NAVITIA } from './navitia.ts'

askPeers('hove-io/navitia', NAVITIA)
