import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { deliveryKeys } from '../../lib/workflows/definition/delivery-keys.ts';
import { WEBHOOK_TRIGGER } from '../../lib/workflows/definition/to-path-configs.ts';

/** Schemes that any sender can have. */
const OF_ANY_SENDER: readonly unknown[] = ['hmac', 'jwt'];

/**
 * Finds webhooks that take a delivery's key from a sender without a proof that the request is of that sender: with a key that
 * it has guessed, any caller can have the delivery itself taken for a repeated one. A warning: the webhook works.
 *
 * @returns one line for each: `/nodes/0/parameters/deduplication …`
 */
export const findUnsignedDeduplication = ({ nodes }: Pick<WorkflowDefinition, 'nodes'>): string[] =>
  nodes.flatMap(({ type, parameters }, index) => {
    const { deduplication, authentication = 'none', signature } = parameters;
    if (type !== WEBHOOK_TRIGGER || typeof deduplication !== 'string') return [];
    if (!Object.hasOwn(deliveryKeys, deduplication) || authentication !== 'none') return [];
    const { scheme = null } = { ...(signature as object | null) } as { readonly scheme?: unknown };
    if (scheme === deduplication || OF_ANY_SENDER.includes(scheme)) return [];
    const advice = `set the parameter signature to the scheme ${deduplication}`;
    return [
      `/nodes/${index}/parameters/deduplication any caller can claim a key of ${deduplication}: ${advice}`,
    ];
  });
