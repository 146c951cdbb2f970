import { didYouMean } from '../../../lib/shared/describe.ts';
import { findNearest } from '../../../lib/shared/near-name.ts';
import { METHODS } from '../../../lib/workflows/definition/path-config.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { splitTemplate } from '../../../lib/workflows/expressions/template.ts';
import type { DeclaredValue } from './each-value.ts';

/** Checks literal URLs, e-mail addresses and HTTP methods. */
export const checkFormat = ({ value, path, name, format }: DeclaredValue): Problem[] => {
  if (typeof value !== 'string' || value === '') return [];
  if (format === 'url') return checkUrl(value, path);
  if (value.includes('{{')) return [];
  if (format === 'email' || format === 'mailbox') return checkAddress(value, path, format === 'mailbox');
  return name === 'method' && format === null ? checkMethod(value, path) : [];
};

/** Host names and IP addresses, IPv6 in brackets: only hosts that can resolve. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)$/;

const checkUrl = (text: string, path: string): Problem[] => {
  // An expression may have any valid value; a digit replaces it, valid in a host, a port and a path.
  const url = splitTemplate(text)
    .map((part) => ('text' in part ? part.text : '1'))
    .join('');
  const [, scheme = '', slashes = '', rest = ''] = /^(https?:)([/\\]*)(.*)$/is.exec(url) ?? [];
  if (scheme === '' || slashes.length < 2) return []; // reported by the pattern, or an expression
  if (/^https?:/i.test(rest)) return [{ path, message: `repeats its scheme${didYouMean(rest)}` }];
  const isAddress = slashes === '//' && URL.canParse(url) && HOST.test(new URL(url).hostname);
  if (isAddress) return [];
  const repaired = `${scheme}//${rest}`;
  const isRepaired = rest !== '' && repaired !== url && URL.canParse(repaired);
  return [{ path, message: `is not a URL${didYouMean(isRepaired ? repaired : null)}` }];
};

const ADDRESS = /^[^\s@<>(),;:"\\[\]]{1,64}@[^\s@<>(),;:"\\[\]]{1,255}$/;

const checkAddress = (text: string, path: string, withName: boolean): Problem[] => {
  const [, named = text] = (withName ? /^[^<>]{0,300}<([^<>]{0,400})>$/.exec(text) : null) ?? [];
  if (ADDRESS.test(named)) return [];
  const form = withName ? 'ann@example.com or Ann <ann@example.com>' : 'ann@example.com';
  const several = withName && /[,;]/.test(text) ? ': write each address as a separate list item' : '';
  return [{ path, message: `must be an e-mail address such as ${form}${several}` }];
};

/** Reports only misspellings: HTTP has other methods, and servers may define their own. */
const checkMethod = (text: string, path: string): Problem[] => {
  const method = text.toUpperCase();
  if ((METHODS as readonly string[]).includes(method)) return [];
  const near = findNearest(method, METHODS);
  return near === null
    ? []
    : [{ path, message: `is not an HTTP method${didYouMean(near)}`, severity: 'warning' }];
};
