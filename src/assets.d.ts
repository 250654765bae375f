// Files that are embedded: an import of one is its path, on disk or inside the binary.
declare module '*.gz' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: an embedded file's path is its default export.
  export default path
}
