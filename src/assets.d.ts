// Embedded files: importing one gives its path, on disk or inside the binary.
declare module '*.gz' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: an embedded file's path is its default export.
  export default path
}

declare module '*.bin' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: an embedded file's path is its default export.
  export default path
}

// The word lists of zxcvbn, a package without type declarations.
declare module 'zxcvbn/lib/frequency_lists.js' {
  const lists: Readonly<Record<string, readonly string[]>>
  // biome-ignore lint/style/noDefaultExport: the package exports the object of its lists.
  export default lists
}

// Files of the operator's kit, which Quai writes out unchanged. Importing one gives its content.
declare module '*.service' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file's text is its default export.
  export default text
}
declare module '*.md' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file's text is its default export.
  export default text
}
declare module '*/nftables.conf' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file's text is its default export.
  export default text
}
declare module '*/haproxy.cfg' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file's text is its default export.
  export default text
}
declare module '*/Dockerfile' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file's text is its default export.
  export default text
}

// The stylesheet of the operator pages. Importing it gives its content.
declare module '*.css' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an embedded file's text is its default export.
  export default text
}
