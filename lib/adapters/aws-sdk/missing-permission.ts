import type { AwsOperation, JsonObject } from '@hookloom/plugin-kit';
import { type IamStatement, toPermissions, toStatements } from '../../shared/iam/permission.ts';
import { findDenial } from '../aws/denial.ts';
import type { SdkError } from './sdk-error.ts';

const DENIED = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'AuthorizationError',
  'AuthorizationErrorException',
  'UnauthorizedOperation',
]);

/** Whether the caller lacks a permission. The answer to a HEAD request has no body, and so no name. */
export const isDenied = ({ name, $metadata }: SdkError, operation: string): boolean =>
  DENIED.has(name) || ($metadata?.httpStatusCode === 403 && /^[Hh]ead[A-Z]/.test(operation));

/**
 * Describes what to add, and where.
 * @param said - what AWS said, shortened
 */
export const describeMissingPermission = (
  said: string,
  operation: AwsOperation,
): { readonly message: string; readonly statements: JsonObject[] } => {
  const statements = findStatements(said, operation);
  const { credential } = operation;
  const place =
    credential === undefined
      ? 'custom.workflowStatements in serverless.yml'
      : `the policy of the role ${credential.field('roleArn')}`;
  const message = `a permission is missing: add ${JSON.stringify(statements).slice(1, -1)} to ${place}. AWS: ${said}`;
  return { message, statements: statements as unknown as JsonObject[] };
};

/** Uses the permission that AWS names, which is exact, or else derives it from the input. */
const findStatements = (said: string, operation: AwsOperation): IamStatement[] => {
  const { action, resource } = findDenial(said) ?? {};
  if (action !== undefined && resource?.startsWith('arn:') === true)
    return toStatements([{ action, resource, isExact: true }]);
  return toStatements(toPermissions(operation));
};
