import { isPlainObject, type JsonValue } from '@hookloom/plugin-kit';
import { toPointerKey } from '../../../../lib/shared/describe.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import type { DraftNode } from '../graph/draft-graph.ts';

/** Tokens with a recognisable format, and private keys. */
const SHAPES: readonly RegExp[] = [
  /\b[sr]k_(?:live|test)_[A-Za-z0-9]{10}/,
  /\bwhsec_[A-Za-z0-9+/]{16}/,
  /\bgh[pousr]_[A-Za-z0-9]{30}/,
  /\bgithub_pat_[A-Za-z0-9_]{20}/,
  /\bglpat-[A-Za-z0-9_-]{20}/,
  /\bxox[abeprs]-[A-Za-z0-9-]{10}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{35}/,
  /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16}/,
  /\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{20}/,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/,
  /\bhooks\.slack\.com\/services\/T[A-Z0-9]{6,20}\/B[A-Z0-9]{6,20}\/[A-Za-z0-9]{16}/,
  /\bdiscord(?:app)?\.com\/api\/webhooks\/\d{10,24}\/[A-Za-z0-9_-]{16}/,
];

/** Names of fields, headers and query parameters that contain only a secret. */
const SECRET_NAME =
  /^(?:x-)?(?:api[-_]?key|api[-_]?token|access[-_]?token|access[-_]?key|secret[-_]?key|token|auth[-_]?token|authorization|password|passwd|secret|client[-_]?secret|private[-_]?key)$/i;
const SCHEME = /^(Bearer|Basic|Token|ApiKey) +\S{6}/i;
/** Matches text without spaces and with a digit: neither a placeholder nor a field name. */
const LOOKS_RANDOM = /^(?=[^\d\s]{0,200}\d)\S{6,4096}$/;

/** Where in a request a value travels that a credential would add. */
type Carrier = 'header' | 'query' | null;

/**
 * Finds secrets written into a workflow, where its file and every stored version expose them. Credentials keep them in the
 * secret store instead.
 */
export const findSecrets = ({ index, node, nodeType }: DraftNode): Problem[] => {
  const problems: Problem[] = [];
  const taken = nodeType?.credentialTypes ?? [];
  const warn = (path: string, verb: string, credentialType: string | null) => {
    const advice =
      credentialType !== null && taken.includes(credentialType)
        ? `create a credential of the type ${credentialType} and name it in credentialId`
        : 'create a credential for the node that sends it and name it in credentialId';
    const message = `${verb} a secret, readable by anyone who can read the workflow: ${advice}`;
    problems.push({ path, message, severity: 'warning' });
  };
  const visit = (value: JsonValue, path: string, name: string, carrier: Carrier): void => {
    if (typeof value === 'string') {
      const found = findIn(value, name, carrier);
      if (found !== null) warn(path, found.verb, found.credentialType);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        const inside = Array.isArray(value) ? name : key;
        visit(item, `${path}/${toPointerKey(key)}`, inside, carrierOf(name) ?? carrier);
      }
    }
  };
  if (isPlainObject(node.parameters)) visit(node.parameters, `/nodes/${index}/parameters`, '', null);
  return problems;
};

const carrierOf = (name: string): Carrier => {
  if (name === 'headers') return 'header';
  return name === 'query' ? 'query' : null;
};

interface Found {
  readonly verb: string;
  /** The credential type that would add it to a request; null when it is not part of one. */
  readonly credentialType: string | null;
}

const findIn = (value: string, name: string, carrier: Carrier): Found | null => {
  const literal = splitTemplate(value)
    .map((part) => ('text' in part ? part.text : stringsOf(part.expression)))
    .join('');
  const scheme = carrier === 'header' ? (SCHEME.exec(literal)?.[1]?.toLowerCase() ?? null) : null;
  if (scheme !== null && LOOKS_RANDOM.test(literal.slice(scheme.length).trim()))
    return { verb: 'holds', credentialType: toHeaderType(scheme) };
  const ofUrl = findInUrl(literal);
  if (ofUrl !== null) return { verb: 'holds', credentialType: ofUrl };
  if (SECRET_NAME.test(name) && LOOKS_RANDOM.test(literal))
    return carrier === null
      ? { verb: 'looks like', credentialType: null }
      : { verb: 'holds', credentialType: carrier === 'header' ? 'httpHeader' : 'httpQuery' };
  return SHAPES.some((shape) => shape.test(literal)) ? { verb: 'looks like', credentialType: null } : null;
};

/** The strings of an expression; a blank for the rest of it. */
const stringsOf = (expression: string): string => {
  const text = expression.trim();
  return /^(?:"[^"\\]*"|'[^'\\]*')$/.test(text)
    ? text.slice(1, -1)
    : ` ${[...text.matchAll(/"([^"\\]*)"|'([^'\\]*)'/g)].map(([, one, other]) => one ?? other).join(' ')} `;
};

const toHeaderType = (scheme: string): string => {
  if (scheme === 'basic') return 'httpBasic';
  return scheme === 'bearer' ? 'httpBearer' : 'httpHeader';
};

/** @returns the type of credential for the secret in a URL; null when there is none */
const findInUrl = (text: string): string | null => {
  if (!/^https?:\/\//i.test(text) || text.length > 8_000 || !URL.canParse(text)) return null;
  const { password, searchParams } = new URL(text);
  if (password.trim() !== '') return 'httpBasic';
  const isSecret = [...searchParams].some(
    ([name, value]) => SECRET_NAME.test(name) && LOOKS_RANDOM.test(value),
  );
  return isSecret ? 'httpQuery' : null;
};
