// The Debian package. It contains the binary, the systemd unit and example settings, and creates the user that the
// service runs as. The same binary always gives the same package, byte for byte.
import { chmodSync, copyFileSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { KIT_FILES } from '../kit/kit.ts'

/** The parts of a package. */
interface DebianParts {
  readonly version: string
  /** `amd64` or `arm64`. */
  readonly architecture: string
  /** Path of the binary. */
  readonly binary: string
}

/** The modification time of all files in the package: 2026-01-01 UTC. */
export const EPOCH_SECONDS = 1_767_225_600

const POST_INSTALL = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  if ! getent passwd quai >/dev/null; then
    useradd --system --user-group --home-dir /var/lib/quai --shell /usr/sbin/nologin quai
  fi
  mkdir -p /etc/quai /var/lib/quai
  chown root:quai /etc/quai
  chmod 750 /etc/quai
  chown quai:quai /var/lib/quai
  chmod 700 /var/lib/quai
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    if systemctl is-active --quiet quai; then systemctl restart quai; fi
  fi
fi
`

const PRE_REMOVE = `#!/bin/sh
set -e
if [ "$1" = remove ]; then
  if [ -d /run/systemd/system ]; then systemctl stop quai || true; fi
  if command -v systemctl >/dev/null; then systemctl disable quai || true; fi
fi
`

const POST_REMOVE = `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
if [ "$1" = purge ]; then
  echo "Kept: /etc/quai and /var/lib/quai, with the settings, accounts and keys. To delete them: rm -r /etc/quai /var/lib/quai"
fi
`

/** Writes a package with `dpkg-deb`. @param work an empty folder, removed afterwards */
export async function writeDebianPackage(out: string, work: string, parts: DebianParts): Promise<void> {
  const files: readonly (readonly [path: string, text: string, mode: number])[] = [
    ['DEBIAN/control', controlText(parts), 0o644],
    ['DEBIAN/postinst', POST_INSTALL, 0o755],
    ['DEBIAN/prerm', PRE_REMOVE, 0o755],
    ['DEBIAN/postrm', POST_REMOVE, 0o755],
    // The package has its own systemd unit. The unit in the kit is for a binary that was copied by hand.
    ['lib/systemd/system/quai.service', unitText(), 0o644],
    ['usr/share/doc/quai/examples/quai.toml', KIT_FILES['quai.toml'] ?? '', 0o644],
    ['usr/share/doc/quai/README.md', KIT_FILES['README.md'] ?? '', 0o644],
  ]
  for (const [path, text, mode] of files) {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    writeFileSync(join(work, path), text)
    settle(join(work, path), mode)
  }
  const binary = join(work, 'usr/bin/quai')
  mkdirSync(dirname(binary), { recursive: true })
  copyFileSync(parts.binary, binary)
  settle(binary, 0o755)
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(EPOCH_SECONDS) }
  await Bun.$`dpkg-deb --root-owner-group -Zgzip --build ${work} ${out}`.env(env).quiet()
  rmSync(work, { recursive: true })
}

function settle(path: string, mode: number): void {
  chmodSync(path, mode)
  utimesSync(path, EPOCH_SECONDS, EPOCH_SECONDS)
}

function unitText(): string {
  const unit = KIT_FILES['quai.service'] ?? ''
  const head = unit.indexOf('[Unit]')
  return `# Quai under systemd. The settings are in /etc/quai/quai.toml, secrets in /etc/quai/environment.\n${unit
    .slice(head)
    .replace('/usr/local/bin/quai', '/usr/bin/quai')}`
}

function controlText({ version, architecture, binary }: DebianParts): string {
  return `Package: quai
Version: ${version}
Architecture: ${architecture}
Maintainer: Quai <quai@localhost>
Installed-Size: ${Math.ceil(statSync(binary).size / 1024)}
Depends: libc6, passwd
Recommends: ca-certificates
Section: net
Priority: optional
Description: public-transport data service
 Reads timetables (GTFS), live feeds (GTFS-Realtime), French addresses and
 OpenStreetMap extracts, and serves them as a fast, metered HTTP API.
`
}
