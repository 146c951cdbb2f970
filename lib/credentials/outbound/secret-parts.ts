import { isPlainObject } from '@hookloom/plugin-kit';
import { isSecretName } from '../../shared/secrets/secret-names.ts';
import { tryJson } from '../../shared/try-json.ts';
import { MIN_SECRET_LENGTH } from './secret-encodings.ts';

/** Shorter parts of a secret, without a name that says so, would match ordinary text. */
const MIN_PART_LENGTH = 8;
/** Parts of this length are secrets even if they look like words. */
const MIN_WORDS_LENGTH = 24;
const MAX_PARTS = 100;

/**
 * The parts of a secret that are secrets by themselves, as answers of servers name them: path, segments and query
 * values of a URL, its user and password; the token after an authentication scheme; values of `name=value` lists,
 * such as connection strings; values of JSON with the name of a secret.
 */
export const findSecretParts = (secret: string): readonly string[] => {
  const parts = [...findUrlParts(secret), ...findListed(secret), ...findInJson(secret)];
  const [, token] = SCHEME.exec(secret) ?? [];
  return [...new Set(token === undefined ? parts : [...parts, token])].slice(0, MAX_PARTS);
};

/** An authentication scheme before a token: `Bearer …`. */
const SCHEME = /^[A-Za-z][A-Za-z0-9-]{1,30} (\S{6,})$/;

const findUrlParts = (secret: string): string[] => {
  const url = secret.includes('://') ? URL.parse(secret) : null;
  if (url === null) return [];
  const { pathname, search, username, password, searchParams } = url;
  const path = pathname.length > MIN_PART_LENGTH ? [pathname + search, pathname] : [];
  const named = [...searchParams].filter(([name, value]) => isSecretPart(value, isSecretName(name, 'query')));
  return [
    ...path.flatMap(readings),
    ...pathname
      .split('/')
      .flatMap(readings)
      .filter((part) => isSecretPart(part)),
    ...named.map(([, value]) => value),
    ...readings(username).filter((part) => isSecretPart(part)),
    ...readings(password).filter((part) => isSecretPart(part, true)),
  ];
};

/** A part of a URL as it is and decoded. */
const readings = (part: string): string[] => {
  try {
    return [part, decodeURIComponent(part)];
  } catch {
    return [part];
  }
};

const NAME = /^[A-Za-z][\w .-]{0,63}$/;

const findListed = (secret: string): string[] =>
  secret.split(/[;&\n]/).flatMap((text) => {
    const pair = text.slice(0, MAX_PAIR_LENGTH);
    const [name = ''] = pair.split('=', 1);
    const value = pair.slice(name.length + 1).trim();
    return NAME.test(name.trim()) && isSecretPart(value, isSecretName(name.trim())) ? [value] : [];
  });

const MAX_PAIR_LENGTH = 4_096;

const findInJson = (secret: string): string[] => {
  const value = secret.trimStart().startsWith('{') ? tryJson(secret) : null;
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([name, text]) =>
    typeof text === 'string' && isSecretName(name) && isSecretPart(text, true) ? [text] : [],
  );
};

/** Whether a part is a secret rather than a word, such as `services` or `sendMessage`. */
const isSecretPart = (part: string, isNamed = false): boolean => {
  if (isNamed || part.length >= MIN_WORDS_LENGTH) return part.length >= MIN_SECRET_LENGTH;
  const words = part.split(/[-_.\s]|(?<=[a-z])(?=[A-Z])/);
  return part.length >= MIN_PART_LENGTH && !words.every((word) => /^[A-Z]?[a-z]*$/.test(word));
};
