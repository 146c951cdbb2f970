import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { isPlainObject } from '@hookloom/plugin-kit';
import { type ReactNode, useMemo, useState } from 'react';
import type { Type } from '../../../../../authoring/validation/types/types.ts';
import { describeValue } from '../../../parts/expression/describe-value.ts';
import { EXPRESSION_TYPE } from '../../../parts/expression/dropped-expression.ts';
import { explainType, nameType } from '../../../parts/expression/expression-types.ts';
import { Choice } from '../../../parts/form-fields.tsx';
import { JsonView } from '../../../parts/json-view.tsx';
import {
  countRows,
  type DataTable,
  findTables,
  type Path,
  rowsOf,
  searchData,
  type Typed,
  toExpression,
  UNSEEN,
} from './data-paths.ts';
import './trial.css';

interface DataViewsProps {
  /** `UNSEEN` if only the type is known. */
  readonly value: unknown;
  readonly type: Type;
  /** What the data is: `Input of greet`. */
  readonly label: string;
  /** Whose output it is, for expressions; null for the input of a node. */
  readonly nodeId: string | null;
  /** Parameters that can take an expression. */
  readonly parameters: readonly string[];
  readonly onUse: (parameter: string, expression: string) => void;
}

type Look = 'tree' | 'table' | 'json';

/** Data as a tree whose fields make expressions, as tables or as JSON, with a search. */
export const DataViews = (props: DataViewsProps): ReactNode => {
  const { value, type, label, nodeId, parameters, onUse } = props;
  const [look, setLook] = useState<Look>('tree');
  const [sought, setSought] = useState('');
  const [chosen, setChosen] = useState<Path | null>(null);
  const tables = useMemo(() => findTables(value), [value]);
  const isSeen = value !== UNSEEN;
  const shown = !isSeen || (look === 'table' && tables.length === 0) ? 'tree' : look;
  const expression = chosen === null ? null : toExpression(nodeId, chosen);
  const rows = { data: { value, type }, nodeId, chosen, onChoose: setChosen };
  return (
    <SpaceBetween size="xs">
      <div className="trial-look">
        {isSeen && (
          <SegmentedControl
            label={`How to show ${label}`}
            selectedId={shown}
            onChange={({ detail }) => setLook(detail.selectedId as Look)}
            options={[
              { id: 'tree', text: 'Tree' },
              ...(tables.length === 0 ? [] : [{ id: 'table', text: 'Table' }]),
              { id: 'json', text: 'JSON' },
            ]}
          />
        )}
        {shown === 'tree' && (
          <Input
            type="search"
            ariaLabel={`Search in ${label}`}
            placeholder="Field or value"
            value={sought}
            onChange={({ detail }) => setSought(detail.value)}
          />
        )}
      </div>
      {shown === 'json' && <JsonView value={value} label={label} />}
      {shown === 'table' && tables.map((table) => <TableOf key={JSON.stringify(table.path)} {...table} />)}
      {shown === 'tree' && (
        <fieldset className="trial-tree" aria-label={label}>
          {sought.trim() === '' ? <Entries {...rows} path={[]} /> : <Hits {...rows} sought={sought} />}
        </fieldset>
      )}
      {shown === 'tree' && expression !== null && (
        <Use key={expression} expression={expression} parameters={parameters} onUse={onUse} />
      )}
    </SpaceBetween>
  );
};

interface RowsProps extends Pick<DataViewsProps, 'nodeId'> {
  readonly data: Typed;
  readonly chosen: Path | null;
  readonly onChoose: (path: Path) => void;
}

/** Entries that are shown at first, and that "Show more" adds. */
const PAGE = 50;
const MAX_SHOWN = 1_000;

const Entries = ({ path, ...props }: RowsProps & { readonly path: Path }): ReactNode => {
  const { data } = props;
  const [limit, setLimit] = useState(PAGE);
  const size = countRows(data);
  if (size === null && data.value === UNSEEN) return <Value {...data} />;
  if (size === null) return <Box variant="code">{describeValue(data.value)}</Box>;
  if (size === 0) return <Box color="text-body-secondary">Empty</Box>;
  return (
    <ul>
      {rowsOf(data, limit).map(([key, own]) => (
        <Entry key={key} {...props} path={[...path, key]} data={own} />
      ))}
      {size > limit && (
        <li>
          {limit < MAX_SHOWN ? (
            <Button variant="inline-link" onClick={() => setLimit(limit + 5 * PAGE)}>
              Show more of {size}
            </Button>
          ) : (
            `${limit} of ${size} are shown.`
          )}
        </li>
      )}
    </ul>
  );
};

