// `bun run release` builds everything for a version in dist/release: binaries for each platform, Debian packages, the
// operator's kit, the client, the bill of materials, the release notes, and the checksums of all files. Binaries that
// this machine can run are started once, as a check.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { billOfMaterials } from './build/bill-of-materials.ts'
import { fetchBun } from './build/bun-runtimes.ts'
import { writeClient } from './build/client.ts'
import { compile, prepareParts, ROOT } from './build/compile.ts'
import { EPOCH_SECONDS, writeDebianPackage } from './build/debian-package.ts'
import { documentChanges } from './build/document-changes.ts'
import { releaseNotes } from './build/release-notes.ts'
import { CLIENT_FILE } from './client/client-package.ts'
import { writeKit } from './kit/kit.ts'
import { sha256OfFile } from './system/file-hashes.ts'
import { VERSION } from './system/version.ts'

interface ReleasedPlatform {
  /** The name of the platform, used in the name of the binary. */
  readonly name: string
  readonly target: Bun.Build.CompileTarget
  /** The npm package that contains Bun for this platform. */
  readonly package: string
  /** Debian's name for the platform; absent if no Debian package is built for it. */
  readonly debian?: string
  /**
   * The command that runs the binary on this machine, without the binary itself. It is empty if the binary runs
   * directly, and undefined if this machine cannot run it.
   */
  readonly runner: () => readonly string[] | undefined
}

const isLinux = (arch: string) => process.platform === 'linux' && process.arch === arch
const DIRECTLY: readonly string[] = []

const PLATFORMS: readonly ReleasedPlatform[] = [
  {
    name: 'linux-x64',
    target: 'bun-linux-x64-baseline',
    package: '@oven/bun-linux-x64-baseline',
    debian: 'amd64',
    runner: () => (isLinux('x64') ? DIRECTLY : undefined),
  },
  {
    name: 'linux-x64-musl',
    target: 'bun-linux-x64-musl',
    package: '@oven/bun-linux-x64-musl',
    runner: () => (isLinux('x64') && existsSync('/lib/ld-musl-x86_64.so.1') ? DIRECTLY : undefined),
  },
  {
    name: 'linux-arm64',
    target: 'bun-linux-arm64',
    package: '@oven/bun-linux-aarch64',
    debian: 'arm64',
    runner: () => (isLinux('arm64') ? DIRECTLY : emulatorOfArm()),
  },
  {
    name: 'darwin-arm64',
    target: 'bun-darwin-arm64',
    package: '@oven/bun-darwin-aarch64',
    runner: () => (process.platform === 'darwin' && process.arch === 'arm64' ? DIRECTLY : undefined),
  },
]

/**
 * The QEMU command. Undefined if QEMU is not installed, or if the libraries that an arm64 binary loads are missing:
 * they are expected in QEMU_LD_PREFIX or in this machine's /lib.
 */
function emulatorOfArm(): readonly string[] | undefined {
  const libraries = process.env['QEMU_LD_PREFIX'] ?? ''
  if (!existsSync(join(libraries, '/lib/ld-linux-aarch64.so.1'))) return undefined
  const found = ['qemu-aarch64-static', 'qemu-aarch64'].map((name) => Bun.which(name)).find((path) => path !== null)
  return found === undefined || found === null ? undefined : [found]
}

const out = join(ROOT, 'dist', 'release')
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const parts = await prepareParts()
for (const platform of PLATFORMS) await releasePlatform(platform)
await releaseKit()
await writeClient(join(out, CLIENT_FILE))
writeFileSync(
  join(out, 'quai.cdx.json'),
  billOfMaterials({ version: VERSION, bunVersion: Bun.version }, parts.packages),
)
writeFileSync(join(out, 'CHANGES.md'), await releaseNotes(ROOT, VERSION, await documentChanges(ROOT, VERSION)))
await writeChecksums()

async function releasePlatform({ name, target, package: bun, debian, runner }: ReleasedPlatform): Promise<void> {
  const executablePath = await fetchBun(bun, join(ROOT, 'dist', 'runtimes'))
  const binary = join(out, `quai-${VERSION}-${name}`)
  await compile(binary, parts, { target, executablePath })
  chmodSync(binary, 0o755)
  console.log(`${name}: ${(statSync(binary).size / 1e6).toFixed(1)} MB, ${await startOnce(binary, runner())}`)
  if (debian === undefined) return
  if (Bun.which('dpkg-deb') === null) {
    console.log(`${name}: no Debian package, because dpkg-deb is not installed`)
    return
  }
  const work = mkdtempSync(join(tmpdir(), 'quai-debian-'))
  chmodSync(work, 0o755)
  const file = join(out, `quai_${VERSION}_${debian}.deb`)
  await writeDebianPackage(file, work, { version: VERSION, architecture: debian, binary })
}

/** Starts the binary and checks that it prints its version. Returns a description of the result. */
async function startOnce(binary: string, runner: readonly string[] | undefined): Promise<string> {
  if (runner === undefined) return 'not started: this machine cannot run it'
  const version = (await Bun.$`${runner} ${binary} --version`.quiet().text()).trim()
  if (version !== VERSION) throw new Error(`${binary} reports version ${version}; expected ${VERSION}`)
  return `started: version ${version}`
}

async function releaseKit(): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'quai-kit-'))
  try {
    writeKit(join(work, 'quai-kit'), true)
    const file = join(out, `quai-kit-${VERSION}.tar.gz`)
    const fixed = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${EPOCH_SECONDS}`]
    await Bun.$`tar ${fixed} -C ${work} -cf - quai-kit | gzip -n > ${file}`.quiet()
  } finally {
    rmSync(work, { recursive: true })
  }
}

/** Writes one line per file, in the format of `sha256sum --check`. */
async function writeChecksums(): Promise<void> {
  const lines: string[] = []
  for (const name of readdirSync(out).sort()) {
    lines.push(`${await sha256OfFile(join(out, name))}  ${name}\n`)
  }
  writeFileSync(join(out, 'SHA256SUMS'), lines.join(''))
  console.log(`dist/release: ${lines.length} files of version ${VERSION}, their checksums in SHA256SUMS`)
}
