// The version of this program: a part of every ETag, and what `quai --version` prints.
import manifest from '../../package.json' with { type: 'json' }

/** As in package.json. */
export const VERSION: string = manifest.version
