/** One way to read a position in a text: a UTF-16 unit or a byte, and where the next one begins. */
type Reading = readonly [unit: number, next: number];

/** Layers of escapes, such as JSON in JSON in a URL. */
const MAX_LAYERS = 3;

const code = (character: string): number => character.charCodeAt(0);
const BACKSLASH = code('\\');
const PERCENT = code('%');
const AMPERSAND = code('&');
const PLUS = code('+');
const SEMICOLON = code(';');
const LONG_RUN = '\\'.repeat(2 * 2 ** MAX_LAYERS);
const U = code('u');
const X = code('x');

/** Whether a unit may represent another one, alone or with the following ones. */
export const isEscape = (unit: number): boolean =>
  unit === BACKSLASH || unit === PERCENT || unit === AMPERSAND || unit === PLUS;

/**
 * Reads a position verbatim and as an escape of JSON (`\/`, `\u003c`), HTML (`&lt;`, `&#60;`, `&#x3c;`), URLs (`%3C`)
 * or forms (`+`), in up to three layers. Returns all readings, per character: the encoder of a text is unknown.
 */
export const readAt = (text: string, at: number, layers = MAX_LAYERS): readonly Reading[] => {
  const unit = text.charCodeAt(at);
  if (at >= text.length) return [];
  const raw: Reading = [unit, at + 1];
  if (!isEscape(unit)) return [raw];
  if (unit === PLUS) return [raw, [0x20, at + 1]];
  if (layers === 0) return [raw];
  const following = text.charCodeAt(at + 1);
  if (!isEscape(following)) {
    // Fast path for the usual cases, without layers.
    if (unit === PERCENT && hexOf(following) === -1) return [raw];
    if (unit === AMPERSAND && !isOfEntity(following)) return [raw];
    const letter = following | 0x20;
    if (unit === BACKSLASH && letter !== U && letter !== X && at + 1 < text.length)
      return [raw, [CONTROLS[text[at + 1] ?? '']?.charCodeAt(0) ?? following, at + 2]];
  }
  // A long run of backslashes only stands for a shorter run; nothing else is read before its end.
  if (unit === BACKSLASH && text.startsWith(LONG_RUN, at)) return [raw];
  const readings = [...readAt(text, at, layers - 1)];
  for (const [first, next] of [...readings]) {
    if (first === BACKSLASH) readings.push(...readBackslash(text, next, layers - 1));
    else if (first === PERCENT) readings.push(...readHex(text, next, 2, layers - 1));
    else if (first === AMPERSAND) readings.push(...readEntity(text, next, layers - 1));
    else if (first === PLUS) readings.push([0x20, next]);
  }
  return distinctReadings(readings);
};

const distinctReadings = (readings: readonly Reading[]): readonly Reading[] =>
  readings.filter(
    ([unit, next], index) =>
      readings.findIndex(([otherUnit, otherNext]) => unit === otherUnit && next === otherNext) === index,
  );

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const readBackslash = (text: string, at: number, layers: number): readonly Reading[] =>
  readAt(text, at, layers).flatMap(([unit, next]): readonly Reading[] => {
    const letter = String.fromCharCode(unit);
    if (letter === 'u' || letter === 'U') return readHex(text, next, 4, layers);
    if (letter === 'x') return readHex(text, next, 2, layers);
    const control = CONTROLS[letter];
    return [[control === undefined ? unit : code(control), next]];
  });

const readHex = (text: string, from: number, digits: number, layers: number): readonly Reading[] => {
  let value = 0;
  let at = from;
  for (let count = 0; count < digits; count++) {
    const [digit, next] = readAt(text, at, layers).find(([unit]) => hexOf(unit) !== -1) ?? [];
    if (digit === undefined || next === undefined) return [];
    value = value * 16 + hexOf(digit);
    at = next;
  }
  return [[value, at]];
};

/** The value of a hexadecimal digit; -1 for any other unit. */
export const hexOf = (unit: number): number => {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
};

/** Longer entities, up to `&CounterClockwiseContourIntegral;`, stand for characters that no secret has. */
const MAX_ENTITY_LENGTH = 10;

const readEntity = (text: string, from: number, layers: number): readonly Reading[] => {
  let name = '';
  let at = from;
  for (let count = 0; count <= MAX_ENTITY_LENGTH; count++) {
    const [unit, next] = readAt(text, at, layers).find(([unit]) => isOfEntity(unit)) ?? [];
    if (unit === undefined || next === undefined) return [];
    at = next;
    if (unit === SEMICOLON) break;
    name += String.fromCharCode(unit);
  }
  const numeric = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name);
  const named = ENTITIES[name];
  if (numeric === null) return named === undefined ? [] : [[named, at]];
  const value = numeric[1] === undefined ? Number(numeric[2]) : Number.parseInt(numeric[1], 16);
  return value <= 0xffff ? [[value, at]] : [];
};

const isOfEntity = (unit: number): boolean =>
  unit === SEMICOLON ||
  unit === code('#') ||
  (unit >= 0x30 && unit <= 0x39) ||
  ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a);

/** ASCII entities: https://html.spec.whatwg.org/multipage/named-characters.html */
const ASCII =
  'Tab:9 NewLine:10 excl:33 quot:34 QUOT:34 num:35 dollar:36 percnt:37 amp:38 AMP:38 apos:39 lpar:40 rpar:41 ast:42 midast:42 plus:43 comma:44 period:46 sol:47 colon:58 semi:59 lt:60 LT:60 equals:61 gt:62 GT:62 quest:63 commat:64 lsqb:91 lbrack:91 bsol:92 rsqb:93 rbrack:93 Hat:94 lowbar:95 UnderBar:95 grave:96 lcub:123 lbrace:123 verbar:124 vert:124 VerticalLine:124 rcub:125 rbrace:125';
/** Names of entities from U+00A0 on. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

const ENTITIES: Readonly<Record<string, number>> = Object.assign(
  Object.create(null),
  Object.fromEntries(ASCII.split(' ').map((entry) => [entry.split(':')[0], Number(entry.split(':')[1])])),
  Object.fromEntries(LATIN.split(' ').map((name, index) => [name, 0xa0 + index])),
);
