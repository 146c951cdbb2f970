import { createTokenBuckets } from '../../adapters/dynamodb/limits/token-buckets.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { createLimitCallsToSelf, type LimitCallsToSelf } from '../../webhooks/limits/limit-calls-to-self.ts';
import { rememberBuckets } from '../../webhooks/limits/token-bucket.ts';

const MAX_BUCKETS = 1_000;

export const openLimitCallsToSelf = ({ client, tables }: StageTables): LimitCallsToSelf =>
  createLimitCallsToSelf(rememberBuckets(createTokenBuckets(client, tables), MAX_BUCKETS), systemClock);
