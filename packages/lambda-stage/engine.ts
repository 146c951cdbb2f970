// Lambda's asynchronous invocations and durable executions.

export { createAsyncInvocations } from './src/engine/async-invocations.ts';
export {
  advance,
  answerCallback,
  applyUpdates,
  createDurableState,
  type DurableState,
  finish,
  LIMITS,
  nextDueAt,
  resume,
  visibleOperations,
} from './src/engine/durable-state.ts';
export { type FindLambdaFunction, startEngineServer } from './src/engine/engine-server.ts';
export { type Invoke, LocalEngine } from './src/engine/local-engine.ts';
export { type AsyncInvocation, openStateStore, type StateStore } from './src/engine/state-store.ts';
