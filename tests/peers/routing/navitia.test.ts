// The tests of hove-io/navitia's raptor, run on our planner. Fails if ours misses a journey that is best according to
// its authors, or finds an additional one.
import { askPeers } from './ask-peers.ts'
import { NAVITIA } from './navitia.ts'

askPeers('hove-io/navitia', NAVITIA)
