// EventBridge, Scheduler, SQS and the streams of tables.

export { type Deliver, readDeadLetters } from './src/sources/deliver.ts';
export { findPatternProblem } from './src/sources/pattern/find-pattern-problem.ts';
export { createQueues, type DeliverBatch } from './src/sources/queues.ts';
export { createRules } from './src/sources/rules.ts';
export { readScheduleTimes } from './src/sources/schedule-times.ts';
export type { ScheduleClock } from './src/sources/schedules.ts';
export { readFailures, type Sources, serveSources } from './src/sources/serve-sources.ts';
export { openSourcesStore } from './src/sources/sources-state.ts';
export { createStreams, type StreamMapping } from './src/sources/streams.ts';
