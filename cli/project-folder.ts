import { fileURLToPath } from 'node:url';

// Asked for when they are needed: in a bundle, which is CommonJS, there is no address to go by.

/** The folder of this project, absolute, without a slash at its end. */
export const projectFolder = (): string => fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

export const sampleWorkflowsFolder = (): string => `${projectFolder()}/workflows`;
