import { isDeepStrictEqual } from 'node:util';

/** A CloudFormation template, and any part of one. */
export type Template = Readonly<Record<string, unknown>> & {
  readonly Resources: Readonly<Record<string, Part>>;
};
type Part = Readonly<Record<string, unknown>>;

/** The same service, packaged with an option that needs other resources. */
export interface PackagedOption {
  /** The condition of what only this template has. */
  readonly condition: string;
  readonly template: Template;
}

/** Names in packaged templates that stand for what a launch decides, by the expression that replaces them. */
export type Placeholders = Readonly<Record<string, string>>;

/**
 * Makes one template of those that were packaged with and without each option: what differs is under the condition of its option.
 * Options must not change the same value. A template that was merged itself can be an option of another one.
 *
 * @throws Error when an option changes what can't be under a condition
 */
export const mergeOptions = (base: Template, options: readonly PackagedOption[]): Template =>
  options.reduce<unknown>(
    (whole, { condition, template }) => addOption(whole, base, template, { condition, path: [] }),
    base,
  ) as Template;

/** The names of the conditions of a template's resources: of an option, or of two of them, with {@link BOTH} in between. */
export const conditionsIn = ({ Resources }: Template): readonly string[] => [
  ...new Set(
    Object.values(Resources).flatMap(({ Condition }) => (Condition === undefined ? [] : String(Condition))),
  ),
];

export const BOTH = 'And';

interface Place {
  readonly condition: string;
  readonly path: readonly string[];
}

const NO_VALUE = { Ref: 'AWS::NoValue' };

/** Attributes of a resource to which no function applies. A dependency on a resource that is not made is ignored. */
const FIXED = ['Type', 'DeletionPolicy', 'UpdateReplacePolicy', 'Condition'];

/** Changes `whole`, which is `base` with other options, where an option differs from `base`. */
const addOption = (whole: unknown, base: unknown, option: unknown, place: Place): unknown => {
  if (isDeepStrictEqual(base, option)) return whole;
  const { condition, path } = place;
  const [section, , attribute = ''] = path;
  if (section === 'Resources' && FIXED.includes(attribute))
    throw new Error(`${path.join('.')} differs with ${condition}`);
  if (Array.isArray(whole) && Array.isArray(base) && Array.isArray(option))
    return addElements(whole, base, option, place);
  if (!isMap(whole) || !isMap(base) || !isMap(option)) return when(condition, option, whole);
  const keys = [...new Set([...Object.keys(whole), ...Object.keys(option)])];
  return Object.fromEntries(
    keys.map((key) => {
      if (Object.hasOwn(base, key) && Object.hasOwn(option, key))
        return [key, addOption(whole[key], base[key], option[key], { condition, path: [...path, key] })];
      const isEntry = path.length === 1 && (section === 'Resources' || section === 'Outputs');
      if (isEntry && Object.hasOwn(base, key)) throw new Error(`${key} is missing with ${condition}`);
      if (Object.hasOwn(base, key)) return [key, when(condition, NO_VALUE, whole[key])];
      if (!Object.hasOwn(option, key)) return [key, whole[key]];
      const added = option[key];
      if (!isEntry) return [key, when(condition, added, NO_VALUE)];
      const { Condition: own } = added as Part;
      return [
        key,
        { ...(added as Part), Condition: own === undefined ? condition : `${own}${BOTH}${condition}` },
      ];
    }),
  );
};

/** Elements keep their places, and an option adds its own at the end: the order of statements, tags and dependencies means nothing. */
const addElements = (
  whole: readonly unknown[],
  base: readonly unknown[],
  option: readonly unknown[],
  { condition, path }: Place,
): readonly unknown[] => {
  if (base.length === option.length && path.at(-1) !== 'DependsOn')
    return whole.map((value, at) =>
      at < base.length
        ? addOption(value, base[at], option[at], { condition, path: [...path, String(at)] })
        : value,
    );
  const isIn = (list: readonly unknown[], value: unknown) =>
    list.some((one) => isDeepStrictEqual(one, value));
  const added = option.filter((value) => !isIn(base, value));
  if (path.at(-1) === 'DependsOn') return [...whole, ...added];
  return [
    ...whole.map((value) =>
      isIn(base, value) && !isIn(option, value) ? when(condition, NO_VALUE, value) : value,
    ),
    ...added.map((value) => when(condition, value, NO_VALUE)),
  ];
};

const when = (condition: string, yes: unknown, no: unknown) => ({ 'Fn::If': [condition, yes, no] });

/** A map of names; the call of a function is a value. */
const isMap = (value: unknown): value is Part =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !Object.keys(value).some((key) => key === 'Ref' || key.startsWith('Fn::'));

/** Makes each placeholder a parameter. */
export const toLaunchable = (template: Template, placeholders: Placeholders): Template =>
  substitute(template, placeholders) as Template;

/** Replaces placeholders in texts, which become `Fn::Sub`, and in the texts of `Fn::Sub`. */
const substitute = (value: unknown, placeholders: Placeholders): unknown => {
  if (typeof value === 'string') {
    const filled = fill(value.replaceAll('${', '${!'), placeholders);
    return filled === value.replaceAll('${', '${!') ? value : { 'Fn::Sub': filled };
  }
  if (Array.isArray(value)) return value.map((one) => substitute(one, placeholders));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key !== 'Fn::Sub') return [key, substitute(inner, placeholders)];
      if (typeof inner === 'string') return [key, fill(inner, placeholders)];
      const [text, variables] = inner as [string, unknown];
      return [key, [fill(text, placeholders), substitute(variables, placeholders)]];
    }),
  );
};

const fill = (text: string, placeholders: Placeholders): string =>
  Object.entries(placeholders).reduce(
    (filled, [name, expression]) => filled.replaceAll(name, expression),
    text,
  );
