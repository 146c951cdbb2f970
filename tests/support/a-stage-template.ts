import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'lambda-stage/door';
import { parse, type ScalarTag } from 'yaml';
import { resolveVariables } from '../../packages/local/functions/resolve-variables.ts';
import FunctionRoles from '../../resources/function-roles.ts';
import { narrowRules } from '../../resources/template.ts';
import { projectRoot } from './run-command.ts';

type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>;

interface Statement {
  readonly Resource?: unknown;
}

interface ServerlessFile {
  readonly service: string;
  readonly params: { readonly default: Readonly<Record<string, unknown>> };
  readonly functions: Record<string, { role?: string; iamRoleStatements?: readonly Statement[] }>;
  readonly resources: { readonly Resources: Resources };
  readonly custom: { readonly workflowStatements: readonly Statement[] };
}

/** CloudFormation's functions in their short form. */
const toFunction = (tag: string, toValue: (text: string) => object): ScalarTag => ({
  tag,
  resolve: (text) => toValue(text),
});
const customTags = [
  toFunction('!Ref', (name) => ({ Ref: name })),
  toFunction('!Sub', (text) => ({ 'Fn::Sub': text })),
  toFunction('!GetAtt', (name) => ({ 'Fn::GetAtt': name.split('.') })),
];

/** A variable of the framework, not of CloudFormation. */
const VARIABLE = /\$\{(?:self|sls|param|opt|env|file\()[^${}]*\}/g;

/**
 * The resources and roles of serverless.yml as a template, with the parameters' defaults. Packaging makes the same of it, in half a
 * minute: here the project's own plugin makes the roles, and of a function only its name and role are there.
 */
export const readStageTemplate = (stage = 'dev'): Template => {
  const text = readFileSync(join(projectRoot, 'serverless.yml'), 'utf8');
  const raw: ServerlessFile = parse(text, { customTags, merge: true });
  const sources = {
    file: raw,
    stage,
    environment: {},
    readJson: (path: string): unknown => JSON.parse(readFileSync(join(projectRoot, path), 'utf8')),
  };
  const resolveText = (text: string): string => {
    const resolved = text.replace(VARIABLE, (variable) => {
      const [, parameter] = /^\$\{param:(\w+)/.exec(variable) ?? [];
      if (parameter !== undefined) return String(raw.params.default[parameter]);
      return resolveVariables(variable, sources) ?? '';
    });
    return resolved === text ? text : resolveText(resolved);
  };
  const resolve = (value: unknown): unknown => {
    if (typeof value === 'string') return resolveText(value);
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]));
  };
  const service = resolve(raw) as ServerlessFile;
  // As a deployment leaves out what depends on a bus that it does not have.
  for (const definition of Object.values(service.functions))
    definition.iamRoleStatements = (definition.iamRoleStatements ?? []).filter(
      ({ Resource }) => Resource !== 'none',
    );

  const normalize = (key: string) => `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
  const naming = {
    getNormalizedFunctionName: normalize,
    getLogGroupLogicalId: (key: string) => `${normalize(key)}LogGroup`,
  };
  new FunctionRoles({
    service,
    configSchemaHandler: { defineFunctionProperties: () => {} },
    getProvider: () => ({ naming }),
  }).hooks.initialize();

  const Resources: Resources = { ...service.resources.Resources };
  Resources.HttpApi = { Type: 'AWS::ApiGatewayV2::Api', Properties: {} };
  for (const [key, { role }] of Object.entries(service.functions)) {
    const FunctionName = `${service.service}-${stage}-${key}`;
    const Role = { 'Fn::GetAtt': [role, 'Arn'] };
    Resources[`${normalize(key)}LambdaFunction`] = {
      Type: 'AWS::Lambda::Function',
      Properties: { FunctionName, Role },
    };
    const LogGroupName = `/aws/lambda/${FunctionName}`;
    Resources[naming.getLogGroupLogicalId(key)] = {
      Type: 'AWS::Logs::LogGroup',
      Properties: { LogGroupName },
    };
  }
  narrowRules({ Resources });
  return { Resources };
};
