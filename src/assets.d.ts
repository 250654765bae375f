// Files that are embedded: an import of one is its path, on disk or inside the binary.
declare module '*.gz' {
  const path: string
  export default path
}
