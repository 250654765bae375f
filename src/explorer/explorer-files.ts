// The explorer's compressed files: its script, MapLibre's worker, chunks that the script and the worker share, a style
// sheet, a logo and the world's outline. build.ts embeds these files in the binary. If Quai runs from source, they are
// bundled on the first request.
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashedName, type PageFile, packFile, packMark, SCRIPT_TYPE, STYLE_TYPE } from '../pages/page-files.ts'
import { makeOutline } from './outline.ts'

/** Defined by build.ts. It is not defined when Quai runs from source. */
declare const EMBEDDED_EXPLORER_FILES: ExplorerFiles

/** The explorer's files. The page links to the files in `named`. */
export interface ExplorerFiles {
  readonly files: readonly PageFile[]
  readonly named: {
    readonly script: string
    readonly style: string
    readonly mark: string
    readonly worker: string
    readonly outline: string
    /** The modules that the script imports as soon as it loads. */
    readonly modules: readonly string[]
  }
}

const APP = join(import.meta.dir, 'app')

/** Returns the explorer's files: those embedded in the binary or, when running from source, newly bundled ones. */
export async function explorerFiles(): Promise<ExplorerFiles> {
  return typeof EMBEDDED_EXPLORER_FILES === 'undefined' ? bundleExplorer() : EMBEDDED_EXPLORER_FILES
}

/** How the explorer's scripts and style sheets are bundled. */
export function explorerBundle() {
  const mapLibre = join(dirname(fileURLToPath(import.meta.resolve('maplibre-gl'))), '..', 'src')
  return {
    entrypoints: [join(APP, 'main.tsx'), join(APP, 'styles.css'), join(mapLibre, 'source', 'worker.ts')],
    target: 'browser',
    minify: true,
    // The page and the worker share half of MapLibre. Splitting puts that half into a shared chunk, so that it is sent
    // only once.
    splitting: true,
    naming: { entry: '[name]-[hash].[ext]', chunk: 'shared-[hash].[ext]' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    // MapLibre redeclares fields that its base classes set. The setting in tsconfig.json keeps a redeclaration from
    // resetting its field to undefined.
    tsconfig: join(APP, 'tsconfig.json'),
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [mapLibreFromSource(mapLibre)],
  } satisfies Bun.BuildConfig
}

/** Bundles the explorer from its sources. Throws if they do not compile. */
export async function bundleExplorer(): Promise<ExplorerFiles> {
  const built = await Bun.build(explorerBundle())
  const files = await Promise.all(
    built.outputs.map(async (output) =>
      packFile(basename(output.path), output.path.endsWith('.css') ? STYLE_TYPE : SCRIPT_TYPE, await output.text()),
    ),
  )
  const outline = await makeOutline()
  const outlineFile = packFile(hashedName('outline', 'json', outline), 'application/json', outline)
  const markFile = await packMark()
  return {
    files: [...files, outlineFile, markFile],
    named: {
      script: nameOf(files, /^main-.*\.js$/),
      style: nameOf(files, /\.css$/),
      worker: nameOf(files, /^worker-.*\.js$/),
      mark: markFile.path,
      outline: outlineFile.path,
      modules: await importsOf(built.outputs),
    },
  }
}

/**
 * Bundles MapLibre's map from its sources. MapLibre's own bundles are a third larger, because they include the
 * controls, and because each contains the code that the page and the worker share.
 */
function mapLibreFromSource(folder: string): Bun.BunPlugin {
  const from = (path: string) => JSON.stringify(join(folder, path))
  return {
    name: 'maplibre-gl from its sources',
    setup(build) {
      build.onResolve({ filter: /^maplibre-gl$/ }, () => ({ path: 'maplibre-gl', namespace: 'parts' }))
      build.onLoad({ filter: /.*/, namespace: 'parts' }, () => ({
        loader: 'ts',
        contents: `export { Map } from ${from('ui/map.ts')}
export { addProtocol } from ${from('source/protocol_crud.ts')}
import { config } from ${from('util/config.ts')}
export const setWorkerUrl = (url: string) => { config.WORKER_URL = url }`,
      }))
    },
  }
}

/** The file names of the modules that the entry script imports statically. */
async function importsOf(outputs: readonly Bun.BuildArtifact[]): Promise<string[]> {
  const names = outputs.map(({ path }) => basename(path))
  const script = outputs[names.findIndex((name) => name.startsWith('main-') && name.endsWith('.js'))]
  const text = (await script?.text()) ?? ''
  return names.filter((name) => text.includes(`from"./${name}"`) || text.includes(`import"./${name}"`))
}

function nameOf(files: readonly PageFile[], pattern: RegExp): string {
  const file = files.find(({ path }) => pattern.test(path))
  if (file === undefined) throw new Error(`the explorer's bundle has no file that matches ${pattern}`)
  return file.path
}
