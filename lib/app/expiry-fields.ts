import * as v from 'valibot';
import { isTime, NO_TIME, parseTime, TIME_FORMS } from '../shared/query-fields.ts';
import { described, instant } from './answers.ts';

/** When something expires, in a body: a time as in a query. Its output is ISO 8601, UTC. */
export const expiry = v.pipe(
  v.string(NO_TIME),
  v.metadata({ description: `When its value expires: ${TIME_FORMS}` }),
  v.transform(parseTime),
  v.check(isTime, NO_TIME),
  v.transform((instant) => new Date(instant).toISOString()),
);

/** The same in answers. */
export const shownExpiry = v.optional(
  described(instant, 'When its value expires; absent if that is not known'),
);
