// Runs the accounts part of a service as a separate process. The process locks the data directory that its first
// argument names, and listens for commands.
import { openAccounts } from '../../src/accounts/open-accounts.ts'
import { listenControl } from '../../src/control/control-socket.ts'
import { makeConfig } from './account-config.ts'

const config = makeConfig(Bun.argv[2])
const service = await openAccounts(config, { onProblem: (message) => console.error(message) })
service.startFlushing()
listenControl(config.dataDir, { ...service.operations, refreshNetwork: async () => ({}) })
console.log('ready')
