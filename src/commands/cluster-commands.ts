// The commands for clusters of several replicas; part of the command table.
import { CONFIG, type CommandRow, JSON_OUTPUT } from './command-row.ts'

/** The rows of these commands in the command table. */
export const CLUSTER_COMMANDS: readonly CommandRow[] = [
  {
    words: 'pepper make',
    description: 'write a new pepper to a file; all replicas in a cluster need the same one',
    arguments: ['<file>'],
    examples: ['quai pepper make pepper'],
    work: async (typed) => (await import('./pepper.ts')).runPepperMake({ file: typed.word(0) }, typed.io),
  },
  {
    words: 'plans apply',
    description: "apply the configuration's plans to the cluster",
    options: [CONFIG],
    examples: ['quai plans apply --config /etc/quai/quai.toml'],
    work: async (typed) => (await import('./plans.ts')).runPlansApply(await typed.config(), typed.io),
  },
  {
    words: 'replicas list',
    description: 'list the replicas in a cluster',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai replicas list', "quai replicas list --json | jq '.replicas[] | select(.is_ready | not)'"],
    work: async (typed) =>
      (await import('./replicas.ts')).runReplicasList(await typed.config(), { json: typed.has('json') }, typed.io),
  },
  {
    words: 'roles',
    description: 'list the roles in a cluster, and which replica has each',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai roles', "quai roles --json | jq -r '.roles[] | select(.is_held).holder'"],
    work: async (typed) =>
      (await import('./replicas.ts')).runRoles(await typed.config(), { json: typed.has('json') }, typed.io),
  },
  {
    words: 'replicas forget',
    description: 'remove a replica that will not come back, and release its units',
    arguments: ['<id>'],
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai replicas forget 5a0c…'],
    notes:
      'Units that the removed replica had not flushed are counted when a replica is next started with its data directory.',
    work: async (typed) => {
      const { runReplicasForget } = await import('./replicas.ts')
      return await runReplicasForget(await typed.config(), { id: typed.word(0), json: typed.has('json') }, typed.io)
    },
  },
]
