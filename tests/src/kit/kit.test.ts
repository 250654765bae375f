// Tests the operator's kit. Fails if one of its files is missing or changed, if a sample uses settings or commands that
// this version does not have, or if an operator's own file is overwritten.
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { TrustedProxies } from '../../../src/access/client-address.ts'
import { COMMANDS } from '../../../src/commands/command-table.ts'
import { runKit } from '../../../src/commands/kit.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { findUnknownEnvironment } from '../../../src/config/config-document.ts'
import { KIT_FILES } from '../../../src/kit/kit.ts'
import { HAPROXY, hasHaproxy } from '../../service/haproxy.ts'
import { KeptOutput } from '../account-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-kit-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const SOURCE = join(import.meta.dir, '..', '..', '..', 'src', 'kit')
/** The operations guide, which the kit contains as README.md. */
const GUIDE = join(SOURCE, '..', 'docs', 'guides', 'operate.md')

test('the kit has every file of its folder, unchanged', () => {
  const target = join(folder, 'a', 'new', 'one')
  const io = new KeptOutput()
  expect(runKit({ folder: target, isForced: false }, io)).toBe(0)
  const names = readdirSync(SOURCE).filter((name) => name !== 'kit.ts')
  expect(readdirSync(target).sort()).toEqual(['README.md', ...names].sort())
  expect(readFileSync(join(target, 'README.md'), 'utf8')).toBe(readFileSync(GUIDE, 'utf8'))
  for (const name of names) {
    const [written, source] = [join(target, name), join(SOURCE, name)].map((path) => readFileSync(path, 'utf8'))
    if (name.endsWith('.json')) expect(JSON.parse(written ?? '')).toEqual(JSON.parse(source ?? ''))
    else expect(written).toBe(source)
  }
})

const NFT = Bun.which('nft') ?? '/usr/sbin/nft'
test.skipIf(!existsSync(NFT) || process.getuid?.() !== 0)('the connection limits are valid nftables rules', () => {
  const checked = Bun.spawnSync([NFT, '-c', '-f', join(SOURCE, 'nftables.conf')])
  expect(`${checked.stderr}`).toBe('')
  expect(checked.exitCode).toBe(0)
})

test("an operator's own files stay, unless requested otherwise", () => {
  const target = join(folder, 'own')
  expect(runKit({ folder: target, isForced: false }, new KeptOutput())).toBe(0)
  writeFileSync(join(target, 'quai.toml'), 'port = 9000\n')
  const io = new KeptOutput()
  expect(runKit({ folder: target, isForced: false }, io)).toBe(1)
  expect(io.err).toContain(`${join(target, 'quai.toml')} exists and differs`)
  expect(readFileSync(join(target, 'quai.toml'), 'utf8')).toBe('port = 9000\n')
  expect(runKit({ folder: target, isForced: true }, new KeptOutput())).toBe(0)
  expect(readFileSync(join(target, 'quai.toml'), 'utf8')).toBe(KIT_FILES['quai.toml'] ?? '')
})

