import type { NodeDataTypes } from './describe-node.ts';
import type { Findings, KnownTypes } from './validate-draft.ts';

/** To the worker: what it is to know from now on, a definition to check, or a node of one to describe. */
export type ToValidator =
  | { readonly known: KnownTypes }
  | { readonly definition: unknown }
  | { readonly definition: unknown; readonly nodeId: string };

/** From the worker: for each definition, and for each node. */
export type FromValidator =
  | { readonly findings: Findings }
  | { readonly definition: unknown; readonly nodeId: string; readonly types: NodeDataTypes | null };
