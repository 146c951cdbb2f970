import { type ActionRule, findActions } from './actions.ts';
import { findResources } from './resources.ts';
import type { ServiceCall } from './service-call.ts';

/** What an IAM policy must allow for a call. */
export interface Permission {
  /** `dynamodb:PutItem`. */
  readonly action: string;
  /** An ARN with `${AWS::Partition}`, `${AWS::Region}` and `${AWS::AccountId}` as CloudFormation has them, or `*`. */
  readonly resource: string;
  /** False when the resource is wider than the call, whose input does not name all of it. */
  readonly isExact: boolean;
}

/** The permissions that a call needs. A `*` in its input stands for any text, such as the value of an expression. */
export const toPermissions = (call: ServiceCall): Permission[] =>
  findActions(call).flatMap(({ action, input, resources }: ActionRule) => {
    const found = resources ?? findResources({ ...call, input }, action);
    const isAny = resources?.includes('*') === true;
    const named = found.length === 0 ? ['*'] : found;
    return named.map((resource) => ({ action, resource, isExact: isAny || !resource.includes('*') }));
  });

/** A statement of a policy, as `iamRoleStatements` of serverless.yml has it. */
export interface IamStatement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: string | { readonly 'Fn::Sub': string };
}

/** One statement per resource, in the order of the permissions. */
export const toStatements = (permissions: readonly Permission[]): IamStatement[] => {
  const byResource = new Map<string, Set<string>>();
  for (const { action, resource } of permissions) {
    const actions = byResource.get(resource) ?? new Set();
    byResource.set(resource, actions.add(action));
  }
  return [...byResource].map(([resource, actions]) => ({
    Effect: 'Allow',
    Action: [...actions].sort(),
    Resource: resource.includes('${') ? { 'Fn::Sub': resource } : resource,
  }));
};
