import { createHash } from 'node:crypto';
import { EvaluationError } from '../evaluation-error.ts';
import { type Native, native } from '../native.ts';
import type { Run } from '../run.ts';

// The functions that Step Functions adds to JSONata:
// https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html#jsonata-functions-provided-by-step-functions

const parse = ({ budget, environment }: Run, text?: string): unknown => {
  if (text === undefined) return undefined;
  budget.write(text.length);
  try {
    return (environment.parseJson ?? JSON.parse)(text);
  } catch (error) {
    // The runtime's message would repeat the text around the error.
    const [message = ''] = String((error as Error).message).split(/[,"']/);
    throw new EvaluationError('D3160', { message: message.trim() });
  }
};

/** The numbers from `first` to `last`; the steps may skip `last`. */
const range = ({ budget }: Run, first?: number, last?: number, step?: number): number[] | undefined => {
  if (first === undefined || last === undefined || step === undefined) return undefined;
  const fraction = [first, last, step].find((number) => !Number.isSafeInteger(number));
  if (fraction !== undefined) throw new EvaluationError('D3161', { value: fraction });
  if (step === 0) throw new EvaluationError('D3162');
  const length = Math.max(0, Math.floor((last - first) / step) + 1);
  budget.checkLength(length);
  budget.makeItems(length);
  return Array.from({ length }, (_, index) => first + index * step);
};

/** Lists of the given size; the last one has the rest. */
const partition = ({ budget }: Run, list?: readonly unknown[], size?: number): unknown[][] | undefined => {
  if (list === undefined || size === undefined) return undefined;
  if (!Number.isSafeInteger(size) || size < 1) throw new EvaluationError('D3163', { value: size });
  const length = Math.ceil(list.length / size);
  budget.makeItems(list.length + length);
  return Array.from({ length }, (_, index) => list.slice(index * size, (index + 1) * size));
};

/** Node's name of each algorithm, by its JSONata name. */
const algorithms: ReadonlyMap<string | undefined, string> = new Map([
  ['MD5', 'md5'],
  ['SHA-1', 'sha1'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
]);

/** The hash of the UTF-8 text, in hexadecimal. */
const hash = ({ budget }: Run, text?: string, algorithm?: string): string | undefined => {
  const name = algorithms.get(algorithm);
  if (name === undefined) throw new EvaluationError('D3164', { value: algorithm });
  if (text === undefined) return undefined;
  budget.write(text.length + HASH_COST);
  return createHash(name).update(text).digest('hex');
};

/** The cost of hashing a short text, in characters. */
const HASH_COST = 500;

/** A number from 0 to 1: the caller's next one, or always the same one for a seed. */
const random = (run: Run, seed?: number): number => {
  if (seed === undefined) return run.environment.random();
  run.budget.write(HASH_COST);
  const digits = createHash('sha256').update(String(seed)).digest('hex').slice(0, 12);
  return Number.parseInt(digits, 16) / 2 ** 48;
};

export const stepFunctions: Readonly<Record<string, Native>> = {
  parse: native('<s-:x>', parse),
  range: native('<nnn:a<n>>', range),
  partition: native('<an:a<a>>', partition),
  hash: native('<ss:s>', hash),
  random: native('<n?:n>', random),
  uuid: native('<:s>', (run) => run.environment.uuid()),
};
