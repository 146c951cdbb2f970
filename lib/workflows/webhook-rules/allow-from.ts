import { isIP } from 'node:net';
import { isNetwork, Type } from '@hookloom/plugin-kit';
import { defineRule } from './webhook-rule.ts';

/** Networks of the callers that are let in. */
export const allowFrom = defineRule(
  Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 100,
    description:
      'Networks in CIDR notation, IPv4 and IPv6, or single addresses: callers of others get 403. By the address that the gateway saw, never by X-Forwarded-For',
    examples: [['192.0.2.0/24', '2001:db8::/32', '198.51.100.7']],
  }),
  {
    findProblems: (value) =>
      (value as readonly string[]).flatMap((entry, index) =>
        isIP(entry) !== 0 || isNetwork(entry)
          ? []
          : [
              {
                path: `/${index}`,
                message:
                  'is neither an address nor a network in CIDR notation, such as 192.0.2.0/24 or 2001:db8::/32',
              },
            ],
      ),
  },
);
