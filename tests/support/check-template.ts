import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { checkReferences } from './check-template-references.ts';

/** A CloudFormation template, as far as it is checked. */
export interface Template {
  readonly Parameters?: Readonly<Record<string, object>>;
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, object>>;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
}

const spec = loadAwsServiceSpecSync();

const findType = (name: string) => spec.lookup('resource', 'cloudFormationType', 'equals', name)[0];

type Properties = NonNullable<ReturnType<typeof findType>>['properties'];
type PropertyType = Properties[string]['type'];

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-product-attribute-reference.html */
const resourceAttributes =
  /^(DependsOn|Condition|Metadata|DeletionPolicy|UpdateReplacePolicy|CreationPolicy|UpdatePolicy)$/;

/**
 * Compares a template with AWS's specification of its resources, as a deployment would.
 *
 * @returns one sentence for each problem, with its place
 */
export const checkTemplate = (template: Template): string[] => [
  ...Object.entries(template.Resources).flatMap(([id, resource]) => checkResource(resource, id)),
  ...checkReferences(template, (type) => findType(type)?.attributes),
];

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html */
const policies: Readonly<Record<string, readonly unknown[]>> = {
  DeletionPolicy: ['Delete', 'Retain', 'RetainExceptOnCreate', 'Snapshot'],
  UpdateReplacePolicy: ['Delete', 'Retain', 'Snapshot'],
};

const checkResource = ({ Type, Properties = {}, ...rest }: TemplateResource, id: string): string[] => {
  const unknown = Object.keys(rest).filter((name) => !resourceAttributes.test(name));
  const mistaken = Object.entries(rest).filter(([name, value]) => policies[name]?.includes(value) === false);
  const type = findType(Type);
  return [
    ...unknown.map((name) => `${id}.${name}: unknown attribute of a resource`),
    ...mistaken.map(([name, value]) => `${id}.${name}: can't be ${JSON.stringify(value)}`),
    ...(type === undefined
      ? [`${id}: unknown type ${Type}`]
      : checkProperties(Properties, type.properties, id)),
  ];
};

const checkProperties = (value: object, properties: Properties, path: string): string[] => [
  ...Object.entries(properties)
    .filter(([name, { required }]) => required === true && !Object.hasOwn(value, name))
    .map(([name]) => `${path}.${name}: missing`),
  ...Object.entries(value).flatMap(([name, inner]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return property === undefined
      ? [`${path}.${name}: unknown`]
      : checkValue(inner, property.type, `${path}.${name}`);
  }),
];

const tagProperties: Properties = {
  Key: { type: { type: 'string' }, required: true },
  Value: { type: { type: 'string' }, required: true },
};

const checkValue = (value: unknown, type: PropertyType, path: string): string[] => {
  const mistyped = [`${path}: must be of type ${type.type}, is ${JSON.stringify(value)}`];
  if (isFunctionCall(value)) return []; // known at a deployment
  switch (type.type) {
    case 'array':
      return Array.isArray(value)
        ? value.flatMap((item, index) => checkValue(item, type.element, `${path}[${index}]`))
        : mistyped;
    case 'map':
      return isObject(value)
        ? Object.entries(value).flatMap(([key, item]) => checkValue(item, type.element, `${path}.${key}`))
        : mistyped;
    case 'ref':
      return isObject(value)
        ? checkProperties(value, spec.get('typeDefinition', type.reference).properties, path)
        : mistyped;
    case 'tag':
      return isObject(value) ? checkProperties(value, tagProperties, path) : mistyped;
    case 'union': {
      // JSON beside a structure is what the property was before it had one. It would accept everything.
      const hasStructure = type.types.some((member) => /^(array|map|ref)$/.test(member.type));
      const members = type.types.filter((member) => !(hasStructure && member.type === 'json'));
      const problems = members.map((member) => checkValue(value, member, path));
      return problems.sort((one, other) => one.length - other.length)[0] ?? [];
    }
    case 'json':
      return [];
    case 'integer':
      return Number.isInteger(value) && isAllowed(value, type.allowedValues) ? [] : mistyped;
    case 'string':
      return typeof value === 'string' && isAllowed(value, type.allowedValues) ? [] : mistyped;
    case 'date-time':
      return typeof value === 'string' ? [] : mistyped;
    case 'null':
      return value === null ? [] : mistyped;
    default:
      return typeof value === type.type ? [] : mistyped;
  }
};

const isAllowed = (value: unknown, allowed: readonly unknown[] | undefined): boolean =>
  allowed === undefined || allowed.includes(value);

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{ Ref: … }`, `{ 'Fn::Sub': … }` and their like. */
const isFunctionCall = (value: unknown): boolean =>
  isObject(value) && /^(Ref|Fn::\w+)$/.test(Object.keys(value).join());
