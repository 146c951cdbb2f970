/**
 * The parts of the syntax tree of JSONata's parser that the evaluation uses. The library does not declare these types; see
 * `processAST` in its parser.
 */
export type Node = Common & Kind;

/** The nodes of a type. */
export type NodeOf<Type extends Kind['type']> = Extract<Node, { readonly type: Type }>;

interface Common {
  readonly position?: number;
  /** Predicates of a node outside a path. */
  readonly predicate?: readonly Stage[];
  /** Predicates and index bindings of a step. */
  readonly stages?: readonly Stage[];
  readonly group?: Group;
  /** Whether `[]` follows, which keeps a list of one item a list. */
  readonly keepArray?: boolean;
  /** Whether the values of the step have bindings: `@$v`, `#$i` or `%`. */
  readonly tuple?: boolean;
  /** The variable that the step binds with `@$v` instead of changing the context. */
  readonly focus?: string;
  /** The variable that receives the position, as in `#$i`. */
  readonly index?: string;
  /** The label by which later steps find the context of this one with `%`. */
  readonly ancestor?: { readonly label: string };
  /** Whether the node is an array constructor at the start or end of a path, which is not flattened. */
  readonly consarray?: boolean;
}

export type Stage =
  | { readonly type: 'filter'; readonly expr: Node }
  | { readonly type: 'index'; readonly value: string };

/** `{key: value, …}`: pairs of expressions. */
export interface Group {
  readonly lhs: readonly (readonly [key: Node, value: Node])[];
  readonly position?: number;
}

type Kind =
  | {
      readonly type: 'path';
      readonly steps: readonly [Node, ...Node[]];
      readonly keepSingletonArray?: boolean;
    }
  | { readonly type: 'binary'; readonly value: string; readonly lhs: Node; readonly rhs: Node }
  | { readonly type: 'unary'; readonly value: '-'; readonly expression: Node }
  | { readonly type: 'unary'; readonly value: '['; readonly expressions: readonly Node[] }
  | ({ readonly type: 'unary'; readonly value: '{' } & Group)
  | { readonly type: 'string' | 'number' | 'value'; readonly value: string | number | boolean | null }
  | { readonly type: 'name' | 'variable'; readonly value: string }
  /** `operator` is the `?` among the arguments of a partial application. */
  | { readonly type: 'wildcard' | 'descendant' | 'operator'; readonly value?: string }
  | { readonly type: 'parent'; readonly slot: { readonly label: string } }
  | { readonly type: 'condition'; readonly condition: Node; readonly then: Node; readonly else?: Node }
  | { readonly type: 'block'; readonly expressions: readonly Node[] }
  | { readonly type: 'bind'; readonly lhs: { readonly value: string }; readonly rhs: Node }
  | { readonly type: 'regex'; readonly value: RegExp }
  | {
      readonly type: 'function' | 'partial';
      readonly procedure: Node;
      readonly arguments: readonly Node[];
    }
  | {
      readonly type: 'lambda';
      readonly arguments: readonly { readonly value: string }[];
      readonly signature?: { readonly definition: string };
      readonly body: Node;
      /** Whether the parser created the node for a call in tail position. */
      readonly thunk?: boolean;
    }
  | { readonly type: 'apply'; readonly lhs: Node; readonly rhs: Node }
  | { readonly type: 'transform'; readonly pattern: Node; readonly update: Node; readonly delete?: Node }
  | {
      readonly type: 'sort';
      readonly terms: readonly { readonly descending: boolean; readonly expression: Node }[];
    };

export type CallNode = NodeOf<'function' | 'partial'>;
