/**
 * The parts of the syntax tree of JSONata's parser that the evaluation uses. The library does not declare these types; see
 * `processAST` in its parser.
 */
export type Node =
  | PathNode
  | BinaryNode
  | UnaryNode
  | LiteralNode
  | NameNode
  | PlainNode
  | ParentNode
  | ConditionNode
  | BlockNode
  | BindNode
  | RegexNode
  | CallNode
  | VariableNode
  | LambdaNode
  | ApplyNode
  | TransformNode
  | SortNode;

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

export interface PathNode extends Common {
  readonly type: 'path';
  readonly steps: readonly [Node, ...Node[]];
  readonly keepSingletonArray?: boolean;
}

export interface BinaryNode extends Common {
  readonly type: 'binary';
  readonly value: string;
  readonly lhs: Node;
  readonly rhs: Node;
}

export type UnaryNode =
  | (Common & { readonly type: 'unary'; readonly value: '-'; readonly expression: Node })
  | (Common & { readonly type: 'unary'; readonly value: '['; readonly expressions: readonly Node[] })
  | (Common & Group & { readonly type: 'unary'; readonly value: '{' });

interface LiteralNode extends Common {
  readonly type: 'string' | 'number' | 'value';
  readonly value: string | number | boolean | null;
}

interface NameNode extends Common {
  readonly type: 'name';
  readonly value: string;
}

interface PlainNode extends Common {
  /** Type of the node; `operator` is the `?` among the arguments of a partial application. */
  readonly type: 'wildcard' | 'descendant' | 'operator';
  readonly value?: string;
}

interface ParentNode extends Common {
  readonly type: 'parent';
  readonly slot: { readonly label: string };
}

interface ConditionNode extends Common {
  readonly type: 'condition';
  readonly condition: Node;
  readonly then: Node;
  readonly else?: Node;
}

interface BlockNode extends Common {
  readonly type: 'block';
  readonly expressions: readonly Node[];
}

interface BindNode extends Common {
  readonly type: 'bind';
  readonly lhs: VariableNode;
  readonly rhs: Node;
}

export interface RegexNode extends Common {
  readonly type: 'regex';
  readonly value: RegExp;
}

export interface CallNode extends Common {
  readonly type: 'function' | 'partial';
  readonly procedure: Node;
  readonly arguments: readonly Node[];
}

interface VariableNode extends Common {
  readonly type: 'variable';
  readonly value: string;
}

export interface LambdaNode extends Common {
  readonly type: 'lambda';
  readonly arguments: readonly VariableNode[];
  readonly signature?: { readonly definition: string };
  readonly body: Node;
  /** Whether the parser created the node for a call in tail position. */
  readonly thunk?: boolean;
}

export interface ApplyNode extends Common {
  readonly type: 'apply';
  readonly lhs: Node;
  readonly rhs: Node;
}

export interface TransformNode extends Common {
  readonly type: 'transform';
  readonly pattern: Node;
  readonly update: Node;
  readonly delete?: Node;
}

export interface SortNode extends Common {
  readonly type: 'sort';
  readonly terms: readonly { readonly descending: boolean; readonly expression: Node }[];
}
