import { findMistakes } from '@hookloom/bounded-schema';
import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { quote } from '../../../../lib/shared/describe.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import type { DraftGraph } from '../graph/draft-graph.ts';
import { type DeclaredValue, eachValue } from '../mistakes/check-values.ts';
import { proposeValue } from '../proposals/proposal.ts';
import {
  type DataSource,
  describeQuotes,
  findTextSource,
  isConstantText,
  isDataPath,
} from './data-source.ts';

const KEYS: Partial<Readonly<Record<DataSource, string>>> = {
  never: 'is another one in every run, so nothing is recognised by it again',
  fixed: 'is the same in every run, since it reads only what all runs have in common',
};

const SAME = 'is the same in every run, since it has no data';

/** Checks the values whose schema says that a constant is a mistake: by `constant`, `refuse` or `warn`. */
export const checkData = ({ nodes }: DraftGraph): Problem[] =>
  nodes.flatMap(({ index, node, nodeType }) =>
    nodeType === null
      ? []
      : [nodeType.schema, ...schemasFor(nodeType.schema, node.parameters)].flatMap((schema) =>
          [...eachValue(schema, node.parameters, `/nodes/${index}/parameters`)].flatMap(checkValue),
        ),
  );

/** What a schema adds in `allOf` for the parameters that are given. */
const schemasFor = ({ allOf }: JsonObject, parameters: JsonObject): JsonObject[] =>
  (Array.isArray(allOf) ? allOf : []).flatMap((rule) =>
    isPlainObject(rule) && isPlainObject(rule.then) && isPlainObject(rule.if) && holds(rule.if, parameters)
      ? [rule.then as JsonObject]
      : [],
  );

const holds = (schema: object, value: JsonObject): boolean => {
  try {
    return findMistakes(schema as JsonObject, value).length === 0;
  } catch {
    return false; // of a plugin
  }
};

const checkValue = ({ value, path, name, constant }: DeclaredValue): Problem[] => {
  if (constant !== null && typeof value === 'string' && /key$/i.test(name)) {
    const message = KEYS[findTextSource(value)];
    if (message !== undefined) return [{ path, message, severity: 'warning' }];
  }
  if (constant === null || (constant === 'warn' && Array.isArray(value)) || !isConstant(value)) return [];
  const { hint, meant } = typeof value === 'string' ? describeText(value) : NO_ADVICE;
  // Quotes and missing braces are warned of with all other expressions.
  if (constant === 'warn' && meant !== null) return [];
  const severity = constant === 'warn' ? { severity: 'warning' as const } : {};
  const proposed = proposeValue(path, meant === null ? null : `{{ ${meant} }}`);
  return [{ path, message: `${SAME}${hint}`, ...severity, ...proposed }];
};

/** A list written out in an expression, as `[1..3]`, is meant. */
const isConstant = (value: JsonValue): boolean => {
  if (typeof value === 'string') return isConstantText(value) && !/^\{\{\s*\[/.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isConstant);
};

const NO_ADVICE = { hint: '', meant: null };

const describeText = (text: string): ReturnType<typeof describeQuotes> => {
  const [part, ...others] = splitTemplate(text);
  if (part === undefined || others.length > 0) return NO_ADVICE;
  if ('expression' in part) return describeQuotes(part.expression.trim());
  const meant = part.text.trim();
  return isDataPath(meant) ? { hint: `; did you mean ${quote(`{{ ${meant} }}`)}?`, meant } : NO_ADVICE;
};
