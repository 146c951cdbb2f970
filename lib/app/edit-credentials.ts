import type { Clock, Logger } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import {
  createCredential,
  MIN_PASSWORD_LENGTH,
  revokeAll,
  revokeSecret,
  rotateCredential,
  type WithNewSecret,
} from '../credentials/create-credential.ts';
import type { Credential, CredentialStore } from '../credentials/credential.ts';
import { createEditOutbound, type EditOutboundPorts } from '../credentials/outbound/edit-outbound.ts';
import { parseSecret } from '../credentials/outbound/load-credential.ts';
import type { OutboundCredential } from '../credentials/outbound/outbound-credential.ts';
import { refuse, refuseField } from '../credentials/outbound/outbound-rules.ts';
import { isBound } from '../credentials/outbound/secret-store.ts';
import { takePage } from '../executions/record/cursor.ts';
import { answerRoute, type RouteCall } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { checkPrecondition, withTag } from '../http/entity-tags.ts';
import type { Registry } from '../plugins/load-registry.ts';
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
import { hasText } from '../shared/query-fields.ts';
import { describeUser, findUsersOfCredential } from '../workflows/definition/find-users.ts';
import type { ListUsers } from '../workflows/definition/uses.ts';
import {
  changeHostsRoute,
  changeLimitsRoute,
  createCredentialRoute,
  listCredentialsRoute,
  removeCredentialRoute,
  revokeSecretRoute,
  rotateCredentialRoute,
  showCredentialRoute,
} from './credentials.ts';

interface CredentialsParts extends Omit<EditOutboundPorts, 'store' | 'loadTypes'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly inbound: CredentialStore;
  readonly outbound: EditOutboundPorts['store'];
  readonly loadRegistry: () => Promise<Registry>;
  readonly listUsers: ListUsers;
}

