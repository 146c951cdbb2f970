import type { JsonValue } from '@hookloom/plugin-kit';
import { isCredentialHeader, REDACTED } from '../shared/secrets/secret-names.ts';
import type { WorkflowDefinition } from '../workflows/definition/definition.ts';
import type { WebhookRequest } from './webhook.ts';

/** Strings in a workflow's node parameters that may name a header, lower-case. */
interface HeaderReferences {
  /** Strings with expressions: these may name a header anywhere. */
  readonly expressions: readonly string[];
  /** Plain strings: the whole string is a header name, such as the name of a signature header. */
  readonly names: ReadonlySet<string>;
}

/** What each workflow reads of the credential headers; filled by the first request that carries a credential. */
const referencesByDefinition = new WeakMap<WorkflowDefinition, HeaderReferences>();

const findReferences = (definition: WorkflowDefinition): HeaderReferences => {
  const known = referencesByDefinition.get(definition);
  if (known !== undefined) return known;
  const expressions: string[] = [];
  const names = new Set<string>();
  const stack: (readonly [key: string, value: JsonValue])[] = definition.nodes.map(
    ({ parameters }) => ['', parameters] as const,
  );
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [key, value] = next;
    if (typeof value === 'string') {
      // The trigger's `deduplication` is a bare expression, without braces.
      if (value.includes('{{') || key === 'deduplication') expressions.push(value.toLowerCase());
      else names.add(value.toLowerCase());
    } else if (typeof value === 'object' && value !== null) {
      stack.push(...Object.entries(value));
    }
  }
  const references = { expressions, names };
  referencesByDefinition.set(definition, references);
  return references;
};

/** @returns a test for lower-case header names that a node of the workflow mentions */
const createIsNamed = (definition: WorkflowDefinition): ((name: string) => boolean) => {
  const { expressions, names } = findReferences(definition);
  return (name) => names.has(name) || expressions.some((text) => text.includes(name));
};

/**
 * Redacts headers that carry the sender's credentials, such as `authorization`, `cookie` or `x-api-key`, unless a node
 * names them in an expression or as a parameter. Credentials that the workflow does not read are neither stored nor
 * passed on.
 */
export const redactCredentialHeaders = (
  headers: WebhookRequest['headers'],
  definition: WorkflowDefinition,
): WebhookRequest['headers'] => {
  const credentials = Object.keys(headers).filter(isCredentialHeader);
  if (credentials.length === 0) return headers;
  const isNamed = createIsNamed(definition);
  return redactHeaders(
    headers,
    credentials.filter((name) => !isNamed(name)),
  );
};

/** Redacts the values of some headers. @param names - lower-case */
export const redactHeaders = (
  headers: WebhookRequest['headers'],
  names: readonly string[],
): WebhookRequest['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, names.includes(name) ? REDACTED : value]),
  );

/** A redacted header that a node of the workflow reads; null if there is none. */
export const findNamedHeader = (
  headers: WebhookRequest['headers'],
  definition: WorkflowDefinition,
): string | null => {
  const redacted = Object.keys(headers).filter((name) => headers[name] === REDACTED);
  return redacted.find(createIsNamed(definition)) ?? null;
};
