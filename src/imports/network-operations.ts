// What commands can ask of a running server about its networks.
import { Type } from '@sinclair/typebox'

/** The operations, each with what it takes. */
export const NETWORK_OPERATION_INPUTS = {
  refreshNetwork: Type.Object({ network: Type.String() }),
}

/** What came of serving a network's newest snapshot. */
export interface RefreshedNetwork {
  /** Why it is not served; absent where it is. */
  readonly problem?: string
}

/** What an operation answers. */
export interface NetworkOperationOutputs {
  refreshNetwork: RefreshedNetwork
}
