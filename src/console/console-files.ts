// The console's files: a compressed page, script, style sheet and logo. build.ts embeds them in the binary; when
// running from source, they are bundled on the first request.
import { join } from 'node:path'
import { packAppPage } from '../pages/app-page.ts'
import { hashedName, type PageFile, packFile, packMark, SCRIPT_TYPE, STYLE_TYPE } from '../pages/page-files.ts'

/** Defined by build.ts; not defined when running from source. */
declare const EMBEDDED_CONSOLE_FILES: readonly PageFile[]

const APP = join(import.meta.dir, 'app')

/** Returns the console's files: embedded in the binary, or bundled from source. */
export async function consoleFiles(): Promise<readonly PageFile[]> {
  return typeof EMBEDDED_CONSOLE_FILES === 'undefined' ? bundleConsole() : EMBEDDED_CONSOLE_FILES
}

/** The options with which the console's script and style sheet are bundled. */
export function consoleBundle() {
  return {
    entrypoints: [join(APP, 'main.tsx'), join(APP, 'styles.css')],
    target: 'browser',
    minify: true,
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    define: { 'process.env.NODE_ENV': '"production"' },
  } satisfies Bun.BuildConfig
}

/** Bundles the console from its sources. Throws if they do not compile. */
export async function bundleConsole(): Promise<readonly PageFile[]> {
  const built = await Bun.build(consoleBundle())
  const [code, styles] = [await outputOf(built, '.js'), await outputOf(built, '.css')]
  const files = [
    packFile(hashedName('console', 'js', code), SCRIPT_TYPE, code),
    packFile(hashedName('console', 'css', styles), STYLE_TYPE, styles),
    await packMark(),
  ]
  const [script = '', style = '', mark = ''] = files.map(({ path }) => `/console/${path}`)
  const withoutScript = 'The console needs JavaScript. You can also create keys on the server with "quai keys create".'
  const page = { title: 'Quai console', id: 'console', files: { script, style, mark }, withoutScript }
  return [packAppPage(page), ...files]
}

async function outputOf(built: Awaited<ReturnType<typeof Bun.build>>, ending: string): Promise<string> {
  const output = built.outputs.find((each) => each.path.endsWith(ending))
  if (output === undefined) throw new Error(`the console's bundle has no file that ends in ${ending}`)
  return output.text()
}
