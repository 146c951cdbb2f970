import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CredentialFields, CredentialType } from '@hookloom/plugin-kit';
import { didYouMean, quote } from '../../shared/describe.ts';
import { CREDENTIAL_CHANGED, CREDENTIAL_UNSUITABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { findNearest } from '../../shared/near-name.ts';
import { withExpiry } from '../credential.ts';
import type { CallLimits } from '../limits/call-limits.ts';
import { findAddedHosts } from './host-pattern.ts';
import { parseSecret } from './load-credential.ts';
import type { OutboundCredential } from './outbound-credential.ts';
import {
  type CheckFields,
  describeHosts,
  draftOutbound,
  refuseField,
  replaceSecrets,
  resolveHosts,
  rotateOutbound,
} from './outbound-rules.ts';
import type { OutboundPorts } from './ports.ts';
import { editInTurn } from './renew-secret.ts';
import { findOutage, isBound } from './secret-store.ts';

export interface EditOutboundPorts
  extends Pick<OutboundPorts, 'store' | 'secrets' | 'locks' | 'clock' | 'random'> {
  /** The types of the installed plugins, by id. */
  readonly loadTypes: () => Promise<ReadonlyMap<string, CredentialType>>;
  readonly checkFields: CheckFields;
  /** How the names of secrets begin to which a credential may be bound: `hookloom-dev/`. */
  readonly boundPrefix: string;
}

/** A new credential as it is requested. */
interface NewOutbound {
  readonly id: string;
  readonly type: string;
  readonly fields?: CredentialFields | undefined;
  /** Either the secret fields, */
  readonly secrets?: CredentialFields | undefined;
  /** or the ARN of a secret in Secrets Manager that has them. */
  readonly ref?: string | undefined;
  /** Patterns; by default those of the type, or the host of `testUrl`. */
  readonly hosts?: readonly string[] | undefined;
  readonly limits?: CallLimits | undefined;
  readonly expiresAt?: string | null | undefined;
}

/**
 * Creates, changes and removes outbound credentials. Each edit replaces exactly what it was given: it holds the lock of
 * renewals, since no secret store can write on condition. All throw AppError `CREDENTIAL_INVALID` for a bad request,
 * `CREDENTIAL_UNSUITABLE` for what is not possible with this credential, `CREDENTIAL_CHANGED` when another request is
 * faster, `CREDENTIAL_BUSY` while another is under way, and `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE`.
 */
export const createEditOutbound = (parts: EditOutboundPorts) => {
  const { store, secrets, loadTypes, checkFields } = parts;

  const findType = async ({ id, type: name }: OutboundCredential): Promise<CredentialType> => {
    const type = (await loadTypes()).get(name);
    if (type !== undefined) return type;
    const reason = `can't be changed: no installed plugin provides its type ${name}`;
    throw new AppError(CREDENTIAL_UNSUITABLE, { credentialId: id, reason });
  };

  /** Changes a credential, in turn with its other edits and renewals. */
  const inTurn = <Result>(
    credential: OutboundCredential,
    edit: (beginWriting: () => Promise<void>) => Promise<Result>,
  ): Promise<Result> =>
    editInTurn(credential.id, parts, async (beginWriting) => {
      // Not only the revision: one with the same id may have been created after a removal.
      const latest = await store.findLatest(credential.id);
      const { tokenEnd } = credential; // a renewal may have changed it
      if (latest !== null && isDeepStrictEqual({ ...latest, tokenEnd }, { ...credential, tokenEnd }))
        return edit(beginWriting);
      throw new AppError(CREDENTIAL_CHANGED, { credentialId: credential.id });
    });

  /** A secret that another credential has already is for that one's hosts: a second credential can't send it to others. */
  const checkShared = async (ref: string, hosts: readonly string[]): Promise<void> => {
    const others = (await store.list()).filter(({ reference }) => reference === ref);
    for (const other of others)
      if (findAddedHosts(other.hosts, hosts).length > 0)
        refuseField(
          '#/hosts',
          `are not those of ${other.id}, which has the same secret: it is only for ${describeHosts(other.hosts)}`,
        );
  };

  const readSecret = async ({ reference }: OutboundCredential, type: CredentialType) =>
    parseSecret((await secrets.get(reference)) ?? '', type) ?? {};

  /** New hosts are stored after the secret, so that none gets the one before. */
  const replaceSecret = async (
    changed: OutboundCredential,
    credential: OutboundCredential,
    secret: CredentialFields,
    beginWriting: () => Promise<void>,
  ): Promise<OutboundCredential> => {
    const { id, revision } = credential;
    // Before the secret, because no other edit may follow on this revision; after it, because every sandbox must read
    // the new one.
    await store.put({ ...credential, revision: revision + 1 });
    await beginWriting();
    await secrets.put(id, JSON.stringify(secret));
    const { tokenEnd: _former, ...kept } = changed;
    const replaced = { ...kept, revision: revision + 2 };
    await store.put(replaced);
    return replaced;
  };

  return {
    /** A node that uses the credential before its secret is stored fails, since that is missing. */
    create: async ({
      id,
      type: name,
      ref,
      hosts,
      limits,
      expiresAt,
      ...given
    }: NewOutbound): Promise<OutboundCredential> => {
      const types = await loadTypes();
      const type = types.get(name) ?? refuseType(name, [...types.keys()]);
      if (ref !== undefined && given.secrets !== undefined)
        refuseField('#/secrets', 'excludes "ref", where the secret fields are');
      const secret = ref === undefined ? (given.secrets ?? {}) : await readBound(ref, type, parts);
      const drafted = draftOutbound(
        type,
        { fields: given.fields ?? {}, secrets: secret, hosts, isBound: ref !== undefined },
        checkFields,
      );
      if (ref !== undefined) await checkShared(ref, drafted.hosts);
      if (limits !== undefined) checkLimits(type);
      const drawn = {
        id,
        type: name,
        ...drafted,
        ...(limits === undefined ? {} : { limits }),
        reference: ref ?? secrets.referenceOf(id),
        revision: 1,
      };
      const end = expiresAt === undefined ? findCertificateEnd({ ...drafted.fields, ...secret }) : expiresAt;
      const credential = withExpiry<OutboundCredential>(drawn, end);
      return editInTurn(id, parts, async (beginWriting) => {
        // First: if two requests have the same id, only one may write the secret.
        await store.put(credential);
        if (ref === undefined)
          try {
            await beginWriting();
            await secrets.put(id, JSON.stringify(secret));
          } catch (error) {
            await store.remove(credential);
            throw error;
          }
        return credential;
      });
    },

    /** Replaces the secret fields that are given; the others stay. @param expiresAt - of the new secret, if that is known */
    rotate: async (
      credential: OutboundCredential,
      given: CredentialFields,
      expiresAt?: string | null,
    ): Promise<OutboundCredential> => {
      const { id, reference } = credential;
      if (isBound(reference)) {
        const reason = `has its secret in ${reference}: rotate it there`;
        throw new AppError(CREDENTIAL_UNSUITABLE, { credentialId: id, reason });
      }
      const type = await findType(credential);
      return inTurn(credential, async (beginWriting) => {
        const known = await readSecret(credential, type);
        const { secrets: secret, hosts } = rotateOutbound(type, credential, known, given, checkFields);
        const end =
          expiresAt === undefined ? findCertificateEnd({ ...credential.fields, ...secret }) : expiresAt;
        const changed = withExpiry({ ...credential, hosts }, end);
        return replaceSecret(changed, credential, secret, beginWriting);
      });
    },

    /**
     * Replaces the allowed hosts. New ones need the secret again, unless they are those of the type.
     *
     * @param hosts - by default those of the type, or the host of `testUrl`
     * @param given - secret fields, which replace all stored ones
     */
    changeHosts: async (
      credential: OutboundCredential,
      hosts: readonly string[] | undefined,
      given?: CredentialFields,
    ): Promise<OutboundCredential> => {
      const type = await findType(credential);
      const { id, fields, reference, revision } = credential;
      return inTurn(credential, async (beginWriting) => {
        const secret = given ?? (hosts === undefined ? await readSecret(credential, type) : {});
        const resolved = resolveHosts(type, fields, secret, hosts);
        const isOfType = hosts === undefined && type.hosts !== undefined;
        const added = isOfType ? [] : findAddedHosts(credential.hosts, resolved);
        if (isBound(reference) && (added.length > 0 || given !== undefined)) {
          const reason = `has its secret in ${reference}, which can't be given again: create another credential for other hosts`;
          throw new AppError(CREDENTIAL_UNSUITABLE, { credentialId: id, reason });
        }
        if (added.length === 0 && given === undefined) {
          const changed = { ...credential, hosts: resolved, revision: revision + 1 };
          await store.put(changed);
          return changed;
        }
        const secrets = replaceSecrets(type, fields, added, given, checkFields);
        return replaceSecret({ ...credential, hosts: resolved }, credential, secrets, beginWriting);
      });
    },

    /** Replaces the limits on calls. @param limits - null removes them */
    changeLimits: async (
      credential: OutboundCredential,
      limits: CallLimits | null,
    ): Promise<OutboundCredential> => {
      if (limits !== null) checkLimits(await findType(credential));
      const { limits: _replaced, ...kept } = credential;
      const changed = {
        ...kept,
        ...(limits === null ? {} : { limits }),
        revision: credential.revision + 1,
      };
      await inTurn(credential, () => store.put(changed));
      return changed;
    },

    /** Removes the secret first, so that a failure leaves a credential whose removal can be repeated. */
    remove: (credential: OutboundCredential): Promise<void> =>
      inTurn(credential, async (beginWriting) => {
        await beginWriting();
        await secrets.remove(credential.reference);
        if (!(await store.remove(credential)))
          throw new AppError(CREDENTIAL_CHANGED, { credentialId: credential.id });
      }),
  };
};

/** @throws AppError `CREDENTIAL_INVALID` if the requests of nodes never have such a credential */
const checkLimits = ({ id, apply }: CredentialType): void => {
  if (apply === undefined)
    refuseField(
      '#/limits',
      `${id} passes its fields to nodes and is never added to a request: leave them out`,
    );
};

/**
 * When the certificate expires that a client presents. Not those of authorities, of which a bundle may have expired ones.
 *
 * @returns ISO 8601, UTC; null if there is none, or it can't be read
 */
const findCertificateEnd = ({ certificate }: CredentialFields): string | null => {
  try {
    return certificate === undefined ? null : new X509Certificate(certificate).validToDate.toISOString();
  } catch {
    return null;
  }
};

const SECRET_ARN = /^arn:aws[a-z-]*:secretsmanager:[a-z\d-]+:\d{12}:secret:(.+)$/;

/** The secret fields of a secret in Secrets Manager. */
const readBound = async (
  ref: string,
  type: CredentialType,
  { secrets, boundPrefix }: EditOutboundPorts,
): Promise<CredentialFields> => {
  const name = SECRET_ARN.exec(ref)?.[1];
  if (name === undefined) return refuseRef('must be the ARN of a Secrets Manager secret');
  if (!name.startsWith(boundPrefix))
    return refuseRef(`must be named ${boundPrefix}…: the functions may read no other secrets`);
  const secret = await secrets.get(ref).catch((error: unknown) => {
    if (findOutage(error) !== null) throw error;
    return null; // AWS refuses to read it, for example in another account or under a key of the owner's
  });
  return (
    parseSecret(secret ?? '', type) ??
    refuseRef(`has no secret of the type ${type.id}, does not exist, or may not be read by the service`)
  );
};

const refuseRef = (detail: string): never => refuseField('#/ref', detail);

const refuseType = (name: string, names: readonly string[]): never => {
  const near = didYouMean(findNearest(name, names));
  return refuseField('#/type', `no installed plugin has the credential type ${quote(name)}${near}`);
};
