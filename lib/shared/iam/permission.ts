import { type ActionRule, findActions } from './actions.ts';
import { findResources } from './resources.ts';
import type { ServiceCall } from './service-call.ts';

/** What an IAM policy must allow for a call. */
export interface Permission {
  /** `dynamodb:PutItem`. */
  readonly action: string;
  /** An ARN with the CloudFormation variables `${AWS::Partition}`, `${AWS::Region}` and `${AWS::AccountId}`, or `*`. */
  readonly resource: string;
  /** False if the resource is wider than the call, because the input does not fully name it. */
  readonly isExact: boolean;
}

/** The permissions that a call needs. A `*` in its input stands for any string, such as the value of an expression. */
export const toPermissions = (call: ServiceCall): Permission[] =>
  findActions(call).flatMap(({ action, input, resources }: ActionRule) => {
    const found = resources ?? findResources({ ...call, input }, action);
    const isAny = resources?.includes('*') === true;
    const named = found.length === 0 ? ['*'] : found;
    return named.map((resource) => ({ action, resource, isExact: isAny || !resource.includes('*') }));
  });

/** A policy statement, as in `iamRoleStatements` of serverless.yml. */
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
