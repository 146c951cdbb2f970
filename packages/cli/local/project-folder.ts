import { fileURLToPath } from 'node:url';

// Functions, not constants: `import.meta.url` is missing in a bundle, which is CommonJS.

/** The folder of this project, absolute, without a trailing slash. */
export const projectFolder = (): string =>
  fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

export const sampleWorkflowsFolder = (): string => `${projectFolder()}/workflows`;

/** Returns the caller's folder, to which paths are relative: `npm run cli` changes to the project's folder first. */
export const callerFolder = (env: Readonly<Record<string, string | undefined>>): string =>
  env.npm_lifecycle_event === 'cli' && env.INIT_CWD !== undefined ? env.INIT_CWD : '.';
