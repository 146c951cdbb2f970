import type { JsonValue } from '../contract/json.ts';
import { REDACTED } from '../executions/record/redact-text.ts';
import { isCredentialHeader } from '../executions/record/secret-names.ts';
import type { WorkflowDefinition } from '../workflows/definition/definition.ts';
import type { WebhookRequest } from './webhook-request.ts';

/** What the nodes of a definition may name headers in, in small letters. */
interface Mentions {
  /** Texts with expressions: a header is named anywhere in them. */
  readonly expressions: readonly string[];
  /** Plain texts: the name of a header is the whole of it, as where a node is told which one to verify. */
  readonly names: ReadonlySet<string>;
}

/** Found when a request to the workflow first carries a credential. */
const mentions = new WeakMap<WorkflowDefinition, Mentions>();

const mentionsIn = (definition: WorkflowDefinition): Mentions => {
  const known = mentions.get(definition);
  if (known !== undefined) return known;
  const expressions: string[] = [];
  const names = new Set<string>();
  const work: (readonly [key: string, value: JsonValue])[] = definition.nodes.map(
    ({ parameters }) => ['', parameters] as const,
  );
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const [key, value] = next;
    if (typeof value === 'string') {
      // The trigger's own expression has no braces.
      if (value.includes('{{') || key === 'deduplication') expressions.push(value.toLowerCase());
      else names.add(value.toLowerCase());
    } else if (typeof value === 'object' && value !== null) {
      work.push(...Object.entries(value));
    }
  }
  const found = { expressions, names };
  mentions.set(definition, found);
  return found;
};

/**
 * Headers as the workflow may see them: those that carry a credential of the sender, such as `authorization`, `cookie`
 * or `x-api-key`, only when a node of the workflow names them, in an expression or as a parameter. What it does not read is
 * neither stored with the request nor handed on.
 */
export const withholdCredentials = (
  headers: WebhookRequest['headers'],
  definition: WorkflowDefinition,
): WebhookRequest['headers'] => {
  const carriers = Object.keys(headers).filter(isCredentialHeader);
  if (carriers.length === 0) return headers;
  const { expressions, names } = mentionsIn(definition);
  const isWithheld = (name: string): boolean =>
    carriers.includes(name) && !names.has(name) && !expressions.some((text) => text.includes(name));
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isWithheld(name) ? REDACTED : value]),
  );
};
