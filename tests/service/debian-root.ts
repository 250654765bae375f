// An empty Debian, for tests of what operators install. debootstrap creates its root file system with what every server
// has: systemd, certificates, `curl` and `ip`, but neither Node nor Bun. This root file system is created once, in the
// system's temporary folder. Each test gets a copy that runs in its own namespaces, so it cannot interfere with ports
// or processes of this machine.
import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const RELEASE = 'bookworm'
const MIRROR = 'http://deb.debian.org/debian'
const MORE_PACKAGES = 'systemd,ca-certificates,curl,iproute2'
const CACHED = join(tmpdir(), `quai-debian-${RELEASE}-${process.arch}`)
/** Programs that this machine must have. */
const PROGRAMS = ['debootstrap', 'dpkg-deb', 'unshare', 'nsenter', 'chroot'] as const
const SEARCHED = `${process.env['PATH']}:/usr/sbin:/sbin`
/** Marks the end of a command's output; the exit status follows. */
const END = '--- ended with'
const STATUS_LINE = /^--- ended with (\d+)$/m

/** Why no root file system can be created on this machine; undefined if one can. */
export function whyNoDebian(): string | undefined {
  if (process.platform !== 'linux') return 'this is not Linux'
  if (process.getuid?.() !== 0) return 'the tests do not run as root'
  const missing = PROGRAMS.find((program) => Bun.which(program, { PATH: SEARCHED }) === null)
  return missing === undefined ? undefined : `${missing} is not installed`
}

/** Creates the root file system that all tests copy, unless it exists. Takes half a minute. */
export async function prepareDebian(): Promise<void> {
  if (existsSync(CACHED)) return
  const made = mkdtempSync(`${CACHED}-`)
  try {
    const words = ['--variant=minbase', `--include=${MORE_PACKAGES}`, RELEASE, made, MIRROR]
    await Bun.$`debootstrap ${words}`.env({ ...process.env, PATH: SEARCHED }).quiet()
    chmodSync(made, 0o755) // mkdtemp creates the folder for root only, but other users must be able to enter it
    renameSync(made, CACHED)
  } catch (error) {
    if (!existsSync(CACHED)) throw error // unless another run has created the root file system meanwhile
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** The output of a command on stdout and stderr, and its exit status. */
export interface TypedCommand {
  readonly status: number
  readonly output: string
}

/** A copy of the root file system with a root shell. Variables and jobs remain from one command to the next. */
export class DebianRoot {
  readonly folder: string
  private readonly shell: Bun.Subprocess<'pipe', 'pipe', 'inherit'>
  private readonly printed: AsyncIterator<Uint8Array>
  private readonly decoder = new TextDecoder()
  private readonly others: Bun.Subprocess[] = []

  private constructor(folder: string) {
    this.folder = folder
    const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', `--mount-proc=${join(folder, 'proc')}`]
    this.shell = Bun.spawn(['unshare', ...namespaces, 'chroot', folder, '/bin/sh'], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
      // Since systemd is not process 1 here, systemctl can enable and disable units, but not start them.
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8', SYSTEMD_OFFLINE: '1' },
    })
    this.printed = this.shell.stdout[Symbol.asyncIterator]()
  }

  /** Copies the root file system and opens the shell, in the folder /root. */
  static async open(): Promise<DebianRoot> {
    const folder = mkdtempSync(join(tmpdir(), 'quai-debian-root-'))
    await Bun.$`cp -a ${CACHED}/. ${folder}`.quiet()
    const root = new DebianRoot(folder)
    const { status, output } = await root.type('exec 2>&1; cd /root; ip link set lo up')
    if (status !== 0) throw new Error(`the loopback interface is not up: ${output}`)
    return root
  }

  /** Runs a command line in the shell and waits until it has ended. */
  async type(line: string): Promise<TypedCommand> {
    this.shell.stdin.write(`${line}\nprintf '\\n${END} %s\\n' $?\n`)
    await this.shell.stdin.flush()
    let output = ''
    for (;;) {
      const ended = STATUS_LINE.exec(output)
      if (ended !== null) return { status: Number(ended[1]), output: output.slice(0, ended.index).trim() }
      const { done, value } = await this.printed.next()
      if (done === true) throw new Error(`the shell ended at ${line}: ${output}`)
      output += this.decoder.decode(value, { stream: true })
    }
  }

  path(...names: string[]): string {
    return join(this.folder, ...names)
  }

  /** Puts a file into the root file system. */
  put(name: string, content: string | Uint8Array): void {
    writeFileSync(this.path(name), content)
  }

  /** Copies a file from this machine into the root file system. */
  copy(from: string, name: string): void {
    cpSync(from, this.path(name))
  }

  /** Serves a local file over HTTP to programs in the root file system; returns the URL. */
  async serveFile(file: string, port: number): Promise<string> {
    const server = `Bun.serve({ hostname: '127.0.0.1', port: ${port}, fetch: () => new Response(Bun.file(${JSON.stringify(file)})) })`
    const net = `--net=/proc/${this.shell.pid}/ns/net`
    this.others.push(
      Bun.spawn(['nsenter', net, process.execPath, '-e', server], { stdout: 'ignore', stderr: 'inherit' }),
    )
    const url = `http://127.0.0.1:${port}/gtfs.zip`
    const requested = await this.type(
      `curl -s -o /dev/null --retry 50 --retry-delay 1 --retry-connrefused --fail ${url}`,
    )
    if (requested.status !== 0) throw new Error(`${url} does not answer: ${requested.output}`)
    return url
  }

  /** Ends everything that runs in the root file system, and removes it. */
  async remove(): Promise<void> {
    for (const other of this.others) other.kill('SIGKILL')
    this.shell.kill('SIGKILL')
    await this.shell.exited
    rmSync(this.folder, { recursive: true, force: true })
  }
}
