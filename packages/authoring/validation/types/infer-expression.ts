import { type CallNode, describeSignature, type Natives, type Node } from '@hookloom/counted-jsonata';
import { ERROR_OUTPUT } from '@hookloom/plugin-kit';
import { eitherOf, fieldSchema, isUnknown } from '@hookloom/plugin-kit/host';
import {
  ANYTHING,
  BOOLEAN,
  contextOf,
  EXECUTION,
  limitSize,
  listOf,
  mayBe,
  NUMBER,
  objectOf,
  sequenceOf,
  TEXT,
  type Type,
} from './types.ts';

/** The types of what an expression reads. */
export interface TypeScope {
  readonly input: Type;
  readonly trigger: Type;
  /** The type of `$item`; absent outside of a body that runs for each item of a list. */
  readonly item?: Type | undefined;
  /** The type of `$nodes.ID`. */
  nodeOutput(id: string): Type;
  /** The nodes that may have failed of which a type is made; by default none. */
  failablesOf?(type: Type): readonly Failable[];
  /** Whether the node reads the error of what may have failed. */
  readonly asksForErrors?: boolean;
}

/** What a node delivers where it may have failed: its own output, or the error. */
export interface Failable {
  readonly nodeId: string;
  readonly success: Type;
  readonly failure: Type;
  /** Whether the failure keeps the fields of the node's input, as in format 1. */
  readonly keepsInput: boolean;
  /** What it is merged with, if it is a part of an input. */
  readonly besides: readonly Type[];
}

/** A field that is read from what a node delivers that may have failed. */
export interface DoubtfulField {
  /** The path, and its step that names the field. */
  readonly path: Node & { readonly type: 'path' };
  readonly step: Node;
  readonly name: string;
  readonly of: Failable;
  /** Whether the expression does something else if there is no such field. */
  readonly isGuarded: boolean;
}

/** A field that an expression reads, and that no value of its kind has. */
export interface MissingField {
  /** The path, and its step that names the field. */
  readonly path: Node & { readonly type: 'path' };
  readonly step: Node;
  /** The type of what has no such field. */
  readonly of: Type;
}

/** An argument or an operand that a function or an operator refuses. */
export interface WrongOperand {
  readonly node: Node;
  readonly operand: Node;
  /** The JSON types that are accepted, as {@link typeNameOf} names them. */
  readonly accepted: readonly string[];
  readonly type: Type;
}

export interface Inference {
  readonly type: Type;
  /** The types of the expression's parts. */
  readonly typeOf: ReadonlyMap<Node, Type>;
  readonly missing: readonly MissingField[];
  readonly wrong: readonly WrongOperand[];
  readonly doubtful: readonly DoubtfulField[];
}

/** Deeper parts have any type. */
const MAX_DEPTH = 200;

/**
 * Infers the type of an expression, which is `{}` where it is not known: what a value may be, if there is one, since any path may
 * have no result. Never throws.
 */
export const inferExpression = (tree: Node, scope: TypeScope, natives: Natives): Inference => {
  const inferrer = new Inferrer(scope, natives);
  const type = inferrer.infer(tree, { context: scope.input, bound: new Map() }, 0);
  return { type, ...inferrer };
};

interface Frame {
  /** The type of `$`, at which paths begin. */
  readonly context: Type;
  readonly bound: ReadonlyMap<string, Type>;
}

class Inferrer {
  readonly typeOf = new Map<Node, Type>();
  readonly missing: MissingField[] = [];
  readonly wrong: WrongOperand[] = [];
  readonly doubtful: DoubtfulField[] = [];
  /** How many guards are around the part that is inferred. */
  #guards = 0;
  readonly #scope: TypeScope;
  readonly #natives: Natives;

  constructor(scope: TypeScope, natives: Natives) {
    this.#scope = scope;
    this.#natives = natives;
  }

  infer(node: Node, frame: Frame, depth: number): Type {
    if (depth > MAX_DEPTH) return ANYTHING;
    let type = this.#inferKind(node, frame, depth + 1);
    if (node.type !== 'path') type = this.#applyFilters(node, type, frame, depth + 1);
    const limited = limitSize(node.group === undefined ? type : { type: 'object' });
    this.typeOf.set(node, limited);
    return limited;
  }

