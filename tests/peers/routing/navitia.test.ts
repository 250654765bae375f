// The tests of hove-io/navitia's raptor, run on our planner. Fails if ours misses a journey that its authors know to be
// best, or finds an additional one.
import { askPeers } from './ask-peers.ts'
import { NAVITIA } from './navitia.ts'

askPeers('hove-io/navitia', NAVITIA)
