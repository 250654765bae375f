// Connects commands to a running server: HTTP over a Unix socket that only its owner can open, one path per operation.
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type OperationOutputs as AccountOperationOutputs, OPERATION_INPUTS } from '../accounts/account-operations.ts'
import { AccountRefusal, StoreUnavailable } from '../accounts/account-store.ts'
import { NETWORK_OPERATION_INPUTS, type NetworkOperationOutputs } from '../imports/network-operations.ts'
import { DataDirBusy, DataDirUnusable } from '../system/data-dir-lock.ts'

/** The longest path of a Unix socket, in bytes. The kernel's limit is 108, including the terminating zero. */
const SOCKET_PATH_BYTES = 107
/** Timeout for finding out whether a server answers. It is long enough for a server on a busy machine. */
const GREETING_MILLIS = 10_000
/** Timeout for one operation. */
const OPERATION_MILLIS = 30_000
const REFUSED = 422
const UNAVAILABLE = 503
const OWNER_ONLY = 0o600
const OWNER_ONLY_MASK = 0o177

const INPUTS = { ...OPERATION_INPUTS, ...NETWORK_OPERATION_INPUTS }

type OperationName = keyof typeof INPUTS
type OperationInput<Name extends OperationName> = Static<(typeof INPUTS)[Name]>
interface OperationOutputs extends AccountOperationOutputs, NetworkOperationOutputs {}

/** The operations that commands can call on a running server. */
export type ControlOperations = {
  [Name in OperationName]: (input: OperationInput<Name>) => Promise<OperationOutputs[Name]>
}

/** Path of a data directory's control socket. */
export function controlSocketPath(dataDir: string): string {
  return join(dataDir, 'control.sock')
}

/** A listening control socket. */
export interface ControlSocket {
  close(): Promise<void>
}

/**
 * Listens for commands. The caller holds the data directory's lock, so an existing socket file is left over from an
 * earlier server.
 */
export function listenControl(dataDir: string, operations: ControlOperations): ControlSocket {
  const path = controlSocketPath(dataDir)
  if (Buffer.byteLength(path) > SOCKET_PATH_BYTES) {
    throw new DataDirUnusable(
      `data_dir is too long: the path of its control socket, ${path}, exceeds ${SOCKET_PATH_BYTES} bytes`,
    )
  }
  rmSync(path, { force: true })
  const mask = process.umask(OWNER_ONLY_MASK) // other users must not be able to open the socket at any time
  try {
    const server = Bun.serve({ unix: path, fetch: (request) => answer(request, operations) })
    chmodSync(path, OWNER_ONLY)
    return {
      async close() {
        await server.stop()
        rmSync(path, { force: true })
      },
    }
  } finally {
    process.umask(mask)
  }
}

/**
 * The operations of the server that uses a data directory; undefined if no server runs. Throws DataDirBusy if a server
 * runs but does not respond in time.
 */
export async function connectControl(dataDir: string): Promise<ControlOperations | undefined> {
  const path = controlSocketPath(dataDir)
  if (!existsSync(path)) return undefined
  try {
    await fetch('http://quai/', { unix: path, signal: AbortSignal.timeout(GREETING_MILLIS) })
  } catch (error) {
    if (!(error instanceof Error && error.name === 'TimeoutError')) return undefined // a leftover of a server that has ended
    throw new DataDirBusy(`the service that uses ${dataDir} does not respond on its control socket`)
  }
  return remoteOperations(path)
}

async function answer(request: Request, operations: ControlOperations): Promise<Response> {
  const name = new URL(request.url).pathname.slice(1)
  if (name === '') return Response.json({ service: 'quai' })
  if (request.method !== 'POST' || !isOperation(name))
    return Response.json(
      { message: 'the running service does not know this command; the service may be another version of Quai' },
      { status: 404 },
    )
  try {
    return Response.json(await perform(operations, name, await request.json()))
  } catch (error) {
    if (error instanceof AccountRefusal) {
      return Response.json({ reason: error.reason, message: error.message }, { status: REFUSED })
    }
    if (error instanceof StoreUnavailable) return Response.json({ message: error.message }, { status: UNAVAILABLE })
    return Response.json(
      { message: `${name} failed: ${error instanceof Error ? error.message : error}` },
      { status: 500 },
    )
  }
}

async function perform<Name extends OperationName>(
  operations: ControlOperations,
  name: Name,
  input: unknown,
): Promise<OperationOutputs[Name]> {
  if (!fits(name, input))
    throw new AccountRefusal(
      'invalid',
      "the running service does not accept this command's options; the service may be another version of Quai",
    )
  return operations[name](input)
}

function fits<Name extends OperationName>(name: Name, input: unknown): input is OperationInput<Name> {
  return Value.Check(INPUTS[name], input)
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(INPUTS, name)
}

function remoteOperations(path: string): ControlOperations {
  const call =
    <Name extends OperationName>(name: Name) =>
    async (input: OperationInput<Name>): Promise<OperationOutputs[Name]> => {
      const response = await fetch(`http://quai/${name}`, {
        unix: path,
        method: 'POST',
        body: JSON.stringify(input),
        signal: AbortSignal.timeout(OPERATION_MILLIS),
      })
      const body = JSON.parse(await response.text()) // the response comes from Quai's own server, so it has the declared type
      if (response.ok) return body
      if (response.status === REFUSED) throw new AccountRefusal(body.reason, body.message)
      if (response.status === UNAVAILABLE) throw new StoreUnavailable(body.message)
      throw new Error(body.message)
    }
  return {
    createKey: call('createKey'),
    listKeys: call('listKeys'),
    revokeKey: call('revokeKey'),
    listAccounts: call('listAccounts'),
    showAccount: call('showAccount'),
    setPlan: call('setPlan'),
    setSuspended: call('setSuspended'),
    removeFactor: call('removeFactor'),
    deleteAccount: call('deleteAccount'),
    listStatements: call('listStatements'),
    verifyLedger: call('verifyLedger'),
    refreshNetwork: call('refreshNetwork'),
  }
}
