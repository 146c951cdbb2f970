import { createBareHandler } from './bare-handler.ts';

/** As a separate function, to measure its start. */
export const handler = createBareHandler(
  process.env.DYNAMODB_ENDPOINT ?? '',
  JSON.parse(process.env.BENCH_WRITES ?? '[]'),
);
