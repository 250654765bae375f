// The version of this program, used in every ETag and by `quai --version`.
import manifest from '../../package.json' with { type: 'json' }

/** The version in package.json. */
export const VERSION: string = manifest.version
