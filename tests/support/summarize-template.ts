import type { Template, TemplateResource } from './check-template.ts';
import { type Statement, statementsOf } from './role-grants.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What changes with every build, or with the release. */
const withoutVersions = (text: string): string =>
  text.replace(/(LambdaVersion)\w{20,}/g, '$1').replace(/serverless\/hookloom\/dev\/[^/]*\//, '');

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const toUpperCase = (_: string, name: string): string => name.replace('Id', '').toUpperCase();

/** A value of a template with its references as text: `Table` for a `Ref`, `Table.Arn` for an attribute. */
export const toPlain = (value: unknown): unknown => {
  if (typeof value === 'string') return withoutVersions(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isObject(value)) return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Sub': text, 'Fn::Join': joined } = value;
  if (Ref !== undefined) return withoutVersions(String(Ref));
  if (Array.isArray(attribute)) return withoutVersions(attribute.join('.'));
  if (typeof text === 'string') return text.replaceAll('${', '{').replace(/\{AWS::(\w+)\}/g, toUpperCase);
  if (Array.isArray(joined)) return [joined[1]].flat().map(toPlain).join(String(joined[0]));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'CodeSha256')
      .map(([key, inner]) => [withoutVersions(key), key === 'SERVICE_VERSION' ? 'VERSION' : toPlain(inner)]),
  );
};

/** What statements allow: the actions for each place, with the condition that they have. */
const toGrants = (statements: readonly Statement[]): Fields => {
  const grants = new Map<string, Set<string>>();
  for (const { Action, Resource, Condition } of statements) {
    for (const place of [toPlain(Resource)].flat().map(String)) {
      const key = Condition === undefined ? place : `${place} if ${toLine(toPlain(Condition))}`;
      grants.set(key, new Set([...(grants.get(key) ?? []), ...[Action].flat()]));
    }
  }
  return Object.fromEntries([...grants].sort().map(([place, actions]) => [place, [...actions].sort()]));
};

const toLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(toLine).join(', ')}]`;
  if (!isObject(value)) return value === '' ? "''" : String(value);
  const fields = Object.entries(value).map(([key, inner]) => `${key}: ${toLine(inner)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
};

const MAX_LINE = 140;

/** One line for each field or item that fits into it, otherwise its own fields or items, indented. */
const toText = (value: Fields | readonly unknown[], indent = ''): string =>
  Object.entries(value)
    .map(([key, inner]) => {
      const start = indent + (Array.isArray(value) ? '-' : `${key}:`);
      const line = `${start} ${toLine(inner)}`;
      const fits = line.length <= MAX_LINE || !isObject(inner);
      return fits ? line : `${start}\n${toText(inner, `${indent}  `)}`;
    })
    .join('\n');

/**
 * A template as text that a reviewer reads: a block per function, with what its role allows, and a block per type of all
 * other resources. Hashes, versions and times are left out; all else is there.
 * @returns texts by title, in the order of the titles
 */
export const summarizeTemplate = (template: Template): ReadonlyMap<string, string> => {
  const blocks = new Map<string, string>();
  const resources = Object.entries(template.Resources);
  const shown = new Set<string>();
  /** The properties of a resource that a block shows in its own way. */
  const take = (id: string): Fields => {
    shown.add(id);
    return template.Resources[id]?.Properties ?? {};
  };
  const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type);

  for (const [id, { Properties = {} }] of ofType('AWS::Lambda::Function')) {
    shown.add(id);
    const name = id.replace(/LambdaFunction$/, '');
    const { Code: _, Environment = {}, Role: role, FunctionName, ...settings } = Properties;
    const { Policies, AssumeRolePolicyDocument, ...roleSettings } = take(`${name}Role`);
    const { RetentionInDays } = take(`${name}LogGroup`);
    const { Variables = {} } = Environment as { Variables?: Fields };
    blocks.set(
      `function ${FunctionName}`,
      toText({
        ...(toPlain(settings) as Fields),
        Environment: toPlain(Variables),
        LogRetentionInDays: RetentionInDays,
        Role: toPlain(role),
        ...(toPlain(roleSettings) as Fields),
        TrustPolicy: toPlain((AssumeRolePolicyDocument as Fields | undefined)?.Statement),
        Grants: toGrants(statementsOf({ Policies })),
      }),
    );
  }

  const lines = (type: string, describe: (properties: Fields) => string) => {
    const found = ofType(type).map(([id]) => describe(toPlain(take(id)) as Fields));
    blocks.set(type, found.sort().join('\n'));
  };
  const functionOf = new Map(
    ofType('AWS::ApiGatewayV2::Integration').map(([id, { Properties }]) => [
      `integrations/${id}`,
      (toPlain(Properties) as Fields).IntegrationUri,
    ]),
  );
  lines('AWS::ApiGatewayV2::Route', ({ RouteKey, AuthorizationType = 'NONE', Target, ApiId: _, ...others }) =>
    [`${RouteKey}: ${AuthorizationType}, ${functionOf.get(String(Target))}`, ...rest(others)].join(' '),
  );
  lines(
    'AWS::ApiGatewayV2::Integration',
    ({ IntegrationUri, PayloadFormatVersion, TimeoutInMillis, ApiId: _, IntegrationType, ...others }) =>
      [
        `${IntegrationUri}: ${IntegrationType} ${PayloadFormatVersion}, ${TimeoutInMillis} ms`,
        ...rest(others),
      ].join(' '),
  );
  lines('AWS::Lambda::Permission', ({ FunctionName, Action, Principal, SourceArn, ...others }) =>
    [`${FunctionName}: ${Action} by ${Principal} of ${SourceArn}`, ...rest(others)].join(' '),
  );

  for (const type of new Set(resources.map(([, { Type }]) => Type))) {
    const others = ofType(type).filter(([id]) => !shown.has(id));
    if (others.length > 0) blocks.set(type, toText(Object.fromEntries(others.map(toEntry))));
  }
  blocks.set('outputs', toText(toPlain(template.Outputs ?? {}) as Fields));
  return new Map([...blocks].sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** Properties that a line has no words for. */
const rest = (others: Fields): string[] => (Object.keys(others).length === 0 ? [] : [toLine(others)]);

const toEntry = ([id, { Type: _, Properties = {}, ...attributes }]: [string, TemplateResource]) => [
  withoutVersions(id),
  { ...(toPlain(attributes) as Fields), ...(toPlain(Properties) as Fields) },
];
