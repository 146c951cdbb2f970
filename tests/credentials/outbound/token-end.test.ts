import { describe, expect, test } from '@jest/globals';
import { findExpiry } from '../../../lib/credentials/outbound/outbound-credential.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';
import { type Answer, anOutboundService } from '../../support/outbound-credentials.ts';

const TOKEN_URL = 'https://login.example.com/token';
const HOUR = 3_600;
const DAY = 24 * HOUR;

/** A credential whose access tokens last for an hour, and a server that says how long its refresh tokens last. */
const aCredential = async (says: (renewal: number) => object) => {
  let renewals = 0;
  const answer: Answer = ({ url }) => {
    if (url !== TOKEN_URL) return {};
    renewals += 1;
    const token = { access_token: `access-${renewals}`, expires_in: HOUR, ...says(renewals) };
    return { text: JSON.stringify(token) };
  };
  const service = anOutboundService({ answer });
  const fields = { tokenUrl: TOKEN_URL, clientId: 'client', grant: 'refreshToken' };
  await service.put('crm', 'oauth2', { clientSecret: 'client-secret', refreshToken: 'refresh-1' }, fields);
  const { clock, credentials, store } = service;
  const begin = clock.now();
  return {
    /** Sends a request in each hour. @returns when the credential expires, in seconds after the beginning */
    send: async (hours: number) => {
      for (let sent = 0; sent < hours; sent++) {
        const credential = await (await credentials.open()).lend('crm', ['oauth2']);
        await credentials.request({ ...anOutboundRequest('https://api.example.com/'), credential });
        clock.advance(HOUR * 1_000);
      }
      const record = await store.find('crm');
      const end = record === null ? undefined : findExpiry(record);
      return end === undefined ? null : (Date.parse(end) - begin) / 1_000;
    },
    renewals: () => renewals,
    service,
  };
};

describe('the expiry of a credential whose server says when its refresh token ends', () => {
  test.each(['refresh_token_expires_in', 'refresh_expires_in', 'x_refresh_token_expires_in'])(
    'is known from the first renewal on (%s), and postponed by each',
    async (name) => {
      const { send } = await aCredential(() => ({ [name]: 90 * DAY }));
      expect(await send(1)).toBe(90 * DAY);
      expect(await send(2)).toBe(90 * DAY + 2 * HOUR);
    },
  );

  test('is known of a token that ends in days when a renewal did not postpone it', async () => {
    const { send } = await aCredential((renewal) => ({
      refresh_token_expires_in: String(7 * DAY - (renewal - 1) * HOUR + renewal), // the answers took a while
    }));
    expect(await send(1)).toBeNull();
    expect(await send(2)).toBe(7 * DAY + 1);
    expect(await send(50)).toBe(7 * DAY + 1);
  });

  test('is not known of a token that ends in days and that each renewal postpones', async () => {
    const { send } = await aCredential(() => ({ refresh_expires_in: 1_800 }));
    expect([await send(1), await send(1), await send(9)]).toEqual([null, null, null]);
  });

  test.each([
    ['never', { refresh_expires_in: 0, refresh_token: 'refresh-2' }],
    ['not said of its successor', { refresh_token: 'refresh-2' }],
    ['no date', { refresh_token_expires_in: 1e300, refresh_token: 'refresh-2' }],
    ['no number', { refresh_token_expires_in: 'soon', refresh_token: 'refresh-2' }],
  ])('is forgotten when it is %s', async (_what, later) => {
    const { send } = await aCredential((renewal) =>
      renewal === 1 ? { refresh_token_expires_in: 90 * DAY } : later,
    );
    expect([await send(1), await send(1)]).toEqual([90 * DAY, null]);
  });

  test('remains while the server says nothing of a token that it keeps', async () => {
    const { send } = await aCredential((renewal) =>
      renewal === 1 ? { refresh_token_expires_in: 90 * DAY } : {},
    );
    expect([await send(1), await send(1)]).toEqual([90 * DAY, 90 * DAY]);
  });
});
