import type { JsonValue } from '@hookloom/plugin-kit';
import { toPointerKey } from './describe.ts';
import { tryJson } from './try-json.ts';

/** What the start of a JSON text says of its value. */
export interface KnownStart {
  /** The members that the start has in full; undefined if the text is of no list or map. */
  readonly value: JsonValue | undefined;
  /** JSON pointers of the lists and maps that may have further members. */
  readonly open: ReadonlySet<string>;
}

interface Container {
  readonly pointer: string;
  readonly end: ']' | '}';
  /** The key of the member that is being read; null before it. */
  key: string | null;
  /** The index of the item that is being read. */
  index: number;
}

/** A string, a bracket, brace, comma or colon, a number or a word. A string that is cut off matches none, which ends the search. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gy;

/** Reads the start of a JSON text without spaces, such as `{"id":"A-1","items":[{"n":1},{"no`. */
export const parseJsonStart = (text: string): KnownStart => {
  const containers: Container[] = [];
  let known = '';
  /** Up to here, the text is a value once its lists and maps are closed. */
  const keep = (end: number): void => {
    const ends = containers.map((one) => one.end).reverse();
    known = `${text.slice(0, end)}${ends.join('')}`;
  };
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const end = index + token.length;
    const inner = containers.at(-1);
    if (token === '{' || token === '[') {
      const key = inner === undefined ? null : toPointerKey(inner.key ?? String(inner.index));
      const pointer = key === null ? '' : `${inner?.pointer}/${key}`;
      containers.push({ pointer, end: token === '{' ? '}' : ']', key: null, index: 0 });
      keep(end);
    } else if (inner === undefined) break;
    else if (token === '}' || token === ']') {
      containers.pop();
      keep(end);
    } else if (token === ',') {
      inner.key = null;
      inner.index += 1;
    } else if (token !== ':') {
      if (inner.end === '}' && inner.key === null) inner.key = String(tryJson(token));
      // The rest of a number may be missing.
      else if (token.startsWith('"') || end < text.length) keep(end);
    }
  }
  return { value: tryJson(known), open: new Set(['', ...containers.map(({ pointer }) => pointer)]) };
};
