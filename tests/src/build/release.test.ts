// Tests the contents of a release: its list of API changes, the Bun executable that is downloaded for another platform,
// and the Debian package. Fails if a download with a wrong checksum is accepted, or if packaging the same binary twice
// gives different packages.
import { afterAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchBun } from '../../../src/build/bun-runtimes.ts'
import { writeDebianPackage } from '../../../src/build/debian-package.ts'
import { documentChanges } from '../../../src/build/document-changes.ts'
import { releaseNotes } from '../../../src/build/release-notes.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-release-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the changes', () => {
  const write = (name: string, text: string) => {
    const root = join(folder, name)
    mkdirSync(join(root, 'src/docs/guides'), { recursive: true })
    writeFileSync(join(root, 'src/docs/guides/changelog.md'), text)
    return root
  }

  test('are those not released yet, if there are any, else those of the version', async () => {
    const released = '# Changelog\n\n## 0.2.0 – 2026-12-01\n\n- Two.\n\n## 0.1.0\n\n- One.\n'
    expect(await releaseNotes(write('released', released), '0.2.0')).toBe('# Quai 0.2.0\n\n- Two.\n')
    expect(await releaseNotes(write('released', released), '0.1.0')).toBe('# Quai 0.1.0\n\n- One.\n')
    const coming = released.replace('## 0.2.0', '## Unreleased\n\n- Three.\n\n## 0.2.0')
    expect(await releaseNotes(write('coming', coming), '0.3.0')).toBe('# Quai 0.3.0\n\n- Three.\n')
  })

  test('are required', async () => {
    const root = write('none', '# Changelog\n\n## 0.2.0\n\n- Two.\n')
    expect(releaseNotes(root, '0.2')).rejects.toThrow('the changelog has no section 0.2')
  })
})

describe('the changes to the API documents', () => {
  const STOPS = { get: { parameters: [{ in: 'query', name: 'limit' }] } }
  const Stop = { properties: { id: {} } }

  test('are the additions since the newest tag of another version', async () => {
    const root = join(folder, 'documents')
    const write = (paths: object, schemas: object) => {
      mkdirSync(join(root, 'tests/golden'), { recursive: true })
      const text = JSON.stringify({ paths, components: { schemas } })
      for (const name of ['openapi.json', 'account-openapi.json']) writeFileSync(join(root, 'tests/golden', name), text)
    }
    const release = async (tag: string) => {
      const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
      await Bun.$`git init -q ${root} && git -C ${root} add . && git -C ${root} ${author} commit -qm ${tag}`.quiet()
      await Bun.$`git -C ${root} tag ${tag}`.quiet()
    }
    write({ '/v1/stops': STOPS }, { Stop })
    await release('v0.9.0')
    expect(await documentChanges(root, '0.9.0')).toBeUndefined()
    const nearby = { in: 'query', name: 'near' }
    const stops = { get: { parameters: [...STOPS.get.parameters, nearby] }, post: {} }
    const trip = { properties: { id: {} } }
    write({ '/v1/stops': stops, '/v1/trips': { get: {} } }, { Stop: { properties: { id: {}, zone: {} } }, Trip: trip })
    await release('v0.10.0')
    const added = [
      '- New route: `GET /v1/trips`',
      '- New route: `POST /v1/stops`',
      '- New parameter for `GET /v1/stops`: `near` (query)',
      '- New member in `Stop`: `zone`',
    ].join('\n')
    const section = `## Changes to the API documents since v0.9.0\n\n### Data API\n\n${added}\n\n### Account API\n\n${added}\n`
    expect(await documentChanges(root, '0.10.0')).toBe(section)
    const nothing = '### Data API\n\nNothing new.\n\n### Account API\n\nNothing new.\n'
    expect(await documentChanges(root, '0.11.0')).toBe(`## Changes to the API documents since v0.10.0\n\n${nothing}`)
  })
})

