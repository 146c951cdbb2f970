/** The workflows of this repository, which the build reads from their files. */
declare module 'sample-workflows' {
  const definitions: readonly Readonly<Record<string, unknown>>[];
  export default definitions;
}
