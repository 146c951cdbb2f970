import { CONFIGURATION_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import {
  type AppliedLimits,
  type CallLimits,
  MAX_AT_ONCE,
  MAX_PER_SECOND,
  MIN_PER_SECOND,
} from '../limits/call-limits.ts';
import { isForHost, readHostPattern } from './host-pattern.ts';

/** Limits on calls to the hosts of a pattern, as in `isForHost`. */
export interface HostLimits extends CallLimits {
  readonly host: string;
}

const ENTRY = /^([^=\s]{1,300})=(?:(\d{1,6}(?:\.\d{1,6})?)\/s)?\+?(\d{1,6})?$/;

/**
 * Parses the limits on calls to hosts: `api.example.com=10/s` for calls per second, `*.example.com=5` for calls at a time,
 * `api.example.com=10/s+5` for both.
 *
 * @throws AppError `CONFIGURATION_INVALID` if an entry is none of these, since ignoring it would allow more than intended
 */
export const parseHostLimits = (entries: readonly string[]): HostLimits[] =>
  entries.map((entry) => {
    const [, pattern = '', rate, places] = ENTRY.exec(entry) ?? [];
    const host = readHostPattern(pattern);
    const perSecond = rate === undefined ? undefined : Number(rate);
    const atOnce = places === undefined ? undefined : Number(places);
    const isBounded =
      (perSecond === undefined || (perSecond >= MIN_PER_SECOND && perSecond <= MAX_PER_SECOND)) &&
      (atOnce === undefined || (atOnce >= 1 && atOnce <= MAX_AT_ONCE));
    if (host !== null && isBounded && (perSecond ?? atOnce) !== undefined) return { host, perSecond, atOnce };
    throw new AppError(CONFIGURATION_INVALID, {
      reason: `"${entry}" in OUTBOUND_LIMITS must be HOST=RATE/s, HOST=COUNT or HOST=RATE/s+COUNT, with a rate from ${MIN_PER_SECOND} to ${MAX_PER_SECOND} and a count from 1 to ${MAX_AT_ONCE}`,
    });
  });

/** The first limits whose hosts include the one of a URL; null if there are none. */
export const findHostLimits = (all: readonly HostLimits[], url: string): AppliedLimits | null => {
  const found = all.find(({ host }) => isForHost([host], url));
  return found === undefined ? null : { ...found, key: `host:${found.host}` };
};
