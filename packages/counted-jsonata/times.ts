/** Times in ISO 8601 and time zones, as the date functions read them. It loads no parser of expressions. */
export { readInstant, readIsoTime } from './src/iso-time.ts';
export { findTimeZone, findTimeZoneName, openTimeZone, type TimeZone } from './src/time-zone.ts';
