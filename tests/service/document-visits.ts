// Defines how tests run the commands in documents: the sections, the site where they run, and the values that replace
// sample values. Also lists the commands that the tests cannot run, each with the reason and the file that runs it
// instead.

/**
 * Where the commands of a section run. `demo`: while a demo runs. `feeds`: in a folder with feeds. `settings`: in a
 * folder with feeds, a `quai.toml` and an account. `cluster`: while one replica of a cluster runs.
 */
export type Site = 'demo' | 'feeds' | 'settings' | 'cluster'

/** Sections of a document whose commands run in one shell, one after the other. */
export interface Visit {
  readonly document: string
  readonly site: Site
  /** Headings of the sections whose commands run; all sections if absent. */
  readonly sections?: readonly string[]
}

/** Visits that use the demo come last, since the demo starts while the other visits run. */
export const VISITS: readonly Visit[] = [
  { document: 'README.md', site: 'feeds', sections: ['Your own feed'] },
  { document: 'src/docs/guides/configure.md', site: 'settings' },
  { document: 'src/docs/guides/france.md', site: 'settings' },
  { document: 'src/docs/guides/operate.md', site: 'feeds', sections: ['First start'] },
  { document: 'src/docs/guides/operate.md', site: 'cluster', sections: ['Several replicas'] },
  { document: 'src/docs/guides/replicas.md', site: 'cluster' },
  { document: 'README.md', site: 'demo', sections: ['Two commands', 'Five minutes'] },
  { document: 'src/docs/guides/quick-start.md', site: 'demo' },
  { document: 'src/docs/guides/typescript.md', site: 'demo' },
  { document: 'src/docs/guides/benchmark.md', site: 'demo' },
]

/** Names of feed files that documents mention. The folder of each visit contains all of them. */
export const FEED_FILES = ['strasbourg-cts-2026.zip', 'city.zip', 'feed.zip'] as const

/** The values that replace sample values in commands. */
export interface Filling {
  /** Base URL of the service, without a trailing slash. */
  readonly base: string
  readonly key: string
  /** URL of the timetable. */
  readonly feedUrl: string
}

/** A command with the given values instead of the sample values, and with benchmarks that end sooner. */
export function fill(line: string, { base, key, feedUrl }: Filling): string {
  return line
    .replaceAll('{base_url}', base)
    .replaceAll('http://localhost:8080', base)
    .replaceAll('quai_p_…', key)
    .replaceAll('https://transport.data.gouv.fr/resources/12345/download', feedUrl)
    .replace('autocannon -c 50 -d 10 ', 'autocannon -c 5 -a 50 ')
    .replace('autocannon -c 50 -p 4 -d 10 ', 'autocannon -c 5 -p 4 -a 80 ')
    .replace('autocannon -c 4 -d 10 ', 'autocannon -c 1 -a 3 ')
}

/** Why a command cannot run in these tests, and which file runs it instead. */
export interface Elsewhere {
  readonly why: string
  /** The file in this repository that runs the command. */
  readonly runBy: string
}

const BY_EACH_RUN = { why: 'it tests or measures for minutes to hours', runBy: 'tests/run.ts' }
const DOCKER = { why: 'it needs Docker; the files that it reads are tested', runBy: 'tests/src/kit/kit.test.ts' }

/** Command → why the document tests cannot run it, and which file runs it instead. */
export const ELSEWHERE: Readonly<Record<string, Elsewhere>> = {
  'bun install': { why: 'every run of the tests begins with it', runBy: 'package.json' },
  'bun run demo': {
    why: 'it would remove the packages that tests need; the demo that it starts is visited here',
    runBy: 'tests/service/demo-process.ts',
  },
  'bun run test': BY_EACH_RUN,
  'bun run test:full': BY_EACH_RUN,
  'bun run check': { why: 'CI runs its three parts', runBy: '.ci/run' },
  'bun run bench': { why: 'CI runs its short form', runBy: '.ci/run' },
  'bun run advisories': { why: 'CI runs it; it queries a registry', runBy: '.ci/run' },
  'bun run build': { why: 'CI runs it, and tests call the binary', runBy: '.ci/run' },
  'sha256sum dist/quai': { why: 'it needs the binary, and prints what a reader compares', runBy: '.ci/run' },
  'bun run client': { why: 'it writes into the repository', runBy: 'tests/service/client.test.ts' },
  'bun run release': { why: 'it builds for all platforms', runBy: 'tests/src/build/release.test.ts' },
  'bun run contracts': { why: 'it writes into the repository', runBy: 'tests/src/build/contracts.test.ts' },
  'bun run test:storm --minutes 60 --seed 1': { why: 'it takes an hour', runBy: 'tests/storm/run.ts' },
  'quai ledger late bill me@example.org 2026-10': {
    why: 'it needs units that arrive after a month was closed',
    runBy: 'tests/src/accounts/late-usage.test.ts',
  },
  'docker compose up --detach --build': DOCKER,
  'docker compose exec quai quai keys create --account me@example.org --plan max --name first --config /etc/quai/quai.toml':
    DOCKER,
  'docker build --build-arg BASE=debian:12-slim@sha256:… -t quai .': DOCKER,
}