/** A credential of either kind. */
type Found =
  | { readonly direction: 'inbound'; readonly credential: Credential }
  | { readonly direction: 'outbound'; readonly credential: OutboundCredential };

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
  const loadTypes = async () => (await parts.loadRegistry()).credentialTypes;
  const outbound = createEditOutbound({ ...parts, store: parts.outbound, loadTypes });

  const find = async (id: string): Promise<Found | null> => {
    const [ofCallers, forNodes] = await Promise.all([inbound.find(id), parts.outbound.find(id)]);
    if (ofCallers !== null) return { direction: 'inbound', credential: ofCallers };
    return forNodes === null ? null : { direction: 'outbound', credential: forNodes };
  };

  const requireFound = async (id: string): Promise<Found> => {
    const found = await find(id);
    if (found === null) throw new AppError(CREDENTIAL_NOT_FOUND, { credentialId: id });
    return found;
  };

  const describe = async (found: Found): Promise<DescribedCredential> =>
    describeCredential(found, await loadTypes());

  const showOutbound = async (credential: OutboundCredential): Promise<Changed> => ({
    revision: credential.revision,
    body: await describe({ direction: 'outbound', credential }),
  });

  const storeInbound = async ({ credential, newSecret }: WithNewSecret): Promise<Changed> => {
    await inbound.put(credential);
    const made = newSecret === null ? {} : { newSecret };
    const secretId = credential.secrets.at(-1)?.id;
    return { revision: credential.revision, body: { ...describeInbound(credential), secretId, ...made } };
  };

  /** Names alone; null if the secret store does not say, for which nothing waits. */
  const findStoredFields = async ({ type: name, reference }: OutboundCredential) => {
    const type = (await loadTypes()).get(name);
    const secret = await parts.secrets.get(reference, 0).catch(() => undefined);
    if (type === undefined || secret === undefined) return null;
    const stored = (secret === null ? null : parseSecret(secret, type)) ?? {};
    return type.secretFields.filter((field) => Object.hasOwn(stored, field) && stored[field] !== '');
  };

  const findUsers = async (id: string) => {
    const [{ findNodeType }, definitions] = await Promise.all([
      parts.loadRegistry(),
      parts.listUsers({ kind: 'credentials', names: [id] }),
    ]);
    return findUsersOfCredential(id, definitions, findNodeType);
  };

  /** A write, whose precondition fails as well if another request is faster. */
  const write = async <const Status extends number, Body>(
    { event, params, addLogFields }: WriteCall,
    status: Status,
    make: (id: string, found: Found | null) => Promise<Changed<Body>>,
  ) => {
    const id = checkCredentialId(params.credentialId);
    const found = await find(id);
    const condition = checkPrecondition(event, toReplaced(id, found), clock.now());
    try {
      const { revision, body } = await make(id, found);
      addLogFields({ credentials: `${id}@${revision}` });
      return withTag(answerJson(status, body), revision);
    } catch (error) {
      if (!isAppError(error, 'CREDENTIAL_CHANGED')) throw error;
      if (condition !== undefined)
        throw new AppError(PRECONDITION_FAILED, toReplaced(id, await find(id)), error);
      throw found === null ? new AppError(CREDENTIAL_EXISTS, { credentialId: id }, error) : error;
    }
  };

  const change = <Body>(call: WriteCall, make: (found: Found) => Promise<Changed<Body>>) =>
    write(call, 200, async (id, found) => {
      if (found === null) throw new AppError(CREDENTIAL_NOT_FOUND, { credentialId: id });
      return make(found);
    });

  return serveRoutes(parts, [
    answerRoute(listCredentialsRoute, async ({ query }) => {
      const [ofCallers, forNodes, types] = await Promise.all([
        inbound.list(),
        parts.outbound.list(),
        loadTypes(),
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
      const found = await requireFound(id);
      const [shown, users, storedSecretFields] = await Promise.all([
        describe(found),
        findUsers(id),
        found.direction === 'outbound' ? findStoredFields(found.credential) : null,
      ]);
      const body =
        shown.direction === 'inbound' ? { ...shown, users } : { ...shown, storedSecretFields, users };
      return withTag(answerJson(200, body), found.credential.revision);
    }),

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
        return storeInbound(await createCredential(credential, { now: clock.now(), chosen }));
      }),
    ),

    answerRoute(rotateCredentialRoute, (call) =>
      change(call, async ({ direction, credential }) => {
        const { body } = call;
        if (direction === 'outbound') {
          refuseOthers(body, ['password'], 'is for the type basic; others have "secrets"');
          if (body.secrets === undefined)
            return refuseField('#/secrets', 'is missing: the secret fields to replace');
          return showOutbound(await outbound.rotate(credential, body.secrets));
        }
        const { password } = readInbound({ ...body, type: credential.type, username: credential.username });
        return storeInbound(await rotateCredential(credential, { now: clock.now(), chosen: password }));
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
          const users = (await findUsers(id)).map(describeUser);
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

/** What a list shows of a credential: nothing of its secrets. */
export type DescribedCredential =
  | DescribedInbound
  | ({ readonly direction: 'outbound' } & OutboundCredential);

type DescribedInbound = { readonly direction: 'inbound' } & Omit<Credential, 'secrets'> & {
    /** The live ones, without hashes. */
    readonly secrets: readonly Omit<Credential['secrets'][number], 'hash'>[];
  };

type ChangedCredential =
  | Exclude<DescribedCredential, DescribedInbound>
  | (DescribedInbound & {
      readonly secretId?: string | undefined;
      /** The generated secret, which is in no other answer. */
      readonly newSecret?: string;
    });

const describeInbound = ({ id, type, username, secrets, revision }: Credential): DescribedInbound => {
  const live = secrets.map(({ id: secretId, createdAt }) => ({ id: secretId, createdAt }));
  return { id, direction: 'inbound', type, username, secrets: live, revision };
};

const describeCredential = (
  found: Found,
  types: ReadonlyMap<string, { readonly apply?: unknown; readonly hosts?: unknown }>,
): DescribedCredential => {
  if (found.direction === 'inbound') return describeInbound(found.credential);
  const { id, ...rest } = found.credential;
  const type = types.get(rest.type);
  // A type that lends its fields is for no host; credentials that are older than hosts have none at all.
  const isLent = type !== undefined && type.apply === undefined && type.hosts === undefined;
  return { id, direction: 'outbound', ...rest, hosts: isLent ? [] : rest.hosts };
};

/** @throws AppError `CREDENTIAL_NOT_FOUND` for an invalid id, which the response does not echo */
const checkCredentialId = (id: string): string => {
  if (isId(id)) return id;
  throw new AppError(CREDENTIAL_NOT_FOUND, { credentialId: 'with this id' });
};

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
  if (given.length > 0) refuse(given.map((name) => ({ pointer: `#/${name}`, detail })));
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
