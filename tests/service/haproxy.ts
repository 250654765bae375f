// Runs HAProxy in front of several services, on two ports: one in `http` mode, and one in `tcp` mode.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Path of the HAProxy executable, which may not be installed. */
export const HAPROXY = Bun.which('haproxy') ?? '/usr/sbin/haproxy'

export function hasHaproxy(): boolean {
  return existsSync(HAPROXY)
}

export type ProxyMode = 'http' | 'tcp'

/** A service behind the proxy: its port, and the port of its readiness check. */
export interface ProxiedServer {
  readonly port: number
  readonly check: number
}

/** Starts HAProxy in the foreground. Writes its configuration into the given folder. */
export function startHaproxy(
  folder: string,
  ports: Readonly<Record<ProxyMode, number>>,
  servers: readonly ProxiedServer[],
): Bun.Subprocess {
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, proxyConfig(ports, servers))
  return Bun.spawn([HAPROXY, '-q', '-db', '-f', file], { stdout: 'ignore', stderr: 'ignore' })
}

/** A configuration like the sample in the guide operate.md, but for both modes and with more frequent checks. */
function proxyConfig(ports: Readonly<Record<ProxyMode, number>>, servers: readonly ProxiedServer[]): string {
  const lines = servers
    .map(({ port, check }) => `  server s${port} 127.0.0.1:${port} check port ${check} inter 100ms fall 1 rise 1\n`)
    .join('')
  const part = (mode: ProxyMode) => `listen ${mode}
  mode ${mode}
  bind 127.0.0.1:${ports[mode]}
  balance roundrobin
  option httpchk GET /readyz
${lines}`
  return `global
  maxconn 4096
defaults
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 2s
${part('http')}${part('tcp')}`
}
