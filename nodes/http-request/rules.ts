import { type JsonObject, readParameters } from '@hookloom/plugin-kit';

const MEGABYTE = 1024 * 1024;

/** What a run requires of its parameters: their limits, too, of which `properties.ts` says nothing. */
export const rules = {
  method: { type: 'string', default: 'GET' },
  url: { type: 'string' },
  headers: { type: 'object', default: {} },
  query: { type: 'object', default: {} },
  body: {},
  bodyType: { enum: ['json', 'text', 'form', 'multipart', 'file'], default: 'json' },
  responseType: { enum: ['auto', 'json', 'text', 'file'], default: 'auto' },
  maxRedirects: { type: 'integer', minimum: 0, maximum: 20, default: 5 },
  maxResponseBytes: { type: 'integer', minimum: 1, maximum: 6 * MEGABYTE, default: MEGABYTE },
  maxFileBytes: { type: 'integer', minimum: 1, maximum: 50_000_000_000, default: 1024 * MEGABYTE },
  failOnStatus: { type: 'boolean', default: true },
  successStatus: { type: 'array', default: ['200-399'] },
  retryStatus: { type: 'array', default: [408, 425, 429, '500-599'] },
  idempotencyKey: { type: 'boolean', default: false },
  pagination: { enum: ['none', 'link', 'cursor', 'page'], default: 'none' },
  items: { type: 'string', default: '' },
  next: { type: 'string', default: '' },
  pageParameter: { type: 'string', default: '' },
  firstPage: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 1 },
  pageStep: { type: 'integer', minimum: 1, maximum: 100_000, default: 1 },
  maxPages: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
  maxItems: { type: 'integer', minimum: 1, maximum: 100_000, default: 10_000 },
} as const;

export type Parameters = ReturnType<typeof readRules>;

/** @throws TypeError or RangeError that names the parameter, without its value */
export const readRules = (parameters: JsonObject) => readParameters(parameters, rules);
