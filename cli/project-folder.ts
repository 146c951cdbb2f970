import { fileURLToPath } from 'node:url';

// Functions, not constants: `import.meta.url` is missing in a bundle, which is CommonJS.

/** The folder of this project, absolute, without a trailing slash. */
export const projectFolder = (): string => fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

export const sampleWorkflowsFolder = (): string => `${projectFolder()}/workflows`;
