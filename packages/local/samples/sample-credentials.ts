import { STAND_IN_ADDRESS } from './stand-in-address.ts';

/** The token of all sample credentials. Not a secret: it only protects invented data. */
export const SAMPLE_TOKEN = 'token-of-a-sample';

const hosts = [`${STAND_IN_ADDRESS.host}:${STAND_IN_ADDRESS.port}`];

/** The credentials with which the samples call the stand-in, and the one that a sender signs with: public and secret fields. */
export const sampleCredentials = [
  { id: 'people-api', type: 'httpBearer', fields: {}, hosts, secrets: { token: SAMPLE_TOKEN } },
  { id: 'slack-bot', type: 'httpBearer', fields: {}, hosts, secrets: { token: SAMPLE_TOKEN } },
  { id: 'language-model', type: 'httpBearer', fields: {}, hosts, secrets: { token: SAMPLE_TOKEN } },
  {
    id: 'mail-server',
    type: 'smtp',
    fields: {
      host: STAND_IN_ADDRESS.host,
      port: String(STAND_IN_ADDRESS.mailPort),
      security: 'none',
      username: 'sample',
    },
    hosts: [],
    secrets: { password: SAMPLE_TOKEN },
  },
  {
    id: 'signed-event-secret',
    type: 'signingSecret',
    fields: {},
    hosts: [],
    secrets: { secret: 'secret-of-a-sample' },
  },
] as const;
