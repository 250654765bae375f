// Operations on networks that commands can call on a running server.
import { Type } from '@sinclair/typebox'

/** The operations and their arguments. */
export const NETWORK_OPERATION_INPUTS = {
  refreshNetwork: Type.Object({ network: Type.String() }),
}

/** Result of serving a network's newest snapshot. */
export interface RefreshedNetwork {
  /** Why the network is not served; absent if it is served. */
  readonly problem?: string
}

/** The result of each operation. */
export interface NetworkOperationOutputs {
  refreshNetwork: RefreshedNetwork
}
