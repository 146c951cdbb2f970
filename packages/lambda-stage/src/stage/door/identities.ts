import { randomBytes } from 'node:crypto';
import type { Keys, PolicyDocument, PolicyStatement } from './door-types.ts';
import type { ResolvedResource, ResolvedTemplate } from './template.ts';

/** A policy and its holder: the logical id of a resource, or the name of a user. */
export interface HeldPolicy {
  readonly holder: string;
  readonly document: PolicyDocument;
}

/** A role or user, with its policies. */
export interface Identity {
  readonly kind: 'role' | 'user';
  /** Logical id of the role, or name of the user. */
  readonly name: string;
  /** ARN of the role or the user. */
  readonly arn: string;
  /** The caller's ARN in policies and logs; for a session, the session's. */
  readonly callerArn: string;
  readonly policies: readonly HeldPolicy[];
  readonly boundary: PolicyDocument | null;
  readonly session: PolicyDocument | null;
  /** Trust policy of a role. */
  readonly trust: PolicyDocument | null;
}

/** The roles and users of a stage, and its resource policies. */
export interface Account {
  /** Finds an identity by logical id, ARN or name. */
  find(principal: string): Identity | null;
  /** Resource policies of queues, buckets, functions and keys, by the resource's ARN. */
  readonly resourcePolicies: ReadonlyMap<string, HeldPolicy>;
  readonly identities: readonly Identity[];
}

const VERSION = '2012-10-17';

/**
 * Reads the roles, their policies and the policies of resources from a template.
 *
 * @param users - in addition to the roles, by name
 * @throws Error for a managed policy that is not in the template, since its content is unknown
 */
export const readAccount = (
  template: ResolvedTemplate,
  users: Readonly<Record<string, readonly PolicyDocument[]>>,
): Account => {
  const resources = Object.values(template.resources);
  const ofType = (type: string) => resources.filter((resource) => resource.type === type);
  const managed = new Map(ofType('AWS::IAM::ManagedPolicy').map((policy) => [policy.ref ?? '', policy]));
  const findManaged = (arn: string): HeldPolicy => {
    const policy = managed.get(arn);
    if (policy === undefined) throw new Error(`the template has no managed policy ${arn}`);
    return heldBy(policy);
  };
  const attachedTo = (role: ResolvedResource): HeldPolicy[] =>
    [...managed.values(), ...ofType('AWS::IAM::Policy')]
      .filter(({ properties }) => textsOf(properties.Roles).includes(role.ref ?? ''))
      .map(heldBy);

  const roles = ofType('AWS::IAM::Role').map((role): Identity => {
    const {
      Policies = [],
      ManagedPolicyArns,
      PermissionsBoundary,
      AssumeRolePolicyDocument,
    } = role.properties;
    const inline = (Policies as readonly { readonly PolicyDocument: PolicyDocument }[]).map(
      ({ PolicyDocument: document }) => ({ holder: role.logicalId, document }),
    );
    return {
      kind: 'role',
      name: role.logicalId,
      arn: role.arn ?? '',
      callerArn: role.arn ?? '',
      policies: [...inline, ...textsOf(ManagedPolicyArns).map(findManaged), ...attachedTo(role)],
      boundary: typeof PermissionsBoundary === 'string' ? findManaged(PermissionsBoundary).document : null,
      session: null,
      trust: AssumeRolePolicyDocument as PolicyDocument,
    };
  });
  const people = Object.entries(users).map(([name, documents]): Identity => {
    const arn = `arn:${template.partition}:iam::${template.account}:user/${name}`;
    const policies = documents.map((document) => ({ holder: name, document }));
    return { kind: 'user', name, arn, callerArn: arn, policies, boundary: null, session: null, trust: null };
  });
  const identities = [...roles, ...people];
  return {
    identities,
    find: (principal) => identities.find(({ name, arn }) => principal === name || principal === arn) ?? null,
    resourcePolicies: new Map([
      ...readAttached(template, 'AWS::SQS::QueuePolicy', 'Queues', queueArn),
      ...readAttached(
        template,
        'AWS::S3::BucketPolicy',
        'Bucket',
        (name) => `arn:${template.partition}:s3:::${name}`,
      ),
      ...readAttached(template, 'AWS::SNS::TopicPolicy', 'Topics', (arn) => arn),
      ...readPermissions(template),
      ...ofType('AWS::KMS::Key').map((key): [string, HeldPolicy] => [
        key.arn ?? '',
        { holder: key.logicalId, document: key.properties.KeyPolicy as PolicyDocument },
      ]),
    ]),
  };
};