const Entry = (props: RowsProps & { readonly path: Path }): ReactNode => {
  const { path, data } = props;
  const size = countRows(data);
  // Of the data itself, what is in a single object is shown at once.
  const [isOpen, setOpen] = useState(path.length === 1 && (size ?? PAGE) < 10);
  const hasParts = (size ?? 0) > 0;
  const name = String(path.at(-1));
  return (
    <li>
      {hasParts ? (
        <button
          type="button"
          className="trial-fold"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${name}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
      ) : (
        <span className="trial-fold" />
      )}
      <FieldName {...props} text={name} />
      <Value {...data} />
      {hasParts && isOpen && <Entries {...props} />}
    </li>
  );
};

/** A value, and the type that it is declared to have. */
const Value = ({ value, type }: Typed): ReactNode => {
  const name = nameType(type);
  return (
    <>
      {name !== '' && (
        <span className="trial-type" title={explainType(type)}>
          {name}
        </span>
      )}
      {value !== UNSEEN && !(name !== '' && isPlainObject(value)) && (
        <span className="trial-value">{describeValue(value)}</span>
      )}
    </>
  );
};

const Hits = ({ sought, ...props }: RowsProps & { readonly sought: string }): ReactNode => {
  const { value, type } = props.data;
  const { hits, isPartial } = useMemo(() => searchData({ value, type }, sought), [value, type, sought]);
  return (
    <div role="status">
      <ul>
        {hits.map(({ path, ...own }) => (
          <li key={JSON.stringify(path)}>
            <FieldName {...props} path={path} text={path.join(' › ')} />
            <Value {...own} />
          </li>
        ))}
      </ul>
      {hits.length === 0 && !isPartial && <Box color="text-body-secondary">Nothing matches.</Box>}
      {isPartial && <Box color="text-body-secondary">There may be more: search for a longer text.</Box>}
    </div>
  );
};

/** A field to choose, or to drag into a parameter. */
const FieldName = ({
  nodeId,
  path,
  chosen,
  onChoose,
  text,
}: Omit<RowsProps, 'data'> & { readonly path: Path; readonly text: string }): ReactNode => {
  const expression = toExpression(nodeId, path);
  if (expression === null) return <span className="trial-name">{text}</span>;
  return (
    <button
      type="button"
      className="trial-name"
      draggable
      aria-pressed={chosen !== null && JSON.stringify(chosen) === JSON.stringify(path)}
      title={expression}
      onClick={() => onChoose(path)}
      onDragStart={({ dataTransfer }) => {
        dataTransfer.setData('text/plain', expression);
        dataTransfer.setData(EXPRESSION_TYPE, expression);
        dataTransfer.effectAllowed = 'copy';
      }}
    >
      {text}
    </button>
  );
};

interface UseProps extends Pick<DataViewsProps, 'parameters' | 'onUse'> {
  readonly expression: string;
}

/** What is done with a field, by keyboard, too. */
const Use = ({ expression, parameters, onUse }: UseProps): ReactNode => {
  const [outcome, setOutcome] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(expression).then(
      () => setOutcome('Copied'),
      () => setOutcome('The browser did not allow to copy.'),
    );
  return (
    <div className="trial-use">
      <code className="any-text">{expression}</code>
      <Button iconName="copy" onClick={() => void copy()}>
        Copy expression
      </Button>
      {parameters.length > 0 && (
        <Choice
          ariaLabel="Use in a parameter"
          placeholder="Use in …"
          value={null}
          options={parameters}
          onChange={(parameter) => {
            onUse(parameter, expression);
            setOutcome(`Used in ${parameter}`);
          }}
        />
      )}
      <span role="status">{outcome}</span>
    </div>
  );
};

const TableOf = ({ path, columns, rows, count }: DataTable): ReactNode => {
  const name = path.length === 0 ? 'Items' : path.join(' › ');
  return (
    <Table
      variant="embedded"
      header={
        <Box variant="h4">
          {name} ({rows.length < count ? `${rows.length} of ${count}` : count})
        </Box>
      }
      ariaLabels={{ tableLabel: name }}
      items={rows}
      columnDefinitions={columns.map((column) => ({
        id: column,
        header: column,
        cell: (row: Readonly<Record<string, unknown>>) =>
          Object.hasOwn(row, column) ? describeValue(row[column]) : '',
      }))}
    />
  );
};