describe('Bun for a platform', () => {
  const NAME = '@oven/bun-linux-aarch64'

  /**
   * Starts a registry with one package, whose executable has the content `program`. The registry states the package's
   * checksum if `integrityOf` equals `program`, and a wrong checksum otherwise.
   */
  async function serve(program: string, integrityOf: string) {
    const work = mkdtempSync(join(folder, 'package-'))
    mkdirSync(join(work, 'package/bin'), { recursive: true })
    writeFileSync(join(work, 'package/bin/bun'), program)
    await Bun.$`tar -czf ${join(work, 'bun.tgz')} -C ${work} package`.quiet()
    const tarball = readFileSync(join(work, 'bun.tgz'))
    const hashed = integrityOf === program ? tarball : integrityOf
    const integrity = `sha512-${createHash('sha512').update(hashed).digest('base64')}`
    const requested: string[] = []
    const registry = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => {
        const { pathname, origin } = new URL(url)
        requested.push(pathname)
        if (pathname === '/bun.tgz') return new Response(tarball)
        return Response.json({ dist: { tarball: `${origin}/bun.tgz`, integrity } })
      },
    })
    return { registry, requested, url: `http://127.0.0.1:${registry.port}/` }
  }

  test('is fetched once, in the version of this Bun', async () => {
    const { registry, requested, url } = await serve('the program', 'the program')
    try {
      const kept = join(folder, 'kept')
      const path = await fetchBun(NAME, kept, url)
      expect(readFileSync(path, 'utf8')).toBe('the program')
      expect(await fetchBun(NAME, kept, url)).toBe(path)
      expect(requested).toEqual([`/@oven%2fbun-linux-aarch64/${Bun.version}`, '/bun.tgz'])
    } finally {
      await registry.stop(true)
    }
  })

  test('is rejected if its checksum is not the registry’s, and nothing is kept', async () => {
    const { registry, url } = await serve('another', 'the program')
    try {
      const kept = join(folder, 'refused')
      expect(fetchBun(NAME, kept, url)).rejects.toThrow('the registry has')
      expect(existsSync(kept)).toBe(false)
    } finally {
      await registry.stop(true)
    }
  })
})

test.if(Bun.which('dpkg-deb') !== null)(
  'a Debian package has the binary, the unit and an example, and is reproducible',
  async () => {
    const binary = join(folder, 'quai')
    writeFileSync(binary, 'a binary')
    const make = async (name: string) => {
      const file = join(folder, name)
      await writeDebianPackage(file, mkdtempSync(join(folder, 'work-')), {
        version: '1.2.3',
        architecture: 'arm64',
        binary,
      })
      return file
    }
    const [first, second] = [await make('one.deb'), await make('two.deb')]
    expect(readFileSync(first).equals(readFileSync(second))).toBe(true)
    expect((await Bun.$`dpkg-deb --field ${first} Package Version Architecture`.text()).trim()).toBe(
      'Package: quai\nVersion: 1.2.3\nArchitecture: arm64',
    )
    const unpacked = join(folder, 'unpacked')
    await Bun.$`dpkg-deb --raw-extract ${first} ${unpacked}`.quiet()
    expect(readFileSync(join(unpacked, 'usr/bin/quai'), 'utf8')).toBe('a binary')
    const unit = readFileSync(join(unpacked, 'lib/systemd/system/quai.service'), 'utf8')
    expect(unit).toContain('ExecStart=/usr/bin/quai serve --config /etc/quai/quai.toml')
    expect(unit).not.toContain('/usr/local')
    expect(readFileSync(join(unpacked, 'usr/share/doc/quai/examples/quai.toml'), 'utf8')).toContain('[[networks]]')
    const listed = await Bun.$`dpkg-deb --contents ${first}`.text()
    expect(listed).toMatch(/^-rwxr-xr-x root\/root .* \.\/usr\/bin\/quai$/m)
  },
)
