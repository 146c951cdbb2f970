import { quote } from '../../shared/describe.ts';
import type { Reading } from './schedule.ts';

/** What may be written in one field of a cron expression. */
export interface CronField {
  /** The field's name in messages. */
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of the values, from the lowest. */
  readonly names: readonly string[];
}

/** A field of a cron expression as it was read. */
export interface CronPart {
  /** The field in AWS's syntax. */
  readonly text: string;
  /** In the syntax of `croner`, which has no `A/STEP`: a list of the values, or a letter with its day. */
  readonly pattern: string;
}

/** A field without letters: its values, ascending and each once. */
interface CronValues extends CronPart {
  readonly values: readonly number[];
}

type CronItem = Omit<CronValues, 'pattern'>;

/** A value, a range or `*`, with or without a step. */
const ITEM = /^(?:\*|([A-Z\d]{1,9})(?:-([A-Z\d]{1,9}))?)(?:\/(\d{1,9}))?$/;

/** @param text - in capitals, with commas between the items */
export const readCronField = (text: string, field: CronField): Reading<CronValues> => {
  const texts: string[] = [];
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const read = readItem(item, field);
    if ('fault' in read) return { fault: `${field.name}: ${quote(item)} ${read.fault}` };
    texts.push(read.value.text);
    for (const value of read.value.values) values.add(value);
  }
  return { value: { text: texts.includes('*') ? '*' : texts.join(','), ...listValues(values) } };
};

/** Writes values as a list for `croner`. */
export const listValues = (values: Iterable<number>): Omit<CronValues, 'text'> => {
  const sorted = [...values].sort((a, b) => a - b);
  return { values: sorted, pattern: sorted.join(',') };
};

const readItem = (item: string, field: CronField): Reading<CronItem> => {
  const [match, first, last, step] = ITEM.exec(item) ?? [];
  if (match === undefined) return { fault: `must be "*", a value, "A-B" or "A/STEP", ${describe(field)}` };
  const by = Number(step ?? 1);
  if (by < 1 || by > field.max) return { fault: `must have a step from 1 to ${field.max}` };
  const from = first === undefined ? field.min : readCronValue(first, field);
  const to = last === undefined ? from : readCronValue(last, field);
  if (from === null || to === null) return { fault: `is not ${describe(field)}` };
  if (last !== undefined && from > to) return { fault: 'is a range that runs backwards; write two ranges' };
  if (step === undefined) {
    if (first === undefined) return { value: { text: '*', values: rangeOf(field.min, field.max, 1) } };
    const ends = last === undefined ? [first] : [first, last];
    return { value: { text: ends.map(withoutZeros).join('-'), values: rangeOf(from, to, 1) } };
  }
  const values = rangeOf(from, last === undefined ? field.max : to, by);
  // AWS knows a start with a step; a range with a step becomes a list of its values.
  return { value: { text: last === undefined ? `${from}/${by}` : values.join(','), values } };
};

/** Reads a value of a field. @returns null if it is neither a number of the field nor a name */
export const readCronValue = (text: string, { names, min, max }: CronField): number | null => {
  const named = names.indexOf(text);
  if (named >= 0) return min + named;
  const value = Number(text);
  return /^\d+$/.test(text) && value >= min && value <= max ? value : null;
};

const withoutZeros = (text: string): string => (/^\d+$/.test(text) ? `${Number(text)}` : text);

const describe = ({ min, max, names }: CronField): string =>
  `from ${min} to ${max}${names.length === 0 ? '' : ` or ${names[0]} to ${names.at(-1)}`}`;

const rangeOf = (from: number, to: number, step: number): readonly number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
