import { createBareHandler } from './bare-handler.ts';

/** The handler of a bare function, deployed separately to measure its start. */
export const handler = createBareHandler(
  process.env.DYNAMODB_ENDPOINT ?? '',
  JSON.parse(process.env.BENCH_WRITES ?? '[]'),
);
