import { StartError } from '../database/start-error.ts';
import type { Route } from '../gateway/routes.ts';
import type { DeployedFunction } from './deployed-functions.ts';
import type { ResolvedTemplate } from './door/template.ts';

/** Whether a route needs a signature of IAM, by its `AuthorizationType`. Others would be open here and closed in AWS. */
const AUTHORIZATION: Readonly<Record<string, boolean>> = { NONE: false, AWS_IAM: true };

/**
 * The routes of a template, and the functions of their integrations.
 *
 * @throws StartError for a route without a function, or with an authorizer that is not here
 */
export const readRoutes = (
  { resources }: ResolvedTemplate,
  functions: readonly DeployedFunction[],
): readonly Route[] => {
  const integrations = new Map(
    Object.values(resources)
      .filter(({ type }) => type === 'AWS::ApiGatewayV2::Integration')
      .map(({ ref, properties }) => [ref, String(properties.IntegrationUri)]),
  );
  return Object.values(resources)
    .filter(({ type }) => type === 'AWS::ApiGatewayV2::Route')
    .map(({ properties }) => {
      const { RouteKey, Target, AuthorizationType = 'NONE' } = properties;
      const target = integrations.get(String(Target).replace('integrations/', '')) ?? '';
      // The function's ARN, or the path of its invocations in API Gateway.
      const found = functions.find(({ arn }) => target === arn || target.includes(`/${arn}/invocations`));
      if (found === undefined)
        throw new StartError(`The route ${RouteKey} leads to no function of the template.`);
      const isPrivate = AUTHORIZATION[String(AuthorizationType)];
      if (isPrivate === undefined)
        throw new StartError(
          `The route ${RouteKey}: the authorization ${AuthorizationType} is not supported.`,
        );
      return { event: String(RouteKey).replace(/^ANY /, '* '), functionKey: found.key, isPrivate };
    });
};

/** Alternating names and values as a record; repeated ones are joined. */
export const toHeaders = (rawHeaders: readonly string[]): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const value = rawHeaders[at + 1] ?? '';
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  return headers;
};
