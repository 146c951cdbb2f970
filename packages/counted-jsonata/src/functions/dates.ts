import { suggestPicture } from '../date-pictures.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { readIsoTime } from '../iso-time.ts';
import { type Native, native } from '../native.ts';
import type { Run } from '../run.ts';
import { findTimeZone, type TimeZone } from '../time-zone.ts';
import { countDigits, defaults, isInRange, type Marker, splitPicture } from './date-markers.ts';
import { call, type PictureLibrary, spendOnPicture, tooLong } from './pictures.ts';
import { type DateLibrary, readDate } from './read-date.ts';

/** Steps of opening a time zone, and of reading its offset at a time. */
const OPENING_COST = 1_000;
const OFFSET_COST = 16;

/** The time zones that a run uses. Each is opened once and charged once, whatever other runs have opened. */
const zonesOfRun = new WeakMap<Run, Map<string, TimeZone>>();
/** Those that runs used last. */
const latestZones = new Map<string, TimeZone>();
const MAX_LATEST = 16;

/** @throws EvaluationError `D3152` if there is no such zone */
const openZone = (run: Run, text: string): TimeZone => {
  const zones = zonesOfRun.get(run) ?? new Map<string, TimeZone>();
  zonesOfRun.set(run, zones);
  run.budget.spend(OFFSET_COST);
  const key = text.toLowerCase();
  let zone = zones.get(key);
  if (zone === undefined) {
    run.budget.spend(OPENING_COST);
    zone = latestZones.get(key) ?? findTimeZone(text) ?? undefined;
    if (zone === undefined) throw new EvaluationError('D3152', { value: text });
    zones.set(key, zone);
    if (latestZones.size >= MAX_LATEST) latestZones.clear();
    latestZones.set(key, zone);
  }
  return zone;
};

/** @throws EvaluationError `D3157` for minutes in a date, or months in a time */
const checkMinutes = (picture: string, markers: readonly Marker[]): void => {
  const has = (letters: string) => markers.some(({ component }) => letters.includes(component));
  const meant =
    has('m') && has('YD') && !has('Hh')
      ? picture.replaceAll('[m', '[M')
      : picture.replaceAll(/(\[[Hh][^\][]*\]:\[)M/g, '$1m');
  if (meant !== picture)
    throw new EvaluationError('D3157', { value: picture, message: JSON.stringify(meant) });
};

/**
 * @throws EvaluationError `D3132` for an unknown component, `D3150` for one of hundreds of digits, such as `[Y,999]`,
 * `D3151` for a picture in another tool's language
 */
const checkDatePicture = (token: string, picture: string): void => {
  const markers = splitPicture(picture).filter((part) => typeof part !== 'string');
  const asksForMany = ({ raw }: Marker) => raw.includes(',') && /[0-9]{3}/.test(raw.slice(raw.indexOf(',')));
  if (markers.some(asksForMany)) throw tooLong(token);
  const meant = suggestPicture(picture);
  if (meant === null) {
    const unknown = markers.find(({ component }) => !Object.hasOwn(defaults, component));
    if (unknown !== undefined) throw new EvaluationError('D3132', { value: unknown.component });
    checkMinutes(picture, markers);
    return;
  }
  const message = meant === '' ? ', as in "[Y0001]-[M01]-[D01]"' : `; did you mean ${JSON.stringify(meant)}?`;
  throw new EvaluationError('D3151', { value: picture, message, token });
};

export const createDateFunctions = (library: PictureLibrary): Readonly<Record<string, Native>> => {
  /** An offset as `[Z]` and `[z]` write it. */
  const writeOffset = (marker: Marker, offsetMs: number): string => {
    if (offsetMs === 0 && marker.suffix === 't') return 'Z';
    const minutes = Math.abs(offsetMs) / 60_000;
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
    const digits = countDigits(marker);
    if (digits === 0 || digits > 4) throw new EvaluationError('D3134');
    const number = digits > 2 ? hours * 100 + rest : hours;
    const text = call(library.formatInteger, 'fromMillis', number, marker.modifier);
    const minutesText = digits > 2 || rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`;
    return `${marker.component === 'z' ? 'GMT' : ''}${offsetMs < 0 ? '-' : '+'}${text}${minutesText}`;
  };

  /** A fraction of a second in as many digits as the marker has; in three if it has one, which means any number. */
  const writeFraction = (marker: Marker, local: number): string | null => {
    const digits = countDigits(marker);
    if (digits === 0) return null;
    const ms = String(((local % 1_000) + 1_000) % 1_000).padStart(3, '0');
    return digits === 1 ? ms : ms.padEnd(digits, '0').slice(0, digits);
  };

  const fromMillis = (run: Run, token: string, millis?: number, picture?: string, timezone?: string) => {
    spendOnPicture(run, token, picture, timezone);
    if (picture !== undefined) checkDatePicture(token, picture);
    if (millis === undefined) return undefined;
    const instant = Math.trunc(millis);
    // No zone is further away, so that an offset is only looked up in the range.
    const isNear = Math.abs(instant) < 8e15;
    const local = timezone === undefined || !isNear ? instant : openZone(run, timezone).toLocal(instant);
    if (!isInRange(local)) throw new EvaluationError('D3153', { value: millis, token });
    const iso = picture === undefined ? new Date(local).toISOString().slice(0, -1) : '';
    const parts = splitPicture(picture ?? `${iso}[Z01:01t]`).map((part) => {
      if (typeof part === 'string') return part.replaceAll(/[[\]]/g, '$&$&');
      if (part.component === 'f') return writeFraction(part, local) ?? part.raw;
      if (part.component !== 'Z' && part.component !== 'z') return part.raw;
      if ((local - instant) % 60_000 !== 0) throw new EvaluationError('D3155', { value: timezone, token });
      return writeOffset(part, local - instant);
    });
    return iso === '' ? call(library.fromMillis, token, local, parts.join('')) : parts.join('');
  };

  const dates: DateLibrary = {
    component: (local, letter) => Number(library.fromMillis(local, `[${letter}1]`)),
    parseInteger: (text, picture) => call(library.parseInteger, 'toMillis', text, picture),
  };

  const toMillis = (run: Run, text?: string, picture?: string): number | undefined => {
    spendOnPicture(run, 'toMillis', picture, text);
    if (picture !== undefined) checkDatePicture('toMillis', picture);
    if (text === undefined) return undefined;
    if (picture !== undefined) return readDate(run, dates, text, picture);
    const read = readIsoTime(text);
    if (read === null) throw new EvaluationError('D3110', { value: text, token: 'toMillis' });
    return read.local - (read.offsetMs ?? 0);
  };

  return {
    toMillis: native('<s-s?:n>', toMillis),
    fromMillis: native('<n-s?s?:s>', (run, millis?: number, picture?: string, timezone?: string) =>
      fromMillis(run, 'fromMillis', millis, picture, timezone),
    ),
    now: native('<s?s?:s>', (run, ...[picture, timezone]: [string?, string?]) =>
      fromMillis(run, 'now', run.environment.startedAt(), picture, timezone),
    ),
  };
};
