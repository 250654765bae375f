// What hove-io/navitia tests of its raptor, asked of our planner. Fails by a journey that its authors know to be best and
// that ours does not find, or by one that it finds beside.
import { askPeers } from './ask-peers.ts'
import { NAVITIA } from './navitia.ts'

askPeers('hove-io/navitia', NAVITIA)