/** A role's session as a caller: `arn:aws:sts::ACCOUNT:assumed-role/NAME/SESSION`. */
export const toSession = (role: Identity, sessionName: string, session: PolicyDocument | null): Identity => {
  const [, partition, , , account, path = ''] = role.arn.split(':');
  const name = path.slice(path.lastIndexOf('/') + 1);
  return {
    ...role,
    callerArn: `arn:${partition}:sts::${account}:assumed-role/${name}/${sessionName}`,
    session,
  };
};

const heldBy = ({ logicalId, properties }: ResolvedResource): HeldPolicy => ({
  holder: logicalId,
  document: properties.PolicyDocument as PolicyDocument,
});

const textsOf = (value: unknown): string[] => [value ?? []].flat().filter((item) => typeof item === 'string');

/** Resource policies that name their resources in a property. */
const readAttached = (
  { resources }: ResolvedTemplate,
  type: string,
  property: string,
  toArn: (name: string) => string,
): [string, HeldPolicy][] =>
  Object.values(resources)
    .filter((policy) => policy.type === type)
    .flatMap((policy) =>
      textsOf(policy.properties[property]).map((name): [string, HeldPolicy] => [toArn(name), heldBy(policy)]),
    );

/** Converts a URL like `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME` to the queue's ARN. */
const queueArn = (url: string): string => {
  const [, , host = '', account, name] = url.split('/');
  return `arn:aws:sqs:${host.split('.')[1]}:${account}:${name}`;
};

/** Lambda turns all permissions of a function into the statements of one policy. */
const readPermissions = (template: ResolvedTemplate): [string, HeldPolicy][] => {
  const byFunction = new Map<string, PolicyStatement[]>();
  for (const { type, logicalId, properties } of Object.values(template.resources)) {
    if (type !== 'AWS::Lambda::Permission') continue;
    const { FunctionName, Action, Principal, SourceArn, SourceAccount } = properties as Readonly<
      Record<string, string>
    >;
    const { partition, region, account } = template;
    const arn = FunctionName?.startsWith('arn:')
      ? FunctionName
      : `arn:${partition}:lambda:${region}:${account}:function:${FunctionName}`;
    const conditions = {
      ...(SourceArn === undefined ? {} : { ArnLike: { 'AWS:SourceArn': SourceArn } }),
      ...(SourceAccount === undefined ? {} : { StringEquals: { 'AWS:SourceAccount': SourceAccount } }),
    };
    const isService = /^[\w-]+\.amazonaws\.com$/.test(Principal ?? '');
    byFunction.set(arn, [
      ...(byFunction.get(arn) ?? []),
      {
        Sid: logicalId,
        Effect: 'Allow',
        Principal: isService ? { Service: Principal } : { AWS: Principal },
        Action: Action ?? '',
        Resource: arn,
        ...(Object.keys(conditions).length === 0 ? {} : { Condition: conditions }),
      },
    ]);
  }
  return [...byFunction].map(([arn, Statement]) => [
    arn,
    { holder: arn.slice(arn.indexOf('function:')), document: { Version: VERSION, Statement } },
  ]);
};

interface Entry {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly owner: Identity;
  readonly sessionToken: string | undefined;
  readonly expiresAt: number | undefined;
}

/** The keys issued by the door and their owners. */
interface Keyring {
  /** @param expiresAt - in milliseconds since the epoch; null for keys that are not temporary, and have no token */
  issue(owner: Identity, expiresAt: number | null): Keys;
  find(accessKeyId: string): Entry | null;
}

export const createKeyring = (): Keyring => {
  const entries = new Map<string, Entry>();
  return {
    issue: (owner, expiresAt) => {
      const accessKeyId = `${expiresAt === null ? 'AKIA' : 'ASIA'}${randomBytes(8).toString('hex').toUpperCase()}`;
      const secretAccessKey = randomBytes(30).toString('base64');
      const sessionToken = expiresAt === null ? undefined : randomBytes(60).toString('base64');
      const entry = { accessKeyId, secretAccessKey, sessionToken, owner, expiresAt: expiresAt ?? undefined };
      entries.set(accessKeyId, entry);
      return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
    },
    find: (accessKeyId) => entries.get(accessKeyId) ?? null,
  };
};
