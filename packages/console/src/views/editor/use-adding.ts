import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Addition,
  addNode,
  chooseId,
  connectNodes,
  type Edit,
  type EditedConnection,
  type EditedDefinition,
  insertNode,
  isPoint,
  type Point,
} from './definition/definition-edits.ts';
import { typeQuery } from './node-types.ts';
import type { NewNode } from './start/import-fields.tsx';

/** Where a new node goes: behind an output, into a connection, or to a place. */
interface Destination {
  /** Its target is the new node. */
  readonly after?: EditedConnection;
  readonly into?: EditedConnection;
  readonly position?: Point;
}

interface AddingParts {
  readonly onAdd: (add: (definition: EditedDefinition) => Addition) => void;
  /** Called when the dialog has added a node. */
  readonly onAnswered: () => void;
}

/** Adds nodes, whose types are chosen in a dialog or beside the graph. */
export const useAdding = ({ onAdd, onAnswered }: AddingParts) => {
  const client = useQueryClient();
  /** What the dialog is open for. */
  const [asked, setAsked] = useState<Destination | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  /** The type must be known: an insertion connects its first output. */
  const add = (node: NewNode, destination: Destination) => {
    setFailure(null);
    client.fetchQuery(typeQuery(node.type)).then(
      ({ outputs }) => place(node, outputs?.[0] ?? 'main', destination),
      (error: Error) => setFailure(error),
    );
  };
  const place = (chosen: NewNode, output: string, { into, after, position }: Destination) => {
    onAdd((definition) => {
      const id = chooseId(definition, chosen.type);
      const isPlaced = position !== undefined && (into === undefined || isPlacedByHand(definition, into));
      const node = { id, ...chosen, ...(isPlaced ? { position } : {}) };
      const edit: Edit = (before) => {
        if (into !== undefined) return insertNode(node, into, output)(before);
        const added = addNode(node)(before);
        return after === undefined ? added : connectNodes({ ...after, targetNodeId: node.id })(added);
      };
      return { edit, ids: new Set([node.id]) };
    });
    if (asked !== null) onAnswered();
    setAsked(null);
  };
  return {
    isAsked: asked !== null,
    /** Why the last node was not added; null if it was. */
    failure,
    ask: (destination: Destination) => setAsked(destination),
    close: () => {
      setAsked(null);
      setFailure(null);
    },
    /** Adds what was chosen in the dialog, or beside the graph. */
    choose: (node: NewNode) => add(node, asked ?? {}),
    /** @param into - the connection that it was dropped on; null for the free canvas */
    drop: (type: string, position: Point, into: EditedConnection | null) =>
      add({ type }, { position, ...(into === null ? {} : { into }) }),
  };
};

/** Whether the nodes of a connection are where someone put them: what the layout places, it places with what goes between. */
const isPlacedByHand = ({ nodes }: EditedDefinition, { sourceNodeId }: EditedConnection): boolean =>
  nodes.some(({ id, position }) => id === sourceNodeId && isPoint(position));