/** Uncomments commented-out settings, so that they are checked too. */
const uncommented = (toml: string) => toml.replace(/^# (?=[a-z_]+ = |\[)/gm, '')

test('the sample settings are valid, also with everything commented out', () => {
  const env = { OPERATOR_KEY: 'k', SMTP_PASSWORD: 'p' }
  const sample = KIT_FILES['quai.toml'] ?? ''
  const file = join(folder, 'sample.toml')
  writeFileSync(file, sample)
  expect(loadConfig({ file, env }).networks.map(({ id }) => id)).toEqual(['ville'])
  // In the sample, commented-out top-level settings are before the first table, so they remain top-level.
  const whole = uncommented(sample)
  writeFileSync(file, whole)
  const config = loadConfig({ file, env })
  expect([config.audience, config.mail?.user, config.networks[0]?.feeds[0]?.budget]).toEqual([
    'api.example.org',
    'quai',
    { limit: 5000, window: 'day' },
  ])
})

test('the settings of a replica are valid, and its balancer checks the readiness port', () => {
  const file = join(folder, 'replica.toml')
  writeFileSync(file, KIT_FILES['quai-replica.toml'] ?? '')
  const env = { DATABASE_PASSWORD: 'p', S3_KEY: 'k', S3_SECRET: 's' }
  const { cluster, adminPort, drainSeconds } = loadConfig({ file, env })
  expect(cluster?.snapshots?.bucket).toBe('quai')
  const balancer = KIT_FILES['haproxy.cfg'] ?? ''
  const [, port, inter, fall] = /check port (\d+) inter (\d+)s fall (\d+)/.exec(balancer) ?? []
  expect(Number(port)).toBe(adminPort)
  expect(drainSeconds).toBeGreaterThan(Number(inter) * Number(fall))
  const [compose] = documents('compose-replicas.yaml') as { services: Record<string, { volumes?: string[] }> }[]
  const replicas = Object.keys(compose?.services ?? {}).filter((name) => /^quai-\d$/.test(name))
  expect(replicas).toHaveLength(3)
  for (const name of replicas) expect(balancer).toContain(`server ${name} ${name}:8080`)
})

if (!hasHaproxy()) console.error('left out: the balancer of the kit (HAProxy is not installed)')

test.skipIf(!hasHaproxy())('the balancer configuration is valid for HAProxy', () => {
  const checked = Bun.spawnSync([HAPROXY, '-c', '-f', join(SOURCE, 'haproxy.cfg')])
  expect(`${checked.stderr}${checked.stdout}`).toContain('Configuration file is valid')
})

test('every way to start it trusts the proxy that the kit puts in front', () => {
  const env = { OPERATOR_KEY: 'k', SMTP_PASSWORD: 'p' }
  const file = join(folder, 'proxies.toml')
  writeFileSync(file, KIT_FILES['quai.toml'] ?? '')
  expect(loadConfig({ file, env }).trustedProxies).toEqual(['127.0.0.1', '::1'])
  const [compose] = documents('compose.yaml') as { services: { quai: { environment: Record<string, string> } } }[]
  const inDocker = loadConfig({ file, env: { ...env, ...compose?.services.quai.environment } })
  // This is the gateway of Docker's own network. Connections to published ports arrive from it.
  expect(new TrustedProxies(inDocker.trustedProxies).isTrusted('172.17.0.1')).toBe(true)
  const [configMap] = documents('kubernetes.yaml') as { data?: Record<string, string> }[]
  writeFileSync(file, configMap?.data?.['quai.toml'] ?? '')
  expect(loadConfig({ file, env: {} }).trustedProxies).toEqual(['10.0.0.0/8'])
})

test('manifests and unit use existing settings and commands', () => {
  const texts = [
    'quai.service',
    'Dockerfile',
    'compose.yaml',
    'kubernetes.yaml',
    'kubernetes-replicas.yaml',
    'README.md',
  ].map((name) => KIT_FILES[name])
  const names = texts.flatMap((text) => text?.match(/\bQUAI_[A-Z_]+\b/g) ?? [])
  expect(names.length).toBeGreaterThan(5)
  expect(findUnknownEnvironment(Object.fromEntries(names.map((name) => [name, '1'])))).toEqual([])
  const words = new Set(COMMANDS.map((row) => row.words))
  const used = (KIT_FILES['README.md'] ?? '').matchAll(
    /\bquai ((?:keys|accounts|ledger|config) [a-z-]+|serve|import|backup|kit)\b/g,
  )
  const unknown = [...used].map(([, each = '']) => each).filter((each) => !words.has(each))
  expect(unknown).toEqual([])
})

/** Parses the documents in a YAML file of the kit. */
const documents = (name: string): unknown[] => {
  const parsed = Bun.YAML.parse(KIT_FILES[name] ?? '')
  return Array.isArray(parsed) ? parsed : [parsed]
}

test('three replicas on Kubernetes have cluster settings, and enough time to stop', () => {
  const all = documents('kubernetes-replicas.yaml') as { kind?: string; data?: Record<string, string>; spec?: object }[]
  expect(all.map(({ kind }) => kind)).toEqual([
    'ConfigMap',
    'Secret',
    'StatefulSet',
    'PodDisruptionBudget',
    'Service',
    'Service',
    'Service',
  ])
  const file = join(folder, 'kubernetes-replicas.toml')
  writeFileSync(file, all[0].data?.['quai.toml'] ?? '')
  const env = (all[1] as { stringData: Record<string, string> }).stringData
  const { cluster, drainSeconds, pepperFile } = loadConfig({ file, env })
  expect(cluster?.snapshots?.bucket).toBe('quai')
  const { replicas, template } = all[2].spec as { replicas: number; template: { spec: PodSpec } }
  expect(replicas).toBe(3)
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + 12)
  const paths = template.spec.containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ mountPath }) => mountPath))
  expect(paths).toContain(dirname(pepperFile ?? ''))
})

interface PodSpec {
  readonly terminationGracePeriodSeconds: number
  readonly containers: readonly { readonly volumeMounts: readonly { readonly mountPath: string }[] }[]
}

test('the YAML files have the structure that their programs read', () => {
  const kinds = documents('kubernetes.yaml').map((each) => (each as { kind?: string }).kind)
  expect(kinds).toEqual(['ConfigMap', 'Secret', 'StatefulSet', 'Service', 'Service'])
  const [configMap] = documents('kubernetes.yaml') as { data?: Record<string, string> }[]
  const file = join(folder, 'kubernetes.toml')
  writeFileSync(file, configMap?.data?.['quai.toml'] ?? '')
  expect(loadConfig({ file, env: {} }).networks).toHaveLength(1)
  const [rules] = documents('alerts.yaml') as { groups: { rules: Record<string, unknown>[] }[] }[]
  const all = rules?.groups.flatMap((group) => group.rules) ?? []
  expect(all.length).toBeGreaterThan(10)
  for (const rule of all) {
    expect(rule).toMatchObject({ labels: { severity: expect.stringMatching(/^(critical|warning)$/) } })
    expect(String((rule['annotations'] as { summary?: string }).summary)).not.toBe('undefined')
  }
  expect(documents('compose.yaml')).toHaveLength(1)
  expect(documents('prometheus.yaml')).toHaveLength(1)
})
