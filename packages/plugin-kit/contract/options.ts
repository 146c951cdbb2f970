import { NodeError } from './errors.ts';
import { isPlainObject } from './json.ts';

/** Options that were found. */
export type CheckedOptions = {
  readonly options: readonly { readonly value: string | number; readonly label: string }[];
  /** For the options after these; null if there are none, or if these are too many. */
  readonly nextPage: string | null;
};

const MAX_OPTIONS = 1_000;
const MAX_TEXT = 1_000;
const MAX_BYTES = 256 * 1_024;

/**
 * Checks what a plugin has returned, and leaves out what does not contain the search, in any case.
 * @throws NodeError that says what is wrong
 */
export const checkOptions = (found: unknown, search: string): CheckedOptions => {
  const given: unknown = isPlainObject(found) ? found.options : found;
  const nextPage = isPlainObject(found) ? (found.nextPage ?? null) : null;
  if (!Array.isArray(given)) throw wrong('no list of options');
  if (nextPage !== null && (typeof nextPage !== 'string' || nextPage.length > MAX_TEXT))
    throw wrong(`a nextPage that is no text of at most ${MAX_TEXT} characters`);
  const wanted = search.toLowerCase();
  const options: { value: string | number; label: string }[] = [];
  let bytes = 0;
  for (const option of given) {
    const { value, label = value } = isPlainObject(option) ? option : { value: undefined };
    if (!isShort(value) || !isShort(label))
      throw wrong(`an option whose value or label is no text or number of at most ${MAX_TEXT} characters`);
    const text = `${value}\n${label}`.toLowerCase();
    bytes += 2 * text.length;
    if (options.length === MAX_OPTIONS || bytes > MAX_BYTES) return { options, nextPage: null };
    if (text.includes(wanted)) options.push({ value, label: String(label) });
  }
  return { options, nextPage };
};

const isShort = (value: unknown): value is string | number =>
  Number.isFinite(value) || (typeof value === 'string' && value.length <= MAX_TEXT);

const wrong = (what: string): NodeError =>
  new NodeError(`the plugin returned ${what}`, { name: 'OptionsInvalid', isRetryable: false });
