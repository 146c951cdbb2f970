import {
  type CredentialType,
  completeRequest,
  type HttpClient,
  type OutboundRequest,
  type OutboundResponse,
  type TcpClient,
} from '@hookloom/plugin-kit';
import { createKeySigner } from '../../lib/adapters/aws/role-signer.ts';
import {
  type CallLimitStore,
  type CallLimits,
  CLOCK_TOLERANCE_MS,
  type HeldPlace,
} from '../../lib/credentials/limits/call-limits.ts';
import type { HostLimits } from '../../lib/credentials/outbound/host-limits.ts';
import type {
  OutboundCredential,
  OutboundCredentialStore,
} from '../../lib/credentials/outbound/outbound-credential.ts';
import { createOutboundCredentials } from '../../lib/credentials/outbound/outbound-credentials.ts';
import type { RenewalLock, RenewalLocks } from '../../lib/credentials/outbound/ports.ts';
import type { SecretStore } from '../../lib/credentials/outbound/secret-store.ts';
import { CREDENTIAL_CHANGED } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import credentialTypes from '../../nodes/credential-types/credential-types.plugin.ts';
import { aManualClock, type ManualClock } from './a-manual-clock.ts';

export const inMemoryOutboundStore = (): OutboundCredentialStore => {
  const credentials = new Map<string, OutboundCredential>();
  return {
    find: async (id) => credentials.get(id) ?? null,
    findLatest: async (id) => credentials.get(id) ?? null,
    put: async (credential) => {
      if (credential.revision !== (credentials.get(credential.id)?.revision ?? 0) + 1)
        throw new AppError(CREDENTIAL_CHANGED, { credentialId: credential.id });
      credentials.set(credential.id, structuredClone(credential));
    },
    noteTokenEnd: async (id, end) => {
      const { tokenEnd: _former, ...known } = credentials.get(id) ?? {};
      if (Object.keys(known).length === 0) return;
      credentials.set(id, { ...(known as OutboundCredential), ...(end && { tokenEnd: end }) });
    },
    remove: async ({ id, revision }) => credentials.get(id)?.revision === revision && credentials.delete(id),
    list: async () => [...credentials.values()],
  };
};

export const inMemorySecrets = (): SecretStore & { readonly values: Map<string, string> } => {
  const values = new Map<string, string>();
  return {
    values,
    referenceOf: (name) => `memory:${name}`,
    get: async (reference) => values.get(reference) ?? null,
    put: async (name, value) => {
      values.set(`memory:${name}`, value);
      return `memory:${name}`;
    },
    remove: async (reference) => void values.delete(reference),
  };
};

export const inMemoryLocks = (): RenewalLocks => {
  const locks = new Map<string, NonNullable<Awaited<ReturnType<RenewalLocks['find']>>>>();
  const put = (id: string, lock: RenewalLock, isAllowed: boolean): boolean => {
    if (isAllowed) locks.set(id, { ...lock, refusal: null });
    return isAllowed;
  };
  const isFree = (id: string, now: number): boolean => (locks.get(id)?.until ?? 0) <= now;
  return {
    find: async (id) => locks.get(id) ?? null,
    take: async (id, lock, now) => put(id, lock, isFree(id, now)),
    takeOver: async (id, lock, now) => put(id, lock, isFree(id, now) || locks.get(id)?.isWriting === false),
    beginWriting: async (id, lock) =>
      put(id, { ...lock, isWriting: true }, locks.get(id)?.holder === lock.holder),
    release: async (id, holder, _now, refusal) => {
      if (locks.get(id)?.holder === holder) locks.set(id, { holder, until: 0, isWriting: false, refusal });
    },
  };
};

const isBelieved = (startedAt: number, now: number): boolean => startedAt <= now + CLOCK_TOLERANCE_MS;

