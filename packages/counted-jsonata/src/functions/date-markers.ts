/** A component of a date picture (XPath, §9.8.4): `[M01]`, `[FNn,3-3]`. */
export interface Marker {
  /** With its brackets. */
  readonly raw: string;
  /** A letter, such as `Y`; an empty string in `[]`. */
  readonly component: string;
  /** How it is written: `01`, `Nn`, `I`; by default as usual for the component. */
  readonly modifier: string;
  /** `o` for ordinals, `t` for `Z` instead of +00:00, or nothing. */
  readonly suffix: string;
  /** Least and greatest width, if they are given. */
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** How each component is written by default. */
export const defaults: Readonly<Record<string, string>> = {
  Y: '1',
  M: '1',
  D: '1',
  d: '1',
  F: 'n',
  W: '1',
  w: '1',
  X: '1',
  x: '1',
  H: '1',
  h: '1',
  P: 'n',
  m: '01',
  s: '01',
  f: '1',
  Z: '01:01',
  z: '01:01',
  C: 'n',
  E: 'n',
};

/** Splits a picture into markers and text, in which doubled brackets are single ones, as the library does. */
export const splitPicture = (picture: string): readonly (string | Marker)[] =>
  picture
    .split(/(\[\[|\[[^\]]*\]?)/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      if (piece === '[[') return '[';
      return piece.startsWith('[') ? toMarker(piece) : piece.replaceAll(']]', ']');
    });

const toMarker = (raw: string): Marker => {
  const text = raw.replaceAll(/^\[|\]$|\s+/g, '');
  const comma = text.lastIndexOf(',');
  const given = text.slice(1, comma === -1 ? undefined : comma);
  const suffix = given.length > 1 && /[atco]$/.test(given) ? given.slice(-1) : '';
  const component = text.charAt(0);
  const [min, max] = comma === -1 ? [] : text.slice(comma + 1).split('-');
  return {
    raw,
    component,
    suffix,
    min: toWidth(min),
    max: toWidth(max),
    modifier: given.slice(0, given.length - suffix.length) || (defaults[component] ?? ''),
  };
};

const toWidth = (text: string | undefined): number | undefined =>
  text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);

/** The digits that a modifier such as `0001` asks for. */
export const countDigits = ({ modifier }: Marker): number => modifier.replaceAll(/[^0-9]/g, '').length;

/** Whether a local time is in the years that are written in four digits. */
export const isInRange = (local: number): boolean => local >= FIRST && local <= LAST;

const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');
