import { createBareHandler } from './bare-handler.ts';

/** As a function of its own, for its start. */
export const handler = createBareHandler(
  process.env.DYNAMODB_ENDPOINT ?? '',
  JSON.parse(process.env.BENCH_WRITES ?? '[]'),
);
