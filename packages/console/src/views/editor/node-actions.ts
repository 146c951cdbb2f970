import {
  changeNodes,
  type EditedConnection,
  type EditedDefinition,
  type Fragment,
  takeFragment,
} from './definition/definition-edits.ts';
import { readFragment, writeFragment } from './fragment-text.ts';
import type { NodeAction } from './node-menu.tsx';
import { type Change, edited, removeSelected, selectAll } from './use-work.ts';

interface NodeActionsProps {
  readonly definition: EditedDefinition;
  readonly selected: ReadonlySet<string>;
  readonly outputsOf: (nodeId: string) => readonly string[];
  readonly change: Change;
  /** Called with a connection whose target is to be chosen. */
  readonly onAddAfter: (connection: EditedConnection) => void;
  readonly onPaste: (fragment: Fragment) => void;
  /** Called if the clipboard can't be used; null when it is tried. */
  readonly onFail: (error: Error | null) => void;
}

/** What can be done with the selected nodes, as a menu offers it. */
export const findNodeActions = (props: NodeActionsProps): readonly NodeAction[] => {
  const { definition, selected, outputsOf, change, onFail } = props;
  const [only] = selected.size === 1 ? selected : [];
  const isDisabled = definition.nodes.every(({ id, disabled }) => !selected.has(id) || disabled === true);
  const outputs = only === undefined ? [] : outputsOf(only);
  const ofOne: readonly NodeAction[] =
    only === undefined
      ? []
      : [
          ...outputs.map((output) => ({
            label: outputs.length === 1 ? 'Add after' : `Add after ${output}`,
            run: () => props.onAddAfter({ sourceNodeId: only, sourceOutput: output, targetNodeId: '' }),
          })),
          { label: 'Connect to', run: () => focusField('Connect to') },
          { label: 'Rename', run: () => focusField('Id') },
        ];
  return [
    ...ofOne,
    {
      label: 'Copy',
      keys: 'Ctrl C',
      run: () => {
        onFail(null);
        copyText(writeFragment(takeFragment(definition, selected))).catch(onFail);
      },
    },
    {
      label: 'Paste',
      keys: 'Ctrl V',
      run: () => {
        onFail(null);
        pasteText().then(props.onPaste, onFail);
      },
    },
    { label: 'Duplicate', run: () => props.onPaste(takeFragment(definition, selected)) },
    {
      label: isDisabled ? 'Enable' : 'Disable',
      run: () =>
        change(
          edited(changeNodes(new Map([...selected].map((id) => [id, { disabled: !isDisabled }] as const)))),
        ),
    },
    { label: 'Select all', keys: 'Ctrl A', run: () => change(selectAll) },
    { label: 'Delete', keys: 'Del', run: () => change(removeSelected) },
  ];
};

/** The field of the node's panel that has this label. */
const focusField = (label: string): void => {
  const found = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label);
  const field = found?.htmlFor === undefined ? null : document.getElementById(found.htmlFor);
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
};

const copyText = (text: string): Promise<void> =>
  navigator.clipboard
    .writeText(text)
    .catch(() => Promise.reject(new Error('The browser did not allow copying: press Ctrl C in the graph.')));

/** @throws Error if the browser does not allow it, or the clipboard has no nodes */
const pasteText = async (): Promise<Fragment> => {
  const text = await navigator.clipboard
    .readText()
    .catch(() => Promise.reject(new Error('The browser did not allow pasting: press Ctrl V in the graph.')));
  const fragment = readFragment(text);
  if ('problem' in fragment) throw new Error(`The clipboard has no nodes: ${fragment.problem}.`);
  return fragment;
};
