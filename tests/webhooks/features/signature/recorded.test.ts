import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { aSignedService } from '../../../support/a-signed-service.ts';
import { projectRoot } from '../../../support/run-command.ts';

/** Made by the senders' own packages: stripe 23.1.0, @shopify/shopify-api 15.0.0, twilio 6.2.0. */
interface Recorded {
  readonly scheme: string;
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly url?: string;
  readonly query?: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(join(projectRoot, 'tests/fixtures/recorded-signatures.json'), 'utf8'),
);

test.each(recorded)(
  'what the package of $scheme signed is accepted; altered, it is refused: $body',
  async (one) => {
    const { scheme, secret, at, url, query = '', body, headers } = one;
    const signature = { scheme, credentialId: 'sender', ...(url === undefined ? {} : { url }) };
    const { send } = await aSignedService({ signature }, { secrets: [secret], at });
    const request = { body, headers: { ...headers }, query };
    expect(await send(request)).toBe(200);
    const refused = signature.scheme === 'shopify' ? 401 : 403;
    expect(await send({ ...request, body: `${body}&a=1` })).toBe(refused);
    const other = await aSignedService({ signature }, { secrets: [`${secret}-2`], at });
    expect(await other.send(request)).toBe(refused);
  },
);
