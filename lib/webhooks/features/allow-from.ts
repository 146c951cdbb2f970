import { isIP } from 'node:net';
import { familyOf, toBlockList, toNetwork } from '@hookloom/plugin-kit';
import { featureError } from '../../shared/feature-errors.ts';
import type { WebhookFeature } from '../webhook-feature.ts';

/** Refuses callers whose address is in none of the networks. */
export const allowFrom: WebhookFeature = (rule) => {
  const networks = (rule as readonly string[]).map((entry) => (isIP(entry) === 0 ? entry : toNetwork(entry)));
  const list = toBlockList(networks);
  return {
    admit: ({ request: { remoteAddress } }) => {
      if (isIP(remoteAddress) === 0 || !list.check(remoteAddress, familyOf(remoteAddress)))
        throw featureError('CALLER_NOT_ALLOWED', {});
      return null;
    },
  };
};