  #inferKind(node: Node, frame: Frame, depth: number): Type {
    switch (node.type) {
      case 'string':
      case 'number':
        return { type: node.type };
      case 'value':
        return { type: node.value === null ? 'null' : 'boolean' };
      case 'name':
        return fieldSchema(frame.context, node.value) ?? ANYTHING;
      case 'variable':
        return this.#variable(node.value, frame);
      case 'path':
        return this.#path(node, frame, depth);
      case 'binary':
        return this.#binary(node, frame, depth);
      case 'unary':
        return this.#unary(node, frame, depth);
      case 'condition':
        return this.#guarded(() => {
          this.infer(node.condition, frame, depth);
          const branches = [node.then, ...(node.else === undefined ? [] : [node.else])];
          return eitherOf(branches.map((branch) => this.infer(branch, frame, depth)));
        });
      case 'block':
        return this.#block(node.expressions, frame, depth);
      case 'bind':
        return this.infer(node.rhs, frame, depth);
      case 'function':
        return this.#call(node, frame, depth);
      case 'apply':
        return this.#apply(node, frame, depth);
      case 'lambda':
        this.infer(
          node.body,
          {
            ...frame,
            bound: bind(
              frame,
              node.arguments.map(({ value }) => [value, ANYTHING]),
            ),
          },
          depth,
        );
        return ANYTHING;
      default:
        return ANYTHING;
    }
  }

  #variable(name: string, { context, bound }: Frame): Type {
    if (name === '') return context;
    if (name === '$') return this.#scope.input;
    const own = bound.get(name);
    if (own !== undefined) return own;
    if (name === 'item') return this.#scope.item ?? ANYTHING;
    return name === 'trigger' ? this.#scope.trigger : name === 'execution' ? EXECUTION : ANYTHING;
  }

  #block(expressions: readonly Node[], frame: Frame, depth: number): Type {
    let [own, type]: [Frame, Type] = [frame, ANYTHING];
    for (const expression of expressions) {
      type = this.infer(expression, own, depth);
      if (expression.type === 'bind') own = { ...own, bound: bind(own, [[expression.lhs.value, type]]) };
    }
    return type;
  }

  #path(node: Node & { readonly type: 'path' }, frame: Frame, depth: number): Type {
    const { steps } = node;
    // With bound positions and contexts, a step gives more than its value.
    if (steps.some(({ tuple }) => tuple === true)) return this.#openPath(steps, frame, depth);
    const [first, second] = steps;
    const isNode = first.type === 'variable' && first.value === 'nodes';
    if (isNode && second?.type !== 'name') return this.#openPath(steps, frame, depth);
    let type: Type = isNode
      ? this.#scope.nodeOutput(String((second as { value: string }).value))
      : frame.context;
    let begin = 0;
    if (isNode) {
      type = this.#applyFilters(second as Node, type, frame, depth);
      this.typeOf.set(second as Node, type);
      begin = 2;
    }
    for (const [at, step] of steps.entries()) {
      if (at < begin) continue;
      type = this.#step(node, at === 0 && step.type !== 'name' ? null : type, step, frame, depth);
    }
    if (node.keepSingletonArray === true) return listOf(contextOf(type).each);
    return type;
  }

  /** Infers a step. @param before - what it is evaluated for; null for a first step that is not a field */
  #step(
    path: Node & { readonly type: 'path' },
    before: Type | null,
    step: Node,
    frame: Frame,
    depth: number,
  ): Type {
    if (before === null) return this.infer(step, frame, depth);
    const { each, isList } = contextOf(before);
    const own = { ...frame, context: each };
    if (step.type === 'sort') {
      for (const { expression } of step.terms) this.infer(expression, own, depth);
      return this.#applyFilters(step, isList ? sequenceOf(each) : before, frame, depth);
    }
    let type: Type;
    if (step.type === 'name') {
      const field = fieldSchema(each, step.value);
      if (field === null) this.missing.push({ path, step, of: each });
      this.#doubt(path, step, step.value, before);
      type = this.#applyFilters(step, field ?? ANYTHING, own, depth);
    } else {
      type = this.infer(step, own, depth);
    }
    const result = isList
      ? sequenceOf(type, step.type !== 'unary')
      : isUnknown(before)
        ? maybeMany(type)
        : type;
    this.typeOf.set(step, result);
    return result;
  }

  /** Finds what is read of nodes that may have failed, unless something else may give it. */
  #doubt(path: Node & { readonly type: 'path' }, step: Node, name: string, before: Type): void {
    for (const of of this.#scope.failablesOf?.(before) ?? [])
      if (name === ERROR_OUTPUT || of.besides.every((other) => fieldSchema(other, name) === null))
        this.doubtful.push({ path, step, name, of, isGuarded: this.#guards > 0 });
  }

  /** Infers the parts of a path of which nothing is known. */
  #openPath(steps: readonly Node[], frame: Frame, depth: number): Type {
    const [first, ...others] = steps;
    if (first !== undefined) this.infer(first, frame, depth);
    for (const step of others)
      if (step.type !== 'name') this.infer(step, { ...frame, context: ANYTHING }, depth);
    return ANYTHING;
  }

  /** Applies the predicates and indexes behind a part. */
  #applyFilters({ stages, predicate }: Node, type: Type, frame: Frame, depth: number): Type {
    let result = type;
    for (const stage of [...(stages ?? []), ...(predicate ?? [])]) {
      if (stage.type !== 'filter') return ANYTHING;
      const { each, isList } = contextOf(result);
      const wanted = this.infer(stage.expr, { ...frame, context: each }, depth);
      if (isIndex(stage.expr)) result = each;
      else if (isLookup(stage.expr)) result = isList ? eitherOf([each, listOf(each)]) : result;
      else if (isList) result = sequenceOf(each);
      else if (isUnknown(wanted)) result = eitherOf([result, listOf(result)]);
    }
    return result;
  }

  #binary(node: Node & { readonly type: 'binary' }, frame: Frame, depth: number): Type {
    const { value, lhs, rhs } = node;
    const types = [this.infer(lhs, frame, depth), this.infer(rhs, frame, depth)];
    if (value === '&') return TEXT;
    if (!ARITHMETIC.includes(value) && value !== '..') return BOOLEAN;
    for (const [at, operand] of [lhs, rhs].entries())
      this.#accept(node, operand, types[at] ?? ANYTHING, ['number']);
    return value === '..' ? listOf(NUMBER) : NUMBER;
  }

  #unary(node: Node & { readonly type: 'unary' }, frame: Frame, depth: number): Type {
    if (node.value === '-') {
      this.#accept(node, node.expression, this.infer(node.expression, frame, depth), ['number']);
      return NUMBER;
    }
    if (node.value === '[') {
      const items = node.expressions.map((expression) => {
        const type = this.infer(expression, frame, depth);
        return expression.type === 'unary' && expression.value === '[' ? type : contextOf(type).each;
      });
      return items.length === 0 ? listOf(ANYTHING) : listOf(eitherOf(items));
    }
    const { isList } = contextOf(frame.context);
    const fields = node.lhs.map(([key, value]) => {
      this.infer(key, frame, depth);
      return [key, this.infer(value, frame, depth)] as const;
    });
    if (isList || fields.some(([key]) => key.type !== 'string')) return { type: 'object' };
    return objectOf(
      Object.fromEntries(fields.map(([key, type]) => [String((key as { value: string }).value), type])),
    );
  }

  #call(node: CallNode, frame: Frame, depth: number): Type {
    const { procedure } = node;
    const name = procedure.type === 'variable' && !frame.bound.has(procedure.value) ? procedure.value : '';
    if (ITERATORS.includes(name)) return this.#iterate(name, node.arguments, frame, depth);
    const inferAll = () => node.arguments.map((argument) => this.infer(argument, frame, depth));
    const given = TESTS.includes(name) ? this.#guarded(inferAll) : inferAll();
    if (procedure.type !== 'variable') this.infer(procedure, frame, depth);
    return this.#resultOf(
      name,
      node,
      node.arguments.map((argument, at) => [argument, given[at] ?? ANYTHING]),
    );
  }

  #guarded<Result>(infer: () => Result): Result {
    this.#guards += 1;
    const result = infer();
    this.#guards -= 1;
    return result;
  }

  /** `$map`, `$filter` and `$single`: the function's first parameter is an item. */
  #iterate(name: string, [list, callback]: readonly Node[], frame: Frame, depth: number): Type {
    const items = list === undefined ? ANYTHING : contextOf(this.infer(list, frame, depth)).each;
    if (callback?.type !== 'lambda') {
      if (callback !== undefined) this.infer(callback, frame, depth);
      return name === 'map' ? ANYTHING : name === 'single' ? items : sequenceOf(items);
    }
    const bound = bind(
      frame,
      callback.arguments.map(({ value }, at) => [value, at === 0 ? items : ANYTHING]),
    );
    const each = this.infer(callback.body, { ...frame, bound }, depth);
    if (name === 'single') return items;
    return unmarked(sequenceOf(name === 'map' ? each : items));
  }

  #apply({ lhs, rhs }: Node & { readonly type: 'apply' }, frame: Frame, depth: number): Type {
    const given = this.infer(lhs, frame, depth);
    if (rhs.type !== 'function' || rhs.procedure.type !== 'variable') {
      this.infer(rhs, frame, depth);
      return ANYTHING;
    }
    const name = frame.bound.has(rhs.procedure.value) ? '' : rhs.procedure.value;
    const others = rhs.arguments.map((argument) => [argument, this.infer(argument, frame, depth)] as const);
    return ITERATORS.includes(name) ? ANYTHING : this.#resultOf(name, rhs, [[lhs, given], ...others]);
  }

  /** Checks the arguments of a built-in function. @returns what it gives */
  #resultOf(name: string, node: Node, given: readonly (readonly [Node, Type])[]): Type {
    const native = this.#natives.get(name);
    if (native === undefined) return ANYTHING;
    const { parameters, result, itemType } = describeSignature(native.signature);
    const required = parameters.filter(({ times, takesContext }) => times !== '?' || takesContext).length;
    // With fewer arguments, the context is the first one.
    for (const [at, [operand, type]] of given.length < required ? [] : given.entries())
      this.#accept(node, operand, type, acceptedBy(parameters[at]?.types, parameters[at]?.isList === true));
    if (result === 'a') return itemType === null ? ANYTHING : maybeMany(typeOfSymbol(itemType));
    return typeOfSymbol(result);
  }

  #accept(node: Node, operand: Node, type: Type, accepted: readonly string[]): void {
    if (accepted.length === 0 || isUnknown(type) || accepted.some((name) => mayBe(type, name))) return;
    this.wrong.push({ node, operand, accepted, type });
  }
}

