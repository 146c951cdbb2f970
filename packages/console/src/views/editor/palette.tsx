import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Input, { type InputProps } from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { useApiPages } from '../../api/use-api.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { CurlFields, type NewNode } from './start/import-fields.tsx';

interface PaletteProps {
  /** Why the last choice could not be added; null if nothing failed. */
  readonly problem: Error | null;
  readonly onChoose: (node: NewNode) => void;
  readonly onClose: () => void;
}

/** A dialog with the ways to add a node: a search of node types, or a curl command. */
export const Palette = ({ problem, onChoose, onClose }: PaletteProps): ReactNode => {
  const search = useRef<InputProps.Ref>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed before it is removed, it gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    search.current?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} className="editor-palette" aria-label="Add a node" onClose={onClose}>
      <SpaceBetween size="m">
        <div className="field-head">
          <Box variant="h2">Add a node</Box>
          <Button iconName="close" variant="icon" ariaLabel="Close" onClick={onClose} />
        </div>
        {problem !== null && <ProblemAlert error={problem} />}
        <ExpandableSection headerText="From a curl command">
          <CurlFields action="Add this request" onNode={onChoose} />
        </ExpandableSection>
        <NodeTypeSearch search={search} onChoose={(type) => onChoose({ type })} />
      </SpaceBetween>
    </dialog>
  );
};

/** What a dragged node type is in a drag and drop. */
export const DRAGGED_TYPE = 'application/x-hookloom-node-type';

interface NodeTypeSearchProps {
  readonly search?: RefObject<InputProps.Ref | null>;
  readonly onChoose: (nodeType: string) => void;
}

/** Node types by provider: each is added by a click, and can be dragged onto the graph. Enter in the search takes the first. */
export const NodeTypeSearch = ({ search, onChoose }: NodeTypeSearchProps): ReactNode => {
  const [text, setText] = useState('');
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useApiPages(
    'GET /api/admin/node-types',
    { query: { limit: 200 } },
  );
  const sought = text.trim().toLowerCase();
  const found = (data ?? [])
    .flatMap((page) => page.nodeTypes)
    .filter(
      ({ enabled, nodeType, name, description }) =>
        enabled && `${nodeType} ${name} ${description}`.toLowerCase().includes(sought),
    )
    .toSorted((one, other) => rank(one, sought) - rank(other, sought));
  const [best] = found;
  const groups = [...Map.groupBy(found, ({ plugin }) => plugin)];
  return (
    <SpaceBetween size="m">
      <Input
        type="search"
        ariaLabel="Find a node type"
        placeholder="Name or what it does"
        {...(search === undefined ? {} : { ref: search })}
        value={text}
        onChange={({ detail }) => setText(detail.value)}
        onKeyDown={(event) => {
          if (event.detail.key !== 'Enter' || best === undefined) return;
          event.preventDefault(); // else the key presses the button that has the focus next
          onChoose(best.nodeType);
        }}
      />
      <p role="status" className="visually-hidden">
        {sought !== '' && `${found.length} found${best === undefined ? '' : `. Enter adds ${best.nodeType}`}`}
      </p>
      {error !== null && <ProblemAlert error={error} onRetry={refetch} />}
      {data !== undefined && found.length === 0 && <Box>No node type matches.</Box>}
      {groups.map(([plugin, types]) => (
        <div key={plugin}>
          <Box variant="h3">{plugin}</Box>
          <ul className="fields editor-types">
            {types.map(({ nodeType, description }) => (
              <li
                key={nodeType}
                draggable={true}
                onDragStart={({ dataTransfer }) => {
                  dataTransfer.setData(DRAGGED_TYPE, nodeType);
                  dataTransfer.effectAllowed = 'copy';
                }}
              >
                <Button onClick={() => onChoose(nodeType)}>{nodeType}</Button>
                <Box color="text-body-secondary">{description}</Box>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {hasNextPage && (
        <Button loading={isFetching} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </SpaceBetween>
  );
};

/** Names come before descriptions, and the exact one first. */
const rank = (
  { nodeType, name }: { readonly nodeType: string; readonly name: string },
  sought: string,
): number => {
  const names = [nodeType.toLowerCase(), name.toLowerCase()];
  if (names.includes(sought)) return 0;
  return names.some((each) => each.startsWith(sought))
    ? 1
    : names.some((each) => each.includes(sought))
      ? 2
      : 3;
};
