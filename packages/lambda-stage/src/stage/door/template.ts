import { type Kind, type Place, resourceKindOf } from './resource-kinds.ts';

/** A CloudFormation template, as `serverless package` writes it. */
export interface Template {
  readonly Parameters?: Readonly<Record<string, TemplateParameter>>;
  readonly Mappings?: Readonly<Record<string, unknown>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Condition?: string }>>;
}

interface TemplateParameter {
  readonly Type: string;
  readonly Default?: unknown;
  readonly AllowedValues?: readonly unknown[];
  readonly AllowedPattern?: string;
}

interface TemplateResource {
  readonly Type: string;
  readonly Condition?: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

interface StackOptions {
  /** The account id, 12 digits. */
  readonly account: string;
  readonly region: string;
  readonly stackName: string;
  readonly partition?: string;
  /** Values of the template's parameters; omitted ones use their defaults. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A template with each intrinsic function replaced by its value. Resources whose condition is false are omitted. */
export interface ResolvedTemplate extends Place {
  readonly resources: Readonly<Record<string, ResolvedResource>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

export interface ResolvedResource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** What `Ref` returns; null for a resource type unknown to {@link kindOf}. */
  readonly ref: string | null;
  /** ARN of the resource; null if its type has none or is unknown. */
  readonly arn: string | null;
}

/** Stands for `AWS::NoValue`: properties with it are omitted. */
const NO_VALUE = Symbol('AWS::NoValue');

/** The maximum nesting of resolved values, which stops circular references. */
const MAX_DEPTH = 100;

/**
 * Resolves the intrinsic functions of a template as CloudFormation does. Names that CloudFormation would generate are derived from the
 * stack's name and the logical id, so that the same template always gives the same ARNs.
 *
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
 *
 * @throws Error for an unknown function, reference or parameter: no part of a template is silently kept as text
 */
export const resolveTemplate = (template: Template, options: StackOptions): ResolvedTemplate => {
  const { account, region, stackName, partition = 'aws' } = options;
  const place: Place = { account, region, stackName, partition };
  const parameters = readParameters(template.Parameters ?? {}, options.parameters ?? {});
  const resolver = createResolver(template, place, parameters);
  const present = Object.entries(template.Resources).filter(([, { Condition }]) => resolver.holds(Condition));
  return {
    ...place,
    resources: Object.fromEntries(
      present.map(([logicalId, { Type, Properties = {} }]) => {
        const properties = resolver.resolve(Properties, logicalId) as Record<string, unknown>;
        const kind = resourceKindOf(Type);
        return [
          logicalId,
          {
            logicalId,
            type: Type,
            properties,
            ref: kind === null ? null : resolver.ref(logicalId),
            arn: kind?.arn === undefined ? null : resolver.attribute(logicalId, 'Arn'),
          },
        ];
      }),
    ),
    outputs: Object.fromEntries(
      Object.entries(template.Outputs ?? {})
        .filter(([, { Condition }]) => resolver.holds(Condition))
        .map(([name, { Value }]) => [name, resolver.resolve(Value, `Outputs.${name}`)]),
    ),
  };
};

const readParameters = (
  declared: Readonly<Record<string, TemplateParameter>>,
  given: Readonly<Record<string, string>>,
): ReadonlyMap<string, unknown> => {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(declared, name)) throw new Error(`the template has no parameter ${name}`);
  return new Map(
    Object.entries(declared).map(([name, { Type, Default, AllowedValues, AllowedPattern }]) => {
      const value = Object.hasOwn(given, name) ? given[name] : Default;
      if (value === undefined) throw new Error(`the parameter ${name} has neither a value nor a default`);
      if (Type.startsWith('AWS::SSM::'))
        throw new Error(`${name}: parameters of the type ${Type} are not resolved`);
      const values = /^(CommaDelimitedList|List<.*>)$/.test(Type) ? String(value).split(',') : [value];
      for (const one of values) {
        const isAllowed = AllowedValues === undefined || AllowedValues.map(String).includes(String(one));
        const isMatch =
          AllowedPattern === undefined || new RegExp(`^(?:${AllowedPattern})$`).test(String(one));
        if (!isAllowed || !isMatch) throw new Error(`the parameter ${name} can't be ${JSON.stringify(one)}`);
      }
      return [name, values.length > 1 || (Type !== 'String' && Type !== 'Number') ? values : String(value)];
    }),
  );
};

interface Resolver {
  /** @param path - of the value, for messages */
  resolve(value: unknown, path: string): unknown;
  ref(logicalId: string): string;
  attribute(logicalId: string, name: string): string;
  /** Whether a condition is true; without a name it is. */
  holds(name: string | undefined): boolean;
}

const createResolver = (
  { Resources, Conditions = {}, Mappings = {} }: Template,
  place: Place,
  parameters: ReadonlyMap<string, unknown>,
): Resolver => {
  const pseudo: Readonly<Record<string, unknown>> = {
    'AWS::AccountId': place.account,
    'AWS::Region': place.region,
    'AWS::Partition': place.partition,
    'AWS::StackName': place.stackName,
    'AWS::StackId': `arn:${place.partition}:cloudformation:${place.region}:${place.account}:stack/${place.stackName}/00000000-0000-4000-8000-000000000000`,
    'AWS::URLSuffix': place.partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com',
    'AWS::NotificationARNs': [],
    'AWS::NoValue': NO_VALUE,
  };

  const resourceOf = (logicalId: string, path: string): readonly [TemplateResource, Kind] => {
    const resource = Object.hasOwn(Resources, logicalId) ? Resources[logicalId] : undefined;
    if (resource === undefined) throw new Error(`${path}: the template has no ${logicalId}`);
    if (!holds(resource.Condition))
      throw new Error(`${path}: refers to ${logicalId}, whose condition ${resource.Condition} is false`);
    const kind = resourceKindOf(resource.Type);
    if (kind === null)
      throw new Error(
        `${path}: refers to ${logicalId}, but the return values of ${resource.Type} are unknown`,
      );
    return [resource, kind];
  };

  let depth = 0;
  const resolve = (value: unknown, path: string): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_DEPTH) throw new Error(`${path}: circular references`);
    depth++;
    try {
      if (Array.isArray(value))
        return value.map((item, at) => resolve(item, `${path}[${at}]`)).filter((item) => item !== NO_VALUE);
      const call = functionCallOf(value, path);
      return call === null ? resolveObject(value, path) : callFunction(...call, path);
    } finally {
      depth--;
    }
  };

  const resolveObject = (value: object, path: string) =>
    Object.fromEntries(
      Object.entries(value)
        .map(([key, item]) => [key, resolve(item, `${path}.${key}`)] as const)
        .filter(([, item]) => item !== NO_VALUE),
    );

  const callFunction = (name: string, input: unknown, path: string): unknown => {
    const implementation = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (implementation === undefined) throw new Error(`${path}: unknown function ${name}`);
    return implementation(input, path);
  };

  const text = (value: unknown, path: string): string => {
    const resolved = resolve(value, path);
    if (!['string', 'number', 'boolean'].includes(typeof resolved))
      throw new Error(`${path}: must be a string, got ${JSON.stringify(resolved)}`);
    return String(resolved);
  };
  const list = (value: unknown, path: string): readonly unknown[] => {
    const resolved = resolve(value, path);
    if (!Array.isArray(resolved)) throw new Error(`${path}: must be a list, got ${JSON.stringify(resolved)}`);
    return resolved;
  };
  const inputs = (value: unknown, path: string, least: number, most = least): readonly unknown[] => {
    if (!Array.isArray(value) || value.length < least || value.length > most)
      throw new Error(`${path}: has wrong arguments for the function`);
    return value;
  };
  const truth = (value: unknown, path: string): boolean => {
    const resolved = resolve(value, path);
    if (typeof resolved !== 'boolean') throw new Error(`${path}: must be the name of a condition`);
    return resolved;
  };

  const refer = (input: unknown, path: string): unknown => {
    const name = String(input);
    if (Object.hasOwn(pseudo, name)) return pseudo[name];
    if (parameters.has(name)) return parameters.get(name);
    const [resource, kind] = resourceOf(name, path);
    return kind.ref(detailsOf(name, resource, kind));
  };

  const getAttribute = (input: unknown, path: string): string => {
    const [logicalId, name] = toAttribute(input, path);
    const [resource, kind] = resourceOf(logicalId, path);
    const read = name === 'Arn' ? kind.arn : kind.attributes?.[name];
    if (read === undefined) throw new Error(`${path}: unknown attribute ${name} of ${resource.Type}`);
    return read(detailsOf(logicalId, resource, kind));
  };

  const toAttribute = (input: unknown, path: string): readonly [string, string] => {
    const [logicalId, ...name] = typeof input === 'string' ? input.split('.') : (input as unknown[]);
    if (name.length === 0) throw new Error(`${path}: Fn::GetAtt needs a resource and an attribute`);
    return [String(logicalId), text(name.length === 1 ? name[0] : name.join('.'), path)];
  };

  /** Resolves single properties, since a reference to a name needs nothing else of the resource. */
  const detailsOf = (logicalId: string, { Properties = {} }: TemplateResource, kind: Kind) => {
    const property = (name: string): string | null =>
      Properties[name] === undefined ? null : text(Properties[name], `${logicalId}.${name}`);
    const given = kind.nameProperty === undefined ? null : property(kind.nameProperty);
    return { ...place, logicalId, property, name: given ?? kind.generateName(logicalId, place) };
  };

  const substitute = (input: unknown, path: string): string => {
    const [template, variables = {}] = typeof input === 'string' ? [input] : inputs(input, path, 2);
    if (typeof template !== 'string') throw new Error(`${path}: Fn::Sub needs a string`);
    return template.replace(/\$\{([^{}]*)\}/g, (whole, name: string) => {
      if (name.startsWith('!')) return `\${${name.slice(1)}}`;
      const own = variables as Readonly<Record<string, unknown>>;
      if (Object.hasOwn(own, name)) return text(own[name], path);
      if (name === '') throw new Error(`${path}: ${whole} has no name`);
      if (name.includes('.')) return getAttribute(name, path);
      const value = refer(name, path);
      if (typeof value !== 'string') throw new Error(`${path}: ${whole} is not a string`);
      return value;
    });
  };

  const functions: Readonly<Record<string, (input: unknown, path: string) => unknown>> = {
    Ref: refer,
    'Fn::GetAtt': getAttribute,
    'Fn::Sub': substitute,
    'Fn::Join': (input, path) => {
      const [separator, parts] = inputs(input, path, 2);
      return list(parts, path)
        .map((part) => text(part, path))
        .join(String(separator));
    },
    'Fn::Split': (input, path) => {
      const [separator, whole] = inputs(input, path, 2);
      return text(whole, path).split(String(separator));
    },
    'Fn::Select': (input, path) => {
      const [index, items] = inputs(input, path, 2);
      const found = list(items, path)[Number(text(index, path))];
      if (found === undefined) throw new Error(`${path}: Fn::Select has no value at index ${index}`);
      return found;
    },
    'Fn::If': (input, path) => {
      const [condition, one, other] = inputs(input, path, 3);
      return resolve(holds(String(condition)) ? one : other, path);
    },
    'Fn::Equals': (input, path) => {
      const [one, other] = inputs(input, path, 2).map((value) => JSON.stringify(resolve(value, path)));
      return one === other;
    },
    'Fn::And': (input, path) => inputs(input, path, 2, 10).every((value) => truth(value, path)),
    'Fn::Or': (input, path) => inputs(input, path, 2, 10).some((value) => truth(value, path)),
    'Fn::Not': (input, path) => !truth(inputs(input, path, 1)[0], path),
    'Fn::FindInMap': (input, path) => {
      const keys = inputs(input, path, 3).map((key) => text(key, path));
      const found = keys.reduce<unknown>(
        (map, key) =>
          typeof map === 'object' && map !== null && Object.hasOwn(map, key)
            ? (map as Record<string, unknown>)[key]
            : undefined,
        Mappings,
      );
      if (found === undefined) throw new Error(`${path}: the mappings have no ${keys.join('.')}`);
      return found;
    },
    'Fn::Base64': (input, path) => Buffer.from(text(input, path)).toString('base64'),
  };

  const holds = (name: string | undefined): boolean => {
    if (name === undefined) return true;
    if (!Object.hasOwn(Conditions, name)) throw new Error(`there is no condition ${name}`);
    return truth(toCondition(Conditions[name]), `Conditions.${name}`);
  };

  /**
   * Converts a condition, in which `{ Condition: name }` is a reference only in conditions; elsewhere it is the
   * condition block of a policy statement.
   */
  const toCondition = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(toCondition);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [[key, name] = []] = entries;
    if (entries.length === 1 && key === 'Condition' && typeof name === 'string') return holds(name);
    return Object.fromEntries(entries.map(([name, item]) => [name, toCondition(item)]));
  };

  return {
    resolve,
    holds,
    ref: (logicalId) => String(refer(logicalId, logicalId)),
    attribute: (logicalId, name) => getAttribute([logicalId, name], logicalId),
  };
};

/** Returns the function call in `{ Ref: … }` or `{ 'Fn::Name': … }`. */
const functionCallOf = (value: object, path: string): readonly [string, unknown] | null => {
  const entries = Object.entries(value);
  const call = entries.find(([key]) => key === 'Ref' || key.startsWith('Fn::'));
  if (call === undefined) return null;
  if (entries.length > 1) throw new Error(`${path}: ${call[0]} must be the only key`);
  return call;
};