const bind = ({ bound }: Frame, names: readonly (readonly [string, Type])[]): ReadonlyMap<string, Type> =>
  new Map([...bound, ...names]);

const ARITHMETIC = ['+', '-', '*', '/', '%'];
const ITERATORS = ['map', 'filter', 'single'];

/** Functions that have a result for a value that is missing. */
const TESTS = ['exists', 'type'];

const typeNames: Readonly<Record<string, string>> = {
  s: 'string',
  n: 'number',
  b: 'boolean',
  a: 'array',
  o: 'object',
  l: 'null',
};

const typeOfSymbol = (symbol: string | null): Type => {
  const type = typeNames[symbol ?? ''];
  return type === undefined ? ANYTHING : { type };
};

/** The JSON types of a signature's symbols; empty if any are accepted. A list may also be one value. */
const acceptedBy = (symbols = '', isList: boolean): readonly string[] =>
  isList ? [] : [...symbols].flatMap((symbol) => typeNames[symbol] ?? []);

/** One value of a type, or a list of them: what a function gives that gives lists, and a path over what may be one. */
const maybeMany = (item: Type): Type => (isUnknown(item) ? ANYTHING : eitherOf([item, listOf(item)]));

const unmarked = ({ sequence: _, ...type }: Type): Type => type;

/** Whether a predicate is a position. */
const isIndex = (node: Node): boolean =>
  node.type === 'number' ||
  (node.type === 'unary' && node.value === '-' && node.expression.type === 'number');

/** Whether a predicate looks up one item: `[id = $trigger.body.id]` does, `[isNew = true]` does not. */
const isLookup = (node: Node): boolean => {
  if (node.type !== 'binary') return false;
  if (node.value === 'and') return isLookup(node.lhs) || isLookup(node.rhs);
  return node.value === '=' && node.lhs.type !== 'value' && node.rhs.type !== 'value';
};
