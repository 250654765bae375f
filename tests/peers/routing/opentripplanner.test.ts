// The tests of OpenTripPlanner's raptor, run on our planner. Fails if ours misses a journey that its authors know to be
// best, or finds an additional one.
import { askPeers } from './ask-peers.ts'
import { OPENTRIPPLANNER } from './opentripplanner.ts'

askPeers('opentripplanner/OpenTripPlanner', OPENTRIPPLANNER)
