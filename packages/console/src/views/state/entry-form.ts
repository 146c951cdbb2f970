import type { Answer } from '../../api/routes.ts';
import { tryParseJson } from '../../parts/parse-json.ts';
import { withQuery } from '../../parts/with-query.ts';

export type Entry = Answer<'GET /api/admin/state'>['entries'][number];

/** Whose entries: one of the two, the other is empty. */
export interface Scope {
  readonly workflowId: string;
  readonly store: string;
}

export const entryPath = ({ workflowId, store }: Scope, key: string): string =>
  withQuery('/state/entry', { workflowId, store, key });

/** When an entry expires: when it would without the change, never, or some seconds after the change. */
export type Expiry = 'kept' | 'never' | 'after';

export interface EntryForm {
  readonly key: string;
  /** The value as JSON. */
  readonly text: string;
  readonly expiry: Expiry;
  readonly seconds: string;
}

export const EMPTY: EntryForm = { key: '', text: '', expiry: 'never', seconds: '' };

export const toForm = ({ key, value, expiresAt }: Pick<Entry, 'key' | 'value' | 'expiresAt'>): EntryForm => ({
  key,
  text: JSON.stringify(value, null, 2),
  expiry: expiresAt === null ? 'never' : 'kept',
  seconds: '',
});

/** An editor would take seconds for a longer one. In characters of JSON. */
const MAX_EDITED = 400_000;

/** Why a value can't be changed here; null if it can. */
export const whyNotEdited = (value: unknown): string | null =>
  JSON.stringify(value).length > MAX_EDITED
    ? 'This value is too large to change here: use hookloom state put with --file.'
    : null;

type Mistakes = Readonly<Partial<Record<'key' | 'text' | 'seconds', string>>>;

/** What is sent, or what keeps it from being sent: by field. */
type Read =
  | { readonly body: object; readonly mistakes: null }
  | { readonly body: null; readonly mistakes: Mistakes };

/**
 * Reads what was typed; the API checks the rest.
 *
 * @param expiresAt - of the entry that is changed; null for one that never expires, or that is new
 * @param now - milliseconds since the epoch
 */
export const readForm = (form: EntryForm, expiresAt: string | null, now: number): Read => {
  const { key, text, expiry, seconds } = form;
  const value = tryParseJson(text);
  const mistakes: Mistakes = {
    ...(key === '' && { key: 'Enter a key.' }),
    ...(value === undefined && { text: 'This is not JSON. A text needs quotation marks.' }),
    ...(expiry === 'after' && !/^[1-9]\d{0,8}$/.test(seconds) && { seconds: 'Enter a number of seconds.' }),
  };
  if (Object.keys(mistakes).length > 0) return { body: null, mistakes };
  return { body: { value, ttlSeconds: toTtl(expiry, seconds, expiresAt, now) }, mistakes: null };
};

const toTtl = (expiry: Expiry, seconds: string, expiresAt: string | null, now: number): number | null => {
  if (expiry === 'after') return Number(seconds);
  if (expiry === 'never' || expiresAt === null) return null;
  return Math.max(1, Math.ceil((Date.parse(expiresAt) - now) / 1_000));
};