export const inMemoryCallLimits = (): CallLimitStore => {
  const limits = new Map<
    string,
    {
      nextAt: number;
      startedAt: number;
      pausedUntil: number;
      places: Map<number, number>;
      held: HeldPlace | null;
    }
  >();
  const stateOf = (key: string) => {
    const state = limits.get(key) ?? {
      nextAt: 0,
      startedAt: 0,
      pausedUntil: 0,
      held: null,
      places: new Map(),
    };
    limits.set(key, state);
    return state;
  };
  return {
    reserve: async (key, { now, earliest = now, latest, intervalMs }) => {
      const state = stateOf(key);
      const at = Math.max(earliest, state.nextAt);
      if (at > earliest && (at > latest || !isBelieved(state.startedAt, now))) return null;
      if (at === earliest) state.startedAt = now;
      state.nextAt = at + intervalMs;
      return at;
    },
    find: async (key) => structuredClone(stateOf(key)),
    enter: async (key, { number, until }, now) => {
      const { places, pausedUntil, held, startedAt } = stateOf(key);
      if ((places.get(number) ?? 0) > now || (pausedUntil > now && isBelieved(startedAt, now))) return null;
      places.set(number, until);
      return { held };
    },
    leave: async (key, { number, until }, held) => {
      const state = stateOf(key);
      if (state.places.get(number) !== until) return;
      state.places.delete(number);
      state.held = held ?? state.held;
    },
    pause: async (key, until, now) => {
      const state = stateOf(key);
      if (state.nextAt < until || !isBelieved(state.startedAt, now))
        Object.assign(state, { nextAt: until, pausedUntil: until, startedAt: now });
      else state.pausedUntil = Math.max(state.pausedUntil, until);
    },
  };
};

export const noTcp: TcpClient = { connect: () => Promise.reject(new Error('no network in this test')) };

/** An answer of a server, by what it was sent. */
export type Answer = (request: OutboundRequest) => Partial<OutboundResponse> & { readonly text?: string };

/** An HTTP client that keeps its requests. */
export const aServer = (
  answer: Answer = () => ({}),
): HttpClient & { readonly requests: OutboundRequest[] } => {
  const requests: OutboundRequest[] = [];
  return {
    requests,
    request: async (options) => {
      const request = completeRequest(options);
      requests.push(request);
      const { text = '{}', ...rest } = answer(request);
      const body = new TextEncoder().encode(text);
      return { status: 200, headers: {}, body, stream: null, url: request.url, ...rest };
    },
  };
};

/** Outbound credentials with all their real parts; only the stores are in memory. */
export const anOutboundService = ({
  answer,
  types = [],
  secrets = {},
  http,
  random = () => 1,
  clock = aManualClock(),
  hostLimits = [],
}: {
  readonly answer?: Answer;
  /** Beside the built-in ones. */
  readonly types?: readonly CredentialType[];
  /** Spoils the secret store. */
  readonly secrets?: Partial<SecretStore>;
  /** In place of the server that answers. */
  readonly http?: HttpClient;
  readonly random?: () => number;
  readonly clock?: ManualClock;
  readonly hostLimits?: readonly HostLimits[];
} = {}) => {
  const store = inMemoryOutboundStore();
  const kept = inMemorySecrets();
  const server = aServer(answer);
  let finds = 0;
  let reads = 0;
  const all = [...(credentialTypes.credentialTypes ?? []), ...types];
  const credentials = createOutboundCredentials({
    store: {
      ...store,
      find: (id) => {
        finds += 1;
        return store.find(id);
      },
      findLatest: (id) => {
        finds += 1;
        return store.findLatest(id);
      },
    },
    secrets: {
      ...kept,
      get: (reference) => {
        reads += 1;
        return kept.get(reference);
      },
      ...secrets,
    },
    locks: inMemoryLocks(),
    limits: inMemoryCallLimits(),
    hostLimits,
    findType: async (id) => all.find((type) => type.id === id) ?? null,
    http: http ?? server,
    tcp: noTcp,
    clock,
    random,
    signWithRole: async (request) => ({
      ...request,
      headers: { ...request.headers, 'x-signed': 'session-token-1' },
    }),
    signWithKeys: createKeySigner(clock),
  });
  /** Adds a credential, or replaces its secret. */
  const put = async (
    id: string,
    type: string,
    secret: Readonly<Record<string, string>> | string,
    fields: Readonly<Record<string, string>> = {},
    hosts: readonly string[] | null = null,
    limits?: CallLimits,
  ): Promise<void> => {
    const reference = await kept.put(id, typeof secret === 'string' ? secret : JSON.stringify(secret));
    const { revision = 0 } = (await store.find(id)) ?? {};
    const limited = limits === undefined ? {} : { limits };
    await store.put({ id, type, fields, hosts, ...limited, reference, revision: revision + 1 });
  };
  return { credentials, clock, store, secrets: kept, server, put, finds: () => finds, reads: () => reads };
};
