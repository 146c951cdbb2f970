import { randomUUID } from 'node:crypto';
import type { Ids } from '@hookloom/plugin-kit';

/** Random UUIDs (RFC 9562, version 4): 122 random bits in 36 characters. */
export const randomIds: Ids = { next: () => randomUUID() };
