import * as v from 'valibot';
import { MAX_AT_ONCE, MAX_PER_SECOND, MIN_PER_SECOND } from '../credentials/limits/call-limits.ts';
import { defineRoute } from '../http/api-route.ts';
import type { BodyLimits } from '../http/read-json-body.ts';
import { cursor, optional, pageSize, text, word } from '../shared/query-fields.ts';
import { described, nextCursor } from './answers.ts';

export const inboundCredential = v.object({
  id: v.string(),
  direction: v.literal('inbound'),
  type: v.picklist(['apiKey', 'basic']),
  username: v.nullable(v.string()),
  secrets: described(
    v.array(v.object({ id: v.string(), createdAt: v.string() })),
    'The live ones, without hashes',
  ),
  revision: v.number(),
});

const callLimits = v.pipe(
  v.strictObject({
    perSecond: v.optional(
      described(
        v.pipe(
          v.number(),
          v.minValue(MIN_PER_SECOND, `must be at least ${MIN_PER_SECOND}`),
          v.maxValue(MAX_PER_SECOND, `must be at most ${MAX_PER_SECOND}`),
        ),
        'Calls in any second; 0.5 is one in two seconds',
      ),
    ),
    atOnce: v.optional(
      described(
        v.pipe(
          v.number(),
          v.integer('must be a whole number'),
          v.minValue(1, 'must be at least 1'),
          v.maxValue(MAX_AT_ONCE, `must be at most ${MAX_AT_ONCE}`),
        ),
        'Calls at a time',
      ),
    ),
  }),
  v.check(
    ({ perSecond, atOnce }) => perSecond !== undefined || atOnce !== undefined,
    'must have "perSecond", "atOnce" or both',
  ),
);

export const outboundCredential = v.object({
  id: v.string(),
  direction: v.literal('outbound'),
  type: v.string(),
  fields: described(v.record(v.string(), v.string()), 'Those that are not secret'),
  hosts: v.nullable(v.array(v.string())),
  limits: v.optional(described(callLimits, 'On the calls that are sent with it; absent if there are none')),
  reference: described(v.string(), 'Where the secret is stored'),
  revision: v.number(),
});

export const listCredentialsRoute = defineRoute({
  route: 'GET /api/admin/credentials',
  summary: 'a page of the credentials, by id',
  query: v.object({
    text: optional(text, 'Part of the id or the type, in any case'),
    type: optional(text, 'The credential type'),
    direction: optional(word(['inbound', 'outbound']), 'For callers, or for calling out'),
    limit: pageSize,
    cursor,
  }),
  answers: {
    200: v.object({
      count: v.number(),
      credentials: v.array(v.variant('direction', [inboundCredential, outboundCredential])),
      nextCursor,
    }),
  },
});

const users = v.array(v.object({ workflowId: v.string(), nodeId: v.string() }));

export const showCredentialRoute = defineRoute({
  route: 'GET /api/admin/credentials/{credentialId}',
  summary: 'one with its `users`; its revision is the `ETag`',
  answers: {
    200: v.variant('direction', [
      v.object({ ...inboundCredential.entries, users }),
      v.object({
        ...outboundCredential.entries,
        storedSecretFields: described(
          v.nullable(v.array(v.string())),
          'Names of the secret fields that are stored; null if the secret store does not answer',
        ),
        users,
      }),
    ]),
  },
  hasTag: true,
  problems: ['CREDENTIAL_NOT_FOUND'],
});

const MAX_USERNAME_LENGTH = 256;
const MAX_PASSWORD_LENGTH = 1_024;
const MAX_HOSTS = 100;

/** Public fields are stored in one item of DynamoDB, of at most 400 kB. */
const credentialLimits: BodyLimits = { maxBytes: 300_000, maxDepth: 5 };

const bounded = (max: number) => v.pipe(v.string(), v.maxLength(max, `must have at most ${max} characters`));
const fieldsOfType = v.record(v.string(), v.string());
const hostList = v.pipe(
  v.array(v.string()),
  v.maxLength(MAX_HOSTS, `must have at most ${MAX_HOSTS} entries`),
);
const password = v.optional(bounded(MAX_PASSWORD_LENGTH));

const changedCredential = v.variant('direction', [
  v.object({
    ...inboundCredential.entries,
    secretId: v.optional(v.string()),
    newSecret: v.optional(described(v.string(), 'The generated secret, which is in no other answer')),
  }),
  outboundCredential,
]);

