// The operator's kit: systemd unit, images, manifests, alerts, dashboard and notes, embedded in the binary and written
// by `quai kit DIR`.
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import readme from '../docs/guides/operate.md' with { type: 'text' }
import { isErrno } from '../system/errno.ts'
import alerts from './alerts.yaml' with { type: 'text' }
import compose from './compose.yaml' with { type: 'text' }
import composeReplicas from './compose-replicas.yaml' with { type: 'text' }
import dockerfile from './Dockerfile' with { type: 'text' }
import dashboard from './grafana-dashboard.json' with { type: 'json' }
import haproxy from './haproxy.cfg' with { type: 'text' }
import kubernetes from './kubernetes.yaml' with { type: 'text' }
import kubernetesReplicas from './kubernetes-replicas.yaml' with { type: 'text' }
import silentConnections from './nftables.conf' with { type: 'text' }
import prometheus from './prometheus.yaml' with { type: 'text' }
import unit from './quai.service' with { type: 'text' }
import settings from './quai.toml' with { type: 'text' }
import replicaSettings from './quai-replica.toml' with { type: 'text' }

/** The files of the kit: name → content. */
export const KIT_FILES: Readonly<Record<string, string>> = {
  'README.md': readme,
  'quai.toml': settings,
  'quai.service': unit,
  Dockerfile: dockerfile,
  'compose.yaml': compose,
  'compose-replicas.yaml': composeReplicas,
  'haproxy.cfg': haproxy,
  'quai-replica.toml': replicaSettings,
  'kubernetes.yaml': kubernetes,
  'kubernetes-replicas.yaml': kubernetesReplicas,
  'nftables.conf': silentConnections,
  'prometheus.yaml': prometheus,
  'alerts.yaml': alerts,
  'grafana-dashboard.json': `${JSON.stringify(dashboard, null, 2)}\n`,
}

/**
 * What `writeKit` did with a file of the kit. `kept`: a file with other contents already existed and was not
 * overwritten.
 */
export interface KitFile {
  readonly path: string
  readonly outcome: 'written' | 'same' | 'kept'
}

/** Writes the kit into a folder, which may be new. Without `isForced`, existing files with other contents are kept. */
export function writeKit(folder: string, isForced: boolean): KitFile[] {
  mkdirSync(folder, { recursive: true })
  return Object.entries(KIT_FILES).map(([name, text]) => {
    const path = join(folder, name)
    return { path, outcome: writeFile(path, text, isForced) }
  })
}

function writeFile(path: string, text: string, isForced: boolean): KitFile['outcome'] {
  try {
    const file = openSync(path, 'wx')
    try {
      writeFileSync(file, text)
    } finally {
      closeSync(file)
    }
    return 'written'
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  }
  if (readFileSync(path, 'utf8') === text) return 'same'
  if (!isForced) return 'kept'
  writeFileSync(path, text)
  return 'written'
}
