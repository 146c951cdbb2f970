// Processes for functions, like Lambda's sandboxes.

export type { FunctionVersion } from './src/pool/messages.ts';
export {
  createInvoke,
  createProcessPool,
  type FunctionSource,
  type Invocation,
  type ProcessPool,
} from './src/pool/process-pool.ts';
export { createSpareSandbox, noSpareSandbox, PROCESS_FILE } from './src/pool/sandbox.ts';
export { BACKGROUND_PROCESSES, ONE_PROCESS, REQUEST_PROCESSES } from './src/pool/slots.ts';
