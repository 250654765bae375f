// What commands can ask of a running server about its networks.
import { type Static, Type } from '@sinclair/typebox'

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

/** All operations. */
export type NetworkOperations = {
  [Name in keyof typeof NETWORK_OPERATION_INPUTS]: (
    input: Static<(typeof NETWORK_OPERATION_INPUTS)[Name]>,
  ) => Promise<NetworkOperationOutputs[Name]>
}
