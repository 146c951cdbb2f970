import {
  type CredentialFields,
  completeRequest,
  isPlainObject,
  type LentCredential,
  type OutboundRequest,
} from '@hookloom/plugin-kit';
import type { LimitedHttp } from '../../engine/call-turn.ts';
import type { CredentialSource } from '../../engine/credentials.ts';
import type { AppliedLimits } from '../limits/call-limits.ts';
import { createLimitCall } from '../limits/limit-calls.ts';
import { createCredentialCache } from './credential-cache.ts';
import { findHostLimits } from './host-limits.ts';
import { CredentialError, type LoadedCredential, toCredentialError } from './load-credential.ts';
import type { OutboundPorts } from './ports.ts';
import { createScrubber, type Scrubber } from './scrubber.ts';
import { checkHost, sendWithCredential } from './send-with-credential.ts';

/** The credentials for outbound requests of nodes. */
export interface OutboundCredentials extends CredentialSource, LimitedHttp {}

/** Private fields and a closure, so that neither logs nor JSON contain the credential's fields. */
class Lent implements LentCredential {
  readonly id: string;
  readonly type: string;
  readonly #loaded: LoadedCredential;
  readonly #lendAgain: (loaded: LoadedCredential) => Promise<LentCredential | null>;
  constructor(
    loaded: LoadedCredential,
    lendAgain: (loaded: LoadedCredential) => Promise<LentCredential | null>,
  ) {
    this.id = loaded.record.id;
    this.type = loaded.type.id;
    this.#loaded = loaded;
    this.#lendAgain = lendAgain;
  }

  refresh(): Promise<LentCredential | null> {
    return this.#lendAgain(this.#loaded);
  }

  checkHost(url: string): void {
    checkHost(this.#loaded, url);
  }

  field(name: string): string {
    const { fields, type } = this.#loaded;
    if (Object.hasOwn(fields, name)) return fields[name] ?? '';
    const { properties } = type.schema;
    if (isPlainObject(properties) && Object.hasOwn(properties, name)) return '';
    throw new Error(`credentials of type "${this.type}" have no field "${name}"`);
  }
}

export const createOutboundCredentials = (ports: OutboundPorts): OutboundCredentials => {
  const { http } = ports;
  const cache = createCredentialCache(ports);
  const limitCall = createLimitCall(ports);
  /** The scrubber of the execution that each credential was lent to. */
  const lentTo = new WeakMap<LentCredential, Scrubber>();

  /** Loads a credential again, unless another caller already has. */
  const renew = async (id: string, rejected: LoadedCredential): Promise<LoadedCredential> => {
    const current = await cache.find(id);
    return hasSameFields(current, rejected) ? cache.refresh(id, current.fields) : current;
  };

  const lend = async (
    id: string,
    types: readonly string[],
    scrubber: Scrubber,
    loading: Promise<LoadedCredential>,
  ): Promise<LentCredential> => {
    const loaded = await loading.catch((error: unknown) => {
      throw toCredentialError(id, error);
    });
    const { type } = loaded.record;
    if (!types.includes(type)) {
      const takes = types.length === 0 ? 'none' : types.join(', ');
      throw new CredentialError(
        'CredentialUnusable',
        `credential "${id}" has type ${type}, but the node accepts ${takes}`,
      );
    }
    learnSecrets(loaded, scrubber);
    const lent = new Lent(loaded, async (rejected) => {
      const renewing = renew(id, rejected);
      const renewed = await lend(id, types, scrubber, renewing);
      return hasSameFields(rejected, await renewing) ? null : renewed;
    });
    lentTo.set(lent, scrubber);
    return lent;
  };

  return {
    open: async ({ credentialIds = [], maxWaitMs } = {}) => {
      const scrubber = createScrubber();
      // The node that borrows the credential gets the error.
      for (const loading of cache.findAll(credentialIds, maxWaitMs)) loading.catch(() => {});
      return {
        lend: (id, types) => lend(id, types, scrubber, cache.find(id, maxWaitMs)),
        scrub: scrubber.scrub,
      };
    },
    prefetch: async (ids, maxWaitMs) => {
      await Promise.all(
        cache.findAll(ids, maxWaitMs).map(async (loading) => {
          try {
            await loading;
          } catch (error) {
            if (!(error instanceof CredentialError)) throw error;
          }
        }),
      );
    },
    request: async (options, turn) => {
      const { credential, ...request } = completeRequest(options);
      const call = (limits: AppliedLimits | null, sent: OutboundRequest) => {
        const send = () => http.request(sent);
        return limits === null ? send() : limitCall(limits, sent, turn, send);
      };
      if (credential === undefined) return call(findHostLimits(ports.hostLimits, request.url), request);
      const scrubber = lentTo.get(credential);
      if (scrubber === undefined)
        throw new TypeError('a request must use the credential that was lent to its node');
      const send = ({ record: { id, limits } }: LoadedCredential, sent: OutboundRequest) =>
        call(
          limits === undefined
            ? findHostLimits(ports.hostLimits, sent.url)
            : { ...limits, key: `credential:${id}` },
          sent,
        );
      return sendWithCredential(credential.id, request, { ...ports, cache, send }, (loaded, applied) => {
        learnSecrets(loaded, scrubber);
        for (const secret of findDerivedSecrets(request, applied)) scrubber.learnDerived(secret);
      }).catch((error: unknown) => {
        throw toCredentialError(credential.id, error);
      });
    },
  };
};

const hasSameFields = (a: LoadedCredential, b: LoadedCredential): boolean =>
  JSON.stringify(a.fields) === JSON.stringify(b.fields);

const learnSecrets = ({ type, fields }: LoadedCredential, scrubber: Scrubber): void => {
  for (const secret of secretsOf(type.secretFields, fields)) scrubber.learn(secret);
};

const secretsOf = (names: readonly string[], fields: CredentialFields): string[] =>
  names.flatMap((name) => (Object.hasOwn(fields, name) ? (fields[name] ?? []) : []));

/** Headers that describe the request, not its sender. */
const HARMLESS = new Set([
  'accept',
  'content-type',
  'date',
  'host',
  'user-agent',
  'x-amz-content-sha256',
  'x-amz-date',
]);

/** An authentication scheme and its value, such as `Bearer TOKEN`. */
const SCHEME = /^[\w-]+ +(\S+)$/;

/**
 * Values of headers and query parameters that a credential type added to a request; they may be derived from the
 * secret, such as an access token. Signatures are not secrets: they are valid only for their request.
 * @internal
 */
export const findDerivedSecrets = (before: OutboundRequest, after: OutboundRequest): string[] => {
  const headers = Object.entries(after.headers)
    .filter(([name, value]) => before.headers[name] !== value && !HARMLESS.has(name.toLowerCase()))
    .map(([, value]) => value)
    .filter((value) => !value.includes('Signature='));
  const parts = headers.flatMap((value) => SCHEME.exec(value)?.[1] ?? []);
  return [...headers, ...parts, ...findNewParameters(before.url, after.url)];
};

const findNewParameters = (before: string, after: string): string[] => {
  if (before === after) return [];
  const known = new Set(URL.parse(before)?.searchParams.values());
  return [...(URL.parse(after)?.searchParams.values() ?? [])].filter((value) => !known.has(value));
};
