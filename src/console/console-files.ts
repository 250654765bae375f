// What the console is made of: a page, a script, a style sheet and a mark, packed. The binary carries them, since
// build.ts puts them in; from source they are bundled when the console is first asked for.
import { join } from 'node:path'
import { packAppPage } from '../pages/app-page.ts'
import { hashedName, type PageFile, packFile, packMark, SCRIPT_TYPE, STYLE_TYPE } from '../pages/page-files.ts'

/** Put in by build.ts in place of the name; there is no such name when running from source. */
declare const EMBEDDED_CONSOLE_FILES: readonly PageFile[]

const APP = join(import.meta.dir, 'app')

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
  const [code, looks] = [await outputOf(built, '.js'), await outputOf(built, '.css')]
  const files = [
    packFile(hashedName('console', 'js', code), SCRIPT_TYPE, code),
    packFile(hashedName('console', 'css', looks), STYLE_TYPE, looks),
    await packMark(),
  ]
  const [script = '', style = '', mark = ''] = files.map(({ path }) => `/console/${path}`)
  const withoutScript = 'The console needs JavaScript. Keys can also be made on the server, with "quai keys create".'
  const page = { title: 'Quai console', id: 'console', files: { script, style, mark }, withoutScript }
  return [packAppPage(page), ...files]
}

async function outputOf(built: Awaited<ReturnType<typeof Bun.build>>, ending: string): Promise<string> {
  const output = built.outputs.find((each) => each.path.endsWith(ending))
  if (output === undefined) throw new Error(`the console's bundle has no ${ending}`)
  return output.text()
}
