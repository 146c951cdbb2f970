import { Type, type WorkflowNode } from '@hookloom/plugin-kit';
import { quote } from '../../lib/shared/describe.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { METHODS, type PathConfig } from '../../lib/workflows/definition/path-config.ts';
import { areAmbiguous } from '../../lib/workflows/definition/path-pattern.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import {
  findPathProblem,
  toPathConfigs,
  WEBHOOK_TRIGGER,
} from '../../lib/workflows/definition/to-path-configs.ts';
import { checkSchema } from './schema/check-schema.ts';

/** Bounds the search for ambiguous patterns here, and the search for a request's pattern at run time. */
const MAX_PATTERNS = 200;

interface Address {
  readonly config: PathConfig;
  /** Index of the trigger in the nodes. */
  readonly index: number;
}

/** Checks the paths and methods of the workflow's webhooks, and that no request could fire two of them. */
export const checkAddresses = ({ nodes }: WorkflowDefinition): Problem[] => {
  const literals = new Map<string, number>();
  const patterns: Address[] = [];
  let triggersWithPattern = 0;

  const findTaken = (address: Address): string | null => {
    const { config, index } = address;
    const own = toText(config);
    if (config.pattern === undefined) {
      const before = literals.get(own);
      literals.set(own, before ?? index);
      return before === undefined ? null : `listens at ${own}, as /nodes/${before} does`;
    }
    const before = patterns.find((other) => isAmbiguous(other, address));
    patterns.push(address);
    if (before === undefined) return null;
    const other = toText(before.config);
    return other === own
      ? `listens at ${own}, as /nodes/${before.index} does`
      : `listens at ${own}, and /nodes/${before.index} at ${other}: some paths match both, and neither has more literal segments`;
  };

  return nodes.flatMap((node, index) => {
    if (node.type !== WEBHOOK_TRIGGER) return [];
    const place = `/nodes/${index}`;
    const own = [...checkMethods(node, place), ...checkPath(node, place)];
    if (own.length > 0) return own;
    const configs = toConfigs(node);
    triggersWithPattern += Number(configs[0]?.pattern !== undefined);
    if (configs[0]?.pattern !== undefined && triggersWithPattern > MAX_PATTERNS) {
      const message = `exceeds the limit of ${MAX_PATTERNS} paths with parameters in one workflow`;
      return [{ path: `${place}/parameters/path`, message }];
    }
    const taken = configs.map((config) => findTaken({ config, index })).find((message) => message !== null);
    return taken === undefined ? [] : [{ path: place, message: taken }];
  });
};

/** Disabled triggers are checked too, so that enabling one can't make the workflow invalid. */
const toConfigs = (node: WorkflowNode): PathConfig[] =>
  toPathConfigs({ nodes: [{ ...node, disabled: false }] });

const toText = ({ method, path }: PathConfig): string => `${method} ${path}`;

const isAmbiguous = (a: Address, b: Address): boolean =>
  a.config.method === b.config.method && areAmbiguous(a.config.pattern ?? [], b.config.pattern ?? []);

const checkPath = (node: WorkflowNode, place: string): Problem[] => {
  const message = findPathProblem(toConfigs(node)[0]?.path ?? '/');
  return message === null ? [] : [{ path: `${place}/parameters/path`, message }];
};

const methodsSchema = Type.Array(Type.Enum([...METHODS]), { minItems: 1, uniqueItems: true });

const checkMethods = ({ parameters: { method, methods } }: WorkflowNode, place: string): Problem[] => {
  if (methods === undefined || methods === null) return [];
  const path = `${place}/parameters/methods`;
  if (method !== undefined && method !== null)
    return [{ path, message: `can't be combined with ${quote('method')}: remove one of them` }];
  return checkSchema(methodsSchema as never, methods, path);
};
