// What the console is made of: a page, a script, a style sheet and a mark, packed. The binary carries them, since
// build.ts puts them in; from source they are bundled when the console is first asked for.
import { join } from 'node:path'

/** A file of the console. */
export interface ConsoleFile {
  /** Path under /console, without a slash before it; empty for the page itself. Others than the page carry a hash. */
  readonly path: string
  readonly type: string
  /** Base64 of the bytes under gzip. */
  readonly packed: string
}

/** Put in by build.ts in place of the name; there is no such name when running from source. */
declare const EMBEDDED_CONSOLE_FILES: readonly ConsoleFile[]

const APP = join(import.meta.dir, 'app')
const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'
const GZIP_LEVEL = 9

/** The console's files: those of the binary, or made of the sources. */
export async function consoleFiles(): Promise<readonly ConsoleFile[]> {
  return typeof EMBEDDED_CONSOLE_FILES === 'undefined' ? bundleConsole() : EMBEDDED_CONSOLE_FILES
}

/** Bundles the console from its sources. Throws where they do not compile. */
export async function bundleConsole(): Promise<readonly ConsoleFile[]> {
  const built = await Bun.build({
    entrypoints: [join(APP, 'main.tsx'), join(APP, 'styles.css')],
    target: 'browser',
    minify: true,
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const script = await outputOf(built, '.js')
  const style = await outputOf(built, '.css')
  const mark = await Bun.file(join(APP, 'mark.svg')).text()
  const files = [
    packed(hashedName('console', 'js', script), SCRIPT, script),
    packed(hashedName('console', 'css', style), STYLE, style),
    packed(hashedName('mark', 'svg', mark), 'image/svg+xml', mark),
  ]
  const [scriptPath, stylePath, markPath] = files.map((file) => file.path)
  const page = PAGE.replace('{script}', `/console/${scriptPath}`)
    .replace('{style}', `/console/${stylePath}`)
    .replace('{mark}', `/console/${markPath}`)
  return [packed('', 'text/html; charset=utf-8', page), ...files]
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Quai console</title>
<link rel="icon" type="image/svg+xml" href="{mark}">
<link rel="stylesheet" href="{style}">
<script type="module" src="{script}"></script>
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript. Keys can also be made on the server, with "quai keys create".</noscript>
</body>
</html>
`

async function outputOf(built: Awaited<ReturnType<typeof Bun.build>>, ending: string): Promise<string> {
  const output = built.outputs.find((each) => each.path.endsWith(ending))
  if (output === undefined) throw new Error(`the console's bundle has no ${ending}`)
  return output.text()
}

/** A name that changes with the content, so that the file may be kept for ever. */
function hashedName(name: string, ending: string, content: string): string {
  return `${name}-${Bun.hash.xxHash64(content).toString(36)}.${ending}`
}

function packed(path: string, type: string, content: string): ConsoleFile {
  const bytes = Bun.gzipSync(Buffer.from(content), { level: GZIP_LEVEL })
  return { path, type, packed: Buffer.from(bytes).toString('base64') }
}
