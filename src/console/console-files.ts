// What the console is made of: a page, a script, a style sheet and a mark, packed. The binary carries them, since
// build.ts puts them in; from source they are bundled when the console is first asked for.
import { join } from 'node:path'
import { hashedName, type PageFile, packFile } from '../pages/page-files.ts'

/** Put in by build.ts in place of the name; there is no such name when running from source. */
declare const EMBEDDED_CONSOLE_FILES: readonly PageFile[]

const APP = join(import.meta.dir, 'app')
const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'

/** The console's files: those of the binary, or made of the sources. */
export async function consoleFiles(): Promise<readonly PageFile[]> {
  return typeof EMBEDDED_CONSOLE_FILES === 'undefined' ? bundleConsole() : EMBEDDED_CONSOLE_FILES
}

/** Bundles the console from its sources. Throws where they do not compile. */
export async function bundleConsole(): Promise<readonly PageFile[]> {
  const built = await Bun.build({
    entrypoints: [join(APP, 'main.tsx'), join(APP, 'styles.css')],
    target: 'browser',
    minify: true,
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const script = await outputOf(built, '.js')
  const style = await outputOf(built, '.css')
  const mark = await Bun.file(join(APP, '../../pages/app/mark.svg')).text()
  const files = [
    packFile(hashedName('console', 'js', script), SCRIPT, script),
    packFile(hashedName('console', 'css', style), STYLE, style),
    packFile(hashedName('mark', 'svg', mark), 'image/svg+xml', mark),
  ]
  const [scriptPath, stylePath, markPath] = files.map((file) => file.path)
  const page = PAGE.replace('{script}', `/console/${scriptPath}`)
    .replace('{style}', `/console/${stylePath}`)
    .replace('{mark}', `/console/${markPath}`)
  return [packFile('', 'text/html; charset=utf-8', page), ...files]
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
