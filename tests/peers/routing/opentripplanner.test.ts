// The tests of OpenTripPlanner's raptor, run on our planner. Fails if ours misses a journey that is best according to
// its authors, or finds an additional one.
import { askPeers } from './ask-peers.ts'
import { OPENTRIPPLANNER } from './opentripplanner.ts'

askPeers('opentripplanner/OpenTripPlanner', OPENTRIPPLANNER)