export const createCredentialRoute = defineRoute({
  route: 'PUT /api/admin/credentials/{credentialId}',
  summary: 'creates one; a 409 if the id is taken',
  headers: ['if-match', 'if-none-match'],
  /** The fields of either kind; which ones its type has is checked later, with its own messages. */
  body: v.strictObject({
    type: bounded(64),
    username: v.optional(bounded(MAX_USERNAME_LENGTH)),
    password,
    fields: v.optional(fieldsOfType),
    secrets: v.optional(fieldsOfType),
    ref: v.optional(bounded(2_048)),
    hosts: v.optional(hostList),
    limits: v.optional(callLimits),
  }),
  bodyLimits: credentialLimits,
  answers: { 201: changedCredential },
  hasTag: true,
  problems: [
    'CREDENTIAL_NOT_FOUND',
    'CREDENTIAL_EXISTS',
    'CREDENTIAL_BUSY',
    'CREDENTIAL_INVALID',
    'CREDENTIAL_UNSUITABLE',
    'SECRETS_UNAVAILABLE',
  ],
});

export const rotateCredentialRoute = defineRoute({
  route: 'POST /api/admin/credentials/{credentialId}/rotate',
  summary: 'adds a secret for callers, or replaces secret fields',
  headers: ['if-match', 'if-none-match'],
  body: v.strictObject({ password, secrets: v.optional(fieldsOfType) }),
  bodyLimits: credentialLimits,
  answers: { 200: changedCredential },
  hasTag: true,
  problems: [
    'CREDENTIAL_NOT_FOUND',
    'CREDENTIAL_CHANGED',
    'CREDENTIAL_BUSY',
    'CREDENTIAL_INVALID',
    'CREDENTIAL_UNSUITABLE',
    'TOO_MANY_SECRETS',
    'SECRETS_UNAVAILABLE',
  ],
});

export const revokeSecretRoute = defineRoute({
  route: 'POST /api/admin/credentials/{credentialId}/revoke',
  summary: 'revokes one secret of callers, or all',
  headers: ['if-match', 'if-none-match'],
  body: v.strictObject({
    // Not any text: a secret by mistake would be in the answer.
    secretId: v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'must be the id of a secret: a number'))),
    all: v.optional(v.literal(true)),
  }),
  bodyLimits: credentialLimits,
  answers: { 200: changedCredential },
  hasTag: true,
  problems: ['CREDENTIAL_NOT_FOUND', 'CREDENTIAL_CHANGED', 'CREDENTIAL_INVALID', 'CREDENTIAL_UNSUITABLE'],
});

export const changeHostsRoute = defineRoute({
  route: 'POST /api/admin/credentials/{credentialId}/hosts',
  summary: 'replaces the hosts of one for calling out',
  headers: ['if-match', 'if-none-match'],
  body: v.strictObject({
    hosts: v.optional(hostList),
    secrets: v.optional(
      described(
        fieldsOfType,
        'All secret fields, which a new host needs again; they replace the stored ones',
      ),
    ),
  }),
  bodyLimits: credentialLimits,
  answers: { 200: changedCredential },
  hasTag: true,
  problems: [
    'CREDENTIAL_NOT_FOUND',
    'CREDENTIAL_CHANGED',
    'CREDENTIAL_BUSY',
    'CREDENTIAL_INVALID',
    'CREDENTIAL_UNSUITABLE',
    'SECRETS_UNAVAILABLE',
  ],
});

export const changeLimitsRoute = defineRoute({
  route: 'POST /api/admin/credentials/{credentialId}/limits',
  summary: 'replaces the limits on the calls of one for calling out',
  headers: ['if-match', 'if-none-match'],
  body: v.strictObject({ limits: described(v.nullable(callLimits), 'null removes them') }),
  bodyLimits: credentialLimits,
  answers: { 200: changedCredential },
  hasTag: true,
  problems: [
    'CREDENTIAL_NOT_FOUND',
    'CREDENTIAL_CHANGED',
    'CREDENTIAL_BUSY',
    'CREDENTIAL_INVALID',
    'CREDENTIAL_UNSUITABLE',
  ],
});

export const removeCredentialRoute = defineRoute({
  route: 'DELETE /api/admin/credentials/{credentialId}',
  summary: 'removes one with its secrets',
  query: v.object({ force: optional(word(['true', 'false']), 'Whether to remove it although nodes use it') }),
  headers: ['if-match', 'if-none-match'],
  answers: {
    200: v.object({
      id: v.string(),
      removed: v.literal(true),
      keptSecret: v.optional(described(v.string(), "The secret in Secrets Manager, which is its owner's")),
    }),
  },
  hasTag: true,
  problems: [
    'CREDENTIAL_NOT_FOUND',
    'CREDENTIAL_CHANGED',
    'CREDENTIAL_BUSY',
    'CREDENTIAL_IN_USE',
    'CREDENTIAL_UNSUITABLE',
    'SECRETS_UNAVAILABLE',
  ],
});
