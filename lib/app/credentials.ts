import type { Clock, CredentialFields, CredentialType, Logger } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import * as v from 'valibot';
import type { Credential, CredentialStore } from '../credentials/credential.ts';
import { MAX_AT_ONCE, MAX_PER_SECOND, MIN_PER_SECOND } from '../credentials/limits/call-limits.ts';
import type { EditOutboundPorts } from '../credentials/outbound/edit-outbound.ts';
import { parseSecret } from '../credentials/outbound/load-credential.ts';
import { findExpiry, type OutboundCredential } from '../credentials/outbound/outbound-credential.ts';
import { takePage } from '../executions/record/cursor.ts';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import type { ServedRoute } from '../http/create-handler.ts';
import { withTag } from '../http/entity-tags.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { answerJson } from '../shared/answer.ts';
import { CREDENTIAL_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { cursor, hasText, optional, pageSize, text, word } from '../shared/query-fields.ts';
import { findUsersOfCredential } from '../workflows/definition/find-users.ts';
import type { ListUsers } from '../workflows/definition/uses.ts';
import { described, nextCursor } from './answers.ts';
import { shownExpiry } from './expiry-fields.ts';

export const inboundCredential = v.object({
  id: v.string(),
  direction: v.literal('inbound'),
  type: v.picklist(['apiKey', 'basic']),
  username: v.nullable(v.string()),
  secrets: described(
    v.array(v.object({ id: v.string(), createdAt: v.string() })),
    'The live ones, without hashes',
  ),
  expiresAt: shownExpiry,
  revision: v.number(),
});

/** In an object of their own, since every object schema that is exported is a component of the OpenAPI document. */
export const limitFields = {
  limits: v.pipe(
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
  ),
};

export const outboundCredential = v.object({
  id: v.string(),
  direction: v.literal('outbound'),
  type: v.string(),
  fields: described(v.record(v.string(), v.string()), 'Those that are not secret'),
  hosts: v.nullable(v.array(v.string())),
  limits: v.optional(
    described(limitFields.limits, 'On the calls that are sent with it; absent if there are none'),
  ),
  expiresAt: shownExpiry,
  reference: described(v.string(), 'Where the secret is stored'),
  signIn: v.optional(
    described(
      v.record(v.string(), v.string()),
      'For a credential that a person signs in for: authorizationUrl, tokenUrl, clientId, clientAuthentication and scope',
    ),
  ),
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

export interface CredentialsParts extends Omit<EditOutboundPorts, 'store' | 'loadTypes'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly inbound: CredentialStore;
  readonly outbound: EditOutboundPorts['store'];
  readonly loadRegistry: () => Promise<Registry>;
  readonly listUsers: ListUsers;
}

/** A credential of either kind. */
export type Found =
  | { readonly direction: 'inbound'; readonly credential: Credential }
  | { readonly direction: 'outbound'; readonly credential: OutboundCredential };

/** `GET /api/admin/credentials`, and what shows one. */
export const answerCredentials = (parts: CredentialsParts): readonly ServedRoute[] => [
  answerRoute(listCredentialsRoute, async ({ query }) => {
    const [ofCallers, forNodes, types] = await Promise.all([
      parts.inbound.list(),
      parts.outbound.list(),
      loadCredentialTypes(parts),
    ]);
    const all: Found[] = [
      ...ofCallers.map((credential) => ({ direction: 'inbound' as const, credential })),
      ...forNodes.map((credential) => ({ direction: 'outbound' as const, credential })),
    ];
    const rows = all
      .map((found) => describeCredential(found, types))
      .filter(
        ({ id, type, direction }) =>
          hasText(query.text, id, type) &&
          (query.type ?? type) === type &&
          (query.direction ?? direction) === direction,
      )
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    const { page, nextCursor } = takePage(rows, ({ id }) => id, query);
    return answerJson(200, { count: page.length, credentials: page, nextCursor });
  }),

  answerRoute(showCredentialRoute, async ({ params }) => {
    const id = checkCredentialId(params.credentialId);
    const found = await findCredential(id, parts);
    if (found === null) throw new AppError(CREDENTIAL_NOT_FOUND, { credentialId: id });
    const types = await loadCredentialTypes(parts);
    const shown = describeCredential(found, types);
    const [users, storedSecretFields] = await Promise.all([
      findUsers(id, parts),
      found.direction === 'outbound'
        ? findStoredFields(found.credential, types.get(found.credential.type), parts)
        : null,
    ]);
    const body =
      shown.direction === 'inbound' ? { ...shown, users } : { ...shown, storedSecretFields, users };
    return withTag(answerJson(200, body), found.credential.revision);
  }),
];

/** A credential of either kind; null if there is none with this id. */
export const findCredential = async (
  id: string,
  { inbound, outbound }: Pick<CredentialsParts, 'inbound' | 'outbound'>,
): Promise<Found | null> => {
  const [ofCallers, forNodes] = await Promise.all([inbound.find(id), outbound.find(id)]);
  if (ofCallers !== null) return { direction: 'inbound', credential: ofCallers };
  return forNodes === null ? null : { direction: 'outbound', credential: forNodes };
};

export const loadCredentialTypes = async ({ loadRegistry }: Pick<CredentialsParts, 'loadRegistry'>) =>
  (await loadRegistry()).credentialTypes;

/** The nodes that name a credential. */
export const findUsers = async (
  id: string,
  { loadRegistry, listUsers }: Pick<CredentialsParts, 'loadRegistry' | 'listUsers'>,
) => {
  const [{ findNodeType }, definitions] = await Promise.all([
    loadRegistry(),
    listUsers({ kind: 'credentials', names: [id] }),
  ]);
  return findUsersOfCredential(id, definitions, findNodeType);
};

/** Names of secret fields; null if the secret store does not say, for which nothing waits. */
const findStoredFields = async (
  { reference }: OutboundCredential,
  type: CredentialType | undefined,
  { secrets }: Pick<CredentialsParts, 'secrets'>,
) => {
  const secret = await secrets.get(reference, 0).catch(() => undefined);
  if (type === undefined || secret === undefined) return null;
  const stored = (secret === null ? null : parseSecret(secret, type)) ?? {};
  return type.secretFields.filter((field) => Object.hasOwn(stored, field) && stored[field] !== '');
};

/** What a list shows of a credential: nothing of its secrets. */
export type DescribedCredential =
  | DescribedInbound
  | ({
      readonly direction: 'outbound';
      readonly signIn?: CredentialFields | undefined;
    } & Omit<OutboundCredential, 'tokenEnd'>);

export type DescribedInbound = { readonly direction: 'inbound' } & Omit<Credential, 'secrets'> & {
    /** The live ones, without hashes. */
    readonly secrets: readonly Omit<Credential['secrets'][number], 'hash'>[];
  };

export const describeInbound = ({ id, secrets, ...rest }: Credential): DescribedInbound => {
  const live = secrets.map(({ id: secretId, createdAt }) => ({ id: secretId, createdAt }));
  return { id, direction: 'inbound', ...rest, secrets: live };
};

export const describeCredential = (
  found: Found,
  types: ReadonlyMap<string, Pick<CredentialType, 'apply' | 'hosts' | 'toSignIn'>>,
): DescribedCredential => {
  if (found.direction === 'inbound') return describeInbound(found.credential);
  const expiresAt = findExpiry(found.credential);
  const { id, tokenEnd: _end, expiresAt: _said, ...rest } = found.credential;
  const type = types.get(rest.type);
  // A type that lends its fields is for no host; credentials that are older than hosts have none at all.
  const isLent = type !== undefined && type.apply === undefined && type.hosts === undefined;
  const signIn = findSignIn(type, rest.fields);
  return {
    ...{ id, direction: 'outbound', ...rest, hosts: isLent ? [] : rest.hosts },
    ...(expiresAt !== undefined && { expiresAt }),
    ...(signIn !== null && { signIn }),
  };
};

/** What a sign-in needs; null for a type without a sign-in, and if the type, a plugin's, can't say it for these fields. */
const findSignIn = (
  type: Pick<CredentialType, 'toSignIn'> | undefined,
  fields: CredentialFields,
): CredentialFields | null => {
  try {
    return type?.toSignIn?.(fields) ?? null;
  } catch {
    return null;
  }
};

/** @throws AppError `CREDENTIAL_NOT_FOUND` for an invalid id, which the response does not echo */
export const checkCredentialId = (id: string): string => {
  if (isId(id)) return id;
  throw new AppError(CREDENTIAL_NOT_FOUND, { credentialId: 'with this id' });
};
