// Checks of the machine: ports, file descriptors, memory, and the disk that holds the data directory.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import { connectControl } from '../control/control-socket.ts'
import { descriptorLimit } from '../system/descriptors.ts'
import { isErrno } from '../system/errno.ts'
import { tryPort } from '../system/ports.ts'
import { listListeners } from '../system/tcp-table.ts'
import { type Check, type Finding, fault, ok, warning } from './check.ts'

/**
 * If the process may open fewer file descriptors than this, a warning is reported. Connections from one address can use
 * 1 000 descriptors, and files, threads and the admin port use a few hundred.
 */
const FEWEST_DESCRIPTORS = 4_096
const FEWEST_MEGABYTES = { memory: 512, disk: 2_048, leastDisk: 200 }
const MEGABYTE = 1024 ** 2
/** Types of network file systems, as returned by `statfs` on Linux. Their locks and syncs are not reliable. */
const REMOTE = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
])

/** All checks of the machine. */
export function machineChecks(config: Config): Check[] {
  return [
    { part: 'ports', run: () => checkPorts(config) },
    { part: 'descriptors', run: async () => [checkDescriptors(descriptorLimit())] },
    { part: 'memory', run: async () => [checkMemory(totalmem())] },
    { part: 'disk', run: async () => checkDisk(config.dataDir) },
  ]
}

async function checkPorts(config: Config): Promise<Finding[]> {
  const isRunning = existsSync(config.dataDir) && (await connectControl(config.dataDir)) !== undefined
  const ports = [
    ['port', config.bind, config.port],
    ['account_port', config.bind, config.accountPort],
    ['admin_port', config.adminBind, config.adminPort],
    ['explorer_port', config.bind, config.explorerPort],
  ] as const
  const checks = ports.map(async ([setting, hostname, port]) => {
    const place = `${setting} ${hostname}:${port}`
    const problem = problemOfPort(hostname, port)
    if (problem === undefined) return ok('ports', `${place} is free`)
    const isOwn = isRunning && (await holds(config.dataDir, port))
    return isOwn ? ok('ports', `${place} is in use by the running service`) : fault('ports', `${place}: ${problem}`)
  })
  return await Promise.all(checks)
}

/** Whether the running service listens on a port. Also true if the system does not show which process is listening. */
async function holds(dataDir: string, port: number): Promise<boolean> {
  try {
    const folder = `/proc/${readFileSync(join(dataDir, 'lock.pid'), 'utf8').trim()}/fd`
    const links = new Set(readdirSync(folder).map((name) => linkOf(join(folder, name))))
    return (await listListeners(port)).some((socket) => links.has(`socket:[${socket}]`))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'EACCES', 'EPERM')) return true // another user's process, or not on Linux
    throw error
  }
}

/** The target of a file descriptor's link; empty if the descriptor was closed in the meantime. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return ''
    throw error
  }
}

function problemOfPort(hostname: string, port: number): string | undefined {
  const cause = tryPort(hostname, port)
  if (cause === undefined) return undefined
  if (isErrno(cause, 'EADDRINUSE')) return 'another process uses this port. Stop that process, or choose another port'
  if (isErrno(cause, 'EACCES', 'EPERM'))
    return 'this user is not allowed to open this port. Choose a port above 1023, or grant CAP_NET_BIND_SERVICE'
  if (isErrno(cause, 'EADDRNOTAVAIL')) return 'this machine does not have this address. Correct "bind" or "admin_bind"'
  return `the port cannot be opened: ${cause instanceof Error ? cause.message : cause}. Correct "bind" or "admin_bind"`
}

/**
 * Checks the limit on open files.
 * @param limit undefined if the limit is unknown or there is none
 */
export function checkDescriptors(limit: number | undefined): Finding {
  if (limit === undefined || limit >= FEWEST_DESCRIPTORS)
    return ok('descriptors', `${limit ?? 'any number of'} open files are allowed`)
  return warning(
    'descriptors',
    `this process can only open ${limit} files, so idle connections are closed early. Set LimitNOFILE=65536 in the systemd unit, or run "ulimit -n 65536"`,
  )
}

/**
 * Checks the size of the machine's memory.
 * @param bytes size of the memory
 */
export function checkMemory(bytes: number): Finding {
  const megabytes = Math.round(bytes / MEGABYTE)
  return megabytes < FEWEST_MEGABYTES.memory
    ? warning('memory', `the machine has ${megabytes} MB of RAM; ${FEWEST_MEGABYTES.memory} MB are needed for one city`)
    : ok('memory', `the machine has ${megabytes} MB of RAM`)
}

/** Checks that files in the data directory can be written, synced and renamed, and that the disk has enough free space. */
export function checkDisk(dataDir: string): Finding[] {
  const folder = existing(dataDir)
  if (!statSync(folder).isDirectory()) return [fault('disk', `${folder} is not a folder. Correct data_dir`)]
  const found = [checkWrites(dataDir, folder)]
  const { bavail, bsize, type } = statfsSync(folder)
  const free = Math.round((bavail * bsize) / MEGABYTE)
  const remote = REMOTE.get(Number(type) >>> 0)
  if (remote !== undefined) {
    found.push(
      warning(
        'disk',
        `${folder} is on ${remote}, so written files can be lost. Put data_dir on a disk of this machine`,
      ),
    )
  }
  const space = `${free} MB are free in ${folder}`
  if (free < FEWEST_MEGABYTES.leastDisk)
    found.push(fault('disk', `${space}: too little to import a feed. Free some space`))
  else if (free < FEWEST_MEGABYTES.disk)
    found.push(warning('disk', `${space}, which may be too little: three snapshots of each network are kept`))
  else found.push(ok('disk', space))
  return found
}

function checkWrites(dataDir: string, folder: string): Finding {
  const path = join(folder, `.quai-doctor-${process.pid}`)
  try {
    const file = openSync(`${path}.part`, 'wx', 0o600)
    try {
      writeSync(file, 'doctor')
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(`${path}.part`, path)
    return folder === dataDir
      ? ok('disk', `${dataDir} can be written`)
      : ok('disk', `${dataDir} does not exist; it can be created in ${folder}`)
  } catch (error) {
    if (isErrno(error, 'EACCES', 'EPERM', 'EROFS'))
      return fault('disk', `${folder} cannot be written by this user. Change its owner, or correct data_dir`)
    if (isErrno(error, 'ENOSPC', 'EDQUOT')) return fault('disk', `${folder} is full. Free some space`)
    return fault(
      'disk',
      `${folder} cannot be written: ${error instanceof Error ? error.message : error}. Correct data_dir`,
    )
  } finally {
    for (const leftover of [path, `${path}.part`]) rmSync(leftover, { force: true })
  }
}

/** The path itself if it exists, otherwise the nearest folder above it that exists. */
function existing(path: string): string {
  const above = dirname(path)
  return existsSync(path) || above === path ? path : existing(above)
}
