import { Type } from './type.ts';

/** Names in lower case, as those of headers are. */
export const LOWER_CASE = '^[^A-Z]+$';

/** The headers of a request or an answer. */
export const headers = Type.Record(Type.String(), Type.String(), { propertyNames: { pattern: LOWER_CASE } });
