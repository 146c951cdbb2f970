import * as v from 'valibot';
import {
  createCredential,
  MIN_PASSWORD_LENGTH,
  revokeAll,
  revokeSecret,
  rotateCredential,
  type WithNewSecret,
} from '../credentials/create-credential.ts';
import { type Credential, withExpiry } from '../credentials/credential.ts';
import { createEditOutbound } from '../credentials/outbound/edit-outbound.ts';
import type { OutboundCredential } from '../credentials/outbound/outbound-credential.ts';
import { refuseCredential, refuseField } from '../credentials/outbound/outbound-rules.ts';
import { isBound } from '../credentials/outbound/secret-store.ts';
import { answerRoute, defineRoute, type RouteCall } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { checkPrecondition, withTag } from '../http/entity-tags.ts';
import type { BodyLimits } from '../http/read-json-body.ts';
import { answerJson } from '../shared/answer.ts';
import {
  CREDENTIAL_CHANGED,
  CREDENTIAL_EXISTS,
  CREDENTIAL_IN_USE,
  CREDENTIAL_NOT_FOUND,
  CREDENTIAL_UNSUITABLE,
  PRECONDITION_FAILED,
} from '../shared/error-catalogue.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { optional, word } from '../shared/query-fields.ts';
import { describeUser } from '../workflows/definition/find-users.ts';
import { described } from './answers.ts';
import {
  answerCredentials,
  type CredentialsParts,
  checkCredentialId,
  type DescribedCredential,
  type DescribedInbound,
  describeCredential,
  describeInbound,
  type Found,
  findCredential,
  findUsers,
  inboundCredential,
  limitFields,
  loadCredentialTypes,
  outboundCredential,
} from './credentials.ts';
import { expiry } from './expiry-fields.ts';

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
    limits: v.optional(limitFields.limits),
    expiresAt: v.optional(v.nullable(expiry)),
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
  body: v.strictObject({
    password,
    secrets: v.optional(fieldsOfType),
    expiresAt: v.optional(v.nullable(expiry)), // without it, when the new secret expires is not known
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
  body: v.strictObject({ limits: described(v.nullable(limitFields.limits), 'null removes them') }),
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

/** What a write has stored or removed. */
interface Changed<Body = ChangedCredential> {
  readonly revision: number;
  readonly body: Body;
}

/**
 * `GET /api/admin/credentials`, and what shows, creates, rotates, revokes and removes one. A secret is only in the answer
 * to the request that has it generated.
 */
export const createCredentials = (parts: CredentialsParts) => {
  const { inbound, clock } = parts;
  const loadTypes = () => loadCredentialTypes(parts);
  const outbound = createEditOutbound({ ...parts, store: parts.outbound, loadTypes });

  const showOutbound = async (credential: OutboundCredential): Promise<Changed> => ({
    revision: credential.revision,
    body: describeCredential({ direction: 'outbound', credential }, await loadTypes()),
  });

  const storeInbound = async ({ credential, newSecret }: WithNewSecret): Promise<Changed> => {
    await inbound.put(credential);
    const made = newSecret === null ? {} : { newSecret };
    const secretId = credential.secrets.at(-1)?.id;
    return { revision: credential.revision, body: { ...describeInbound(credential), secretId, ...made } };
  };

  /** A write, whose precondition fails as well if another request is faster. */
  const write = async <const Status extends number, Body>(
    { event, params, addLogFields }: WriteCall,
    status: Status,
    make: (id: string, found: Found | null) => Promise<Changed<Body>>,
  ) => {
    const id = checkCredentialId(params.credentialId);
    const found = await findCredential(id, parts);
    const condition = checkPrecondition(event, toReplaced(id, found), clock.now());
    try {
      const { revision, body } = await make(id, found);
      addLogFields({ credentials: `${id}@${revision}` });
      return withTag(answerJson(status, body), revision);
    } catch (error) {
      if (!isAppError(error, 'CREDENTIAL_CHANGED')) throw error;
      if (condition !== undefined)
        throw new AppError(PRECONDITION_FAILED, toReplaced(id, await findCredential(id, parts)), error);
      throw found === null ? new AppError(CREDENTIAL_EXISTS, { credentialId: id }, error) : error;
    }
  };

  const change = <Body>(call: WriteCall, make: (found: Found) => Promise<Changed<Body>>) =>
    write(call, 200, async (id, found) => {
      if (found === null) throw new AppError(CREDENTIAL_NOT_FOUND, { credentialId: id });
      return make(found);
    });

  return serveRoutes(parts, [
    ...answerCredentials(parts),

    answerRoute(createCredentialRoute, (call) =>
      write(call, 201, async (id, found) => {
        const { body } = call;
        if (found !== null) throw new AppError(CREDENTIAL_EXISTS, { credentialId: id });
        if (!isInboundType(body.type)) {
          refuseOthers(body, ['username', 'password'], 'is for the type basic; others have "secrets"');
          return showOutbound(await outbound.create({ id, ...body }));
        }
        const { username, password: chosen } = readInbound({ ...body, type: body.type });
        const credential = { id, type: body.type, username };
        const made = await createCredential(credential, { now: clock.now(), chosen });
        return storeInbound({ ...made, credential: withExpiry(made.credential, body.expiresAt) });
      }),
    ),

    answerRoute(rotateCredentialRoute, (call) =>
      change(call, async ({ direction, credential }) => {
        const { body } = call;
        if (direction === 'outbound') {
          refuseOthers(body, ['password'], 'is for the type basic; others have "secrets"');
          if (body.secrets === undefined)
            return refuseField('#/secrets', 'is missing: the secret fields to replace');
          return showOutbound(await outbound.rotate(credential, body.secrets, body.expiresAt));
        }
        const { password } = readInbound({ ...body, type: credential.type, username: credential.username });
        const made = await rotateCredential(credential, { now: clock.now(), chosen: password });
        return storeInbound({ ...made, credential: withExpiry(made.credential, body.expiresAt) });
      }),
    ),

    answerRoute(revokeSecretRoute, (call) =>
      change(call, async ({ direction, credential }) => {
        const { secretId, all } = call.body;
        if ((secretId === undefined) !== (all === true))
          return refuseField('#', 'needs either "secretId", or "all": true');
        if (direction === 'outbound')
          return refuseKind(credential.id, 'is for calling out and has one secret: rotate or remove it');
        const left = secretId === undefined ? revokeAll(credential) : revokeSecret(credential, secretId);
        if (left === null) {
          const live = credential.secrets.map(({ id }) => id).join(', ');
          return refuseKind(
            credential.id,
            `has no secret ${secretId}; its live secrets are: ${live || 'none'}`,
          );
        }
        await inbound.put(left);
        return { revision: left.revision, body: describeInbound(left) };
      }),
    ),

    answerRoute(changeHostsRoute, (call) =>
      change(call, async ({ direction, credential }) => {
        if (direction === 'inbound')
          return refuseKind(credential.id, 'is for callers, who present it: it has no hosts');
        const { hosts, secrets } = call.body;
        return showOutbound(await outbound.changeHosts(credential, hosts, secrets));
      }),
    ),

    answerRoute(changeLimitsRoute, (call) =>
      change(call, async ({ direction, credential }) => {
        if (direction === 'inbound')
          return refuseKind(credential.id, 'is for callers: the limits on their requests are at the webhook');
        return showOutbound(await outbound.changeLimits(credential, call.body.limits));
      }),
    ),

    answerRoute(removeCredentialRoute, (call) =>
      change(call, async ({ direction, credential }) => {
        const { id, revision } = credential;
        if (call.query.force !== 'true') {
          const users = (await findUsers(id, parts)).map(describeUser);
          if (users.length > 0) throw new AppError(CREDENTIAL_IN_USE, { credentialId: id, users });
        }
        const body = { id, removed: true as const };
        if (direction === 'inbound') {
          if (!(await inbound.remove(credential)))
            throw new AppError(CREDENTIAL_CHANGED, { credentialId: id });
          return { revision, body };
        }
        await outbound.remove(credential);
        // The secret in Secrets Manager, which is its owner's.
        const kept = isBound(credential.reference) ? { keptSecret: credential.reference } : {};
        return { revision, body: { ...body, ...kept } };
      }),
    ),
  ]);
};

type WriteCall = Pick<RouteCall<typeof rotateCredentialRoute>, 'event' | 'params' | 'addLogFields'>;

const INBOUND_TYPES: readonly Credential['type'][] = ['apiKey', 'basic'];

const isInboundType = (type: string): type is Credential['type'] =>
  INBOUND_TYPES.some((inbound) => inbound === type);

type ChangedCredential =
  | Exclude<DescribedCredential, DescribedInbound>
  | (DescribedInbound & {
      readonly secretId?: string | undefined;
      /** The generated secret, which is in no other answer. */
      readonly newSecret?: string;
    });

const toReplaced = (id: string, found: Found | null) => ({
  resource: `credential ${id}`,
  currentVersion: found?.credential.revision ?? null,
});

const refuseKind = (credentialId: string, reason: string): never => {
  throw new AppError(CREDENTIAL_UNSUITABLE, { credentialId, reason });
};

type Body = Partial<RouteCall<typeof createCredentialRoute>['body']>;

/** @throws AppError `CREDENTIAL_INVALID` if the body has one of these */
const refuseOthers = (body: Body, names: readonly (keyof Body)[], detail: string): void => {
  const given = names.filter((name) => body[name] !== undefined);
  if (given.length > 0) refuseCredential(given.map((name) => ({ pointer: `#/${name}`, detail })));
};

/** The user name and the chosen password, null if there are none. @throws AppError `CREDENTIAL_INVALID` */
const readInbound = ({
  type,
  username,
  password: chosen,
  ...others
}: Omit<Body, 'type' | 'username'> & {
  readonly type: Credential['type'];
  readonly username?: string | null | undefined;
}): { readonly username: string | null; readonly password: string | null } => {
  refuseOthers(others, ['fields', 'secrets', 'ref', 'hosts', 'limits'], 'is for credentials for calling out');
  if (type === 'apiKey') {
    const given = {
      ...(username == null ? {} : { username }),
      ...(chosen === undefined ? {} : { password: chosen }),
    };
    refuseOthers(
      given,
      ['username', 'password'],
      'is for the type basic: an API key is generated and has no user name',
    );
    return { username: null, password: null };
  }
  if (!username) return refuseField('#/username', 'is missing: the type basic needs it');
  if (username.includes(':')) return refuseField('#/username', "can't contain a colon (RFC 7617)");
  if (chosen !== undefined && chosen.length < MIN_PASSWORD_LENGTH)
    return refuseField('#/password', `needs at least ${MIN_PASSWORD_LENGTH} characters`);
  return { username, password: chosen ?? null };
};
