import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { deliveryKeys } from '../../lib/workflows/definition/delivery-keys.ts';
import { WEBHOOK_TRIGGER } from '../../lib/workflows/definition/to-path-configs.ts';

/** Schemes that any sender can use. */
const OF_ANY_SENDER: readonly unknown[] = ['hmac', 'jwt'];

/**
 * Finds webhooks that read a delivery's key from a request whose sender is not verified: by guessing a key, any caller can
 * make the real delivery look repeated. A warning: the webhook works.
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
      `/nodes/${index}/parameters/deduplication any caller can forge a delivery key of ${deduplication}: ${advice}`,
    ];
  });
