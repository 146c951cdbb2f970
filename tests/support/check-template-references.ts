import type { Template, TemplateResource } from './check-template.ts';
import { findCycles } from './import-graph.ts';

/**
 * Checks that everything that a template refers to is in it, and that no resources depend on each other.
 *
 * @param attributesOf - attributes of a type of resource; undefined for an unknown type
 * @returns one sentence for each problem, with its place
 */
export const checkReferences = (
  { Parameters = {}, Resources, Outputs = {} }: Template,
  attributesOf: (type: string) => object | undefined,
): string[] => {
  const references = new Map(Object.entries(Resources).map(([id, resource]) => [id, referencesOf(resource)]));
  const check = (id: string, { target, attribute }: Reference): string[] => {
    if (Object.hasOwn(Parameters, target) || target.startsWith('AWS::')) return [];
    const resource = Object.hasOwn(Resources, target) ? Resources[target] : undefined;
    if (resource === undefined) return [`${id}: refers to ${target}, which the template does not have`];
    const attributes = attributesOf(resource.Type);
    return attribute === '' || attributes === undefined || Object.hasOwn(attributes, attribute)
      ? []
      : [`${id}: ${target} has no attribute ${attribute}`];
  };
  return [
    ...[...references, ['Outputs', referencesIn(Outputs)] as const].flatMap(([id, found]) =>
      found.flatMap((reference) => check(id, reference)),
    ),
    ...findCycles(new Map([...references].map(([id, found]) => [id, found.map(({ target }) => target)]))).map(
      (ids) => `${ids.join(', ')}: depend on each other`,
    ),
  ];
};

/** The resources that a resource depends on, directly or not: they are there before it, and are removed after it. */
export const dependenciesOf = (id: string, { Resources }: Template): ReadonlySet<string> => {
  const found = new Set<string>();
  const ids = [id];
  for (const one of ids) {
    const resource = Object.hasOwn(Resources, one) ? Resources[one] : undefined;
    if (resource === undefined || found.has(one)) continue;
    found.add(one);
    ids.push(...referencesOf(resource).map(({ target }) => target));
  }
  found.delete(id);
  return found;
};

interface Reference {
  /** A resource or a parameter. */
  readonly target: string;
  /** Empty where the target itself is meant. */
  readonly attribute: string;
}

/** @param text - `Table` or `Table.Arn` */
const toReference = (text: string): Reference => {
  const [target = '', ...attribute] = text.split('.');
  return { target, attribute: attribute.join('.') };
};

const referencesOf = ({ Properties, DependsOn = [] }: TemplateResource): Reference[] => [
  ...[DependsOn].flat().map(toReference),
  ...referencesIn(Properties),
];

const referencesIn = (value: unknown): Reference[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'Ref') return [{ target: String(inner), attribute: '' }];
    if (key === 'Fn::GetAtt') return [toReference([inner].flat().join('.'))];
    if (key !== 'Fn::Sub') return referencesIn(inner);
    const [text, variables = {}] = [inner].flat() as [string, object?];
    const names = [...text.matchAll(/\$\{([\w.]+)\}/g)].map(([, name = '']) => name);
    return [
      ...names.filter((name) => !Object.hasOwn(variables, name)).map(toReference),
      ...referencesIn(variables),
    ];
  });
};
