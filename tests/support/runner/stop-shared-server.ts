/** Jest's `globalTeardown`, which it wants in a file of its own. */
export { stopSharedServer as default } from './shared-server.ts';
