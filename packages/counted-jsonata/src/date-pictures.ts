/**
 * Date components in the common format languages: XPath pictures (JSONata), Luxon tokens, strftime letters (POSIX), and
 * other runs of letters (moment, Unicode TR 35).
 */
const components: readonly (readonly [
  picture: string,
  luxon: string,
  strftime: string,
  ...others: string[],
])[] = [
  ['[Y0001]', 'yyyy', 'Y', 'YYYY'],
  ['[Y01]', 'yy', 'y', 'YY'],
  ['[MNn]', 'LLLL', 'B', 'MMMM'],
  ['[MNn,3-3]', 'LLL', 'b', 'MMM'],
  ['[M01]', 'MM', 'm', 'LL'],
  ['[M]', 'M', '', 'L'],
  ['[D01]', 'dd', 'd', 'DD'],
  ['[D]', 'd', 'e', 'D'],
  ['[D1o]', 'd', '', 'Do'],
  ['[d001]', 'ooo', 'j', 'DDDD', 'DDD'],
  ['[FNn]', 'cccc', 'A', 'dddd', 'EEEE'],
  ['[FNn,3-3]', 'ccc', 'a', 'ddd', 'EEE'],
  ['[H01]', 'HH', 'H'],
  ['[H]', 'H', ''],
  ['[h01]', 'hh', 'I'],
  ['[h]', 'h', ''],
  ['[m01]', 'mm', 'M'],
  ['[m1]', 'm', ''],
  ['[s01]', 'ss', 'S'],
  ['[s1]', 's', ''],
  ['[f001]', 'SSS', 'f'],
  ['[P]', 'a', 'p', 'A'],
  ['[Z]', 'ZZ', 'z', 'Z', 'XXX'],
];

type Part = { readonly component: (typeof components)[number] } | { readonly literal: string };

/** Matches quoted or bracketed text, a strftime letter, `Do`, a run of one letter, or any other character. */
const PIECE =
  /'(?<quoted>[^']*)'|\[(?<bracketed>[^[\]]*)\]|%(?<percent>[A-Za-z])|(?<run>Do|([A-Za-z])\5*)|[\s\S]/g;

/** Letters that may stand unquoted between components, as in ISO 8601. */
const SEPARATORS = ['T', 'Z'];

/** Maximum length of a format that is translated. */
const MAX_LENGTH = 200;

/** The parts of a format in any of these languages; empty if it is in none of them. */
const parseForm = (form: string): readonly Part[] => {
  if (form.length > MAX_LENGTH) return [];
  const areLettersText = isPicture(form) || /%[A-Za-z]/.test(form);
  const hasHours = /[Hh]/.test(form);
  const parts: Part[] = [];
  for (const { 0: text, groups = {} } of form.matchAll(PIECE)) {
    const { quoted, bracketed, percent, run } = groups;
    const letters = run === undefined ? run : meantBy(run, hasHours, parts);
    const component =
      (bracketed !== undefined && isPicture(form) ? findMarker(text) : undefined) ??
      components.find(([, luxon, strftime, ...others]) => {
        if (percent !== undefined) return strftime === percent;
        return letters !== undefined && !areLettersText && (luxon === letters || others.includes(letters));
      });
    const isText = areLettersText || run === undefined || SEPARATORS.includes(run);
    if (component === undefined && !isText) return [];
    parts.push(component === undefined ? { literal: quoted ?? bracketed ?? text } : { component });
  }
  return parts.some((part) => 'component' in part) ? parts : [];
};

/** Minutes without hours are months, as in `yyyy-mm-dd`; months right after hours are minutes, as in `HH:MM`. */
const meantBy = (run: string, hasHours: boolean, before: readonly Part[]): string => {
  if (run.startsWith('m') && !hasHours) return run.toUpperCase();
  const [hours, separator] = before.slice(-2);
  const isAfterHours =
    hours !== undefined &&
    'component' in hours &&
    /^\[[Hh]/.test(hours.component[0]) &&
    separator !== undefined &&
    'literal' in separator &&
    separator.literal === ':';
  return isAfterHours && /^MM?$/.test(run) ? run.toLowerCase() : run;
};

const findMarker = (marker: string) =>
  components.find(([picture]) => picture === marker) ??
  components.find(([picture]) => picture.startsWith(marker.slice(0, 2)));

/** Matches an XPath marker with a date component. */
const isPicture = (form: string): boolean => /\[[YMDdFWwHhmsfPEC]/.test(form);

/** Matches separate words whose letters mean a date in the other languages. */
const TYPED = /(?<![A-Za-z])(?:YYYY|yyyy|MM|DD|dd|HH|hh|mm|ss)+(?![A-Za-z])|%[YmdHMS]/;

/**
 * Detects a date picture in a language other than JSONata's (XPath), which JSONata would output literally.
 *
 * @returns null for a valid picture; otherwise the picture that was probably meant, or an empty string if that is
 * unclear
 */
export const suggestPicture = (picture: string): string | null => {
  const unescaped = picture.replaceAll('[[', '').replaceAll(']]', '');
  const literals = unescaped.replaceAll(/\[[^[\]]*\]/g, ' ');
  if (/\[[^[\]]+\]/.test(unescaped) && !TYPED.test(literals)) return null;
  return parseForm(unescaped)
    .map((part) => ('component' in part ? part.component[0] : part.literal.replaceAll(/[[\]]/g, '$&$&')))
    .join('');
};

/** Matches runs of letters that are tokens elsewhere, and that Luxon outputs as they are. */
const FOREIGN_TOKEN = /(?<![A-Za-z])(?:d{3,4}|A|XXX)(?![A-Za-z])/;

/** Suggests a format for one that is not in Luxon tokens, or in tokens that make no sense together; null for others. */
export const suggestLuxonFormat = (format: string): string | null => {
  const tokens = format.replaceAll(/'[^']*'/g, ' ');
  const has = (letters: RegExp): boolean => letters.test(tokens);
  const isForeign =
    has(FOREIGN_TOKEN) ||
    // A whole time, or a date and a time, are never combined with their own components: the T of ISO 8601 needs quotes.
    (has(/[Tt]/) && has(/[Hhm]/)) ||
    (has(/[Ff]/) && has(/[yMLdHhms]/)) ||
    // Minutes in a date, or months in a time.
    (has(/m/) && has(/[yd]/) && !has(/[HhTtfF]/)) ||
    has(/[Hh]:M/) ||
    /Y|%[A-Za-z]/.test(tokens) ||
    isPicture(tokens) ||
    // `DD` is a whole date in Luxon, so it is never combined with other date components.
    (/D/.test(tokens) && /[yML]/.test(tokens));
  if (!isForeign && /[A-Za-z]/.test(tokens)) return null;
  return parseForm(format)
    .map((part) => {
      if ('component' in part) return part.component[1];
      return /[A-Za-z]/.test(part.literal) ? `'${part.literal}'` : part.literal;
    })
    .join('');
};
