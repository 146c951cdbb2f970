import { isIP } from 'node:net';
import { familyOf, isNetwork, Type, toBlockList, toNetwork } from '@hookloom/plugin-kit';
import { CALLER_NOT_ALLOWED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { problemsWhere } from '../../workflows/definition/problem.ts';
import { defineFeature } from '../webhook-feature.ts';

const NO_NETWORK =
  'is neither an address nor a network in CIDR notation, such as 192.0.2.0/24 or 2001:db8::/32';

/** Refuses callers whose address is in none of the networks. */
export const allowFrom = defineFeature({
  name: 'allowFrom',
  schema: Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 100,
    description:
      'Networks in CIDR notation, IPv4 and IPv6, or single addresses. Callers from elsewhere get 403. The address is the one that the gateway sees, never X-Forwarded-For',
    examples: [['192.0.2.0/24', '2001:db8::/32', '198.51.100.7']],
  }),
  check: (value) =>
    problemsWhere(
      ...value.map(
        (entry, index) => [isIP(entry) === 0 && !isNetwork(entry), `/${index}`, NO_NETWORK] as const,
      ),
    ),
  stages: (rule) => {
    const networks = rule.map((entry) => (isIP(entry) === 0 ? entry : toNetwork(entry)));
    const list = toBlockList(networks);
    return {
      admit: ({ request: { remoteAddress } }) => {
        if (isIP(remoteAddress) === 0 || !list.check(remoteAddress, familyOf(remoteAddress)))
          throw new AppError(CALLER_NOT_ALLOWED, {});
        return null;
      },
    };
  },
});
