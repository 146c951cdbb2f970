import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { formatDuration } from '../../parts/duration.ts';
import { type NodeRun, runKey } from './node-runs.ts';
import { Axis, Legend, RowBar, stateOf } from './timeline-bar.tsx';
import type { Timeline as TimelineData, TimelineRow } from './timeline-rows.ts';
import './timeline.css';

interface TimelineProps {
  readonly timeline: TimelineData;
  /** Keys of the node runs that decided how long it took. */
  readonly criticalPath: ReadonlySet<string>;
  /** Key of the selected node run; null for none. */
  readonly selected: string | null;
  readonly onSelect: (run: NodeRun, isByKey: boolean) => void;
  /** Shows or hides what is inside of a row. */
  readonly onFold: (key: string, isUnfolded: boolean) => void;
}

const ROWS = 200;

/** When each node ran, as a tree to walk with the arrow keys. */
export const Timeline = (props: TimelineProps): ReactNode => {
  const { timeline, criticalPath, selected, onSelect, onFold } = props;
  const [shown, setShown] = useState(ROWS);
  const [focused, setFocused] = useState<string | null>(null);
  const tree = useRef<HTMLDivElement>(null);
  const selectedAt = timeline.rows.findIndex(({ key }) => key === selected);
  const rows = timeline.rows.slice(0, Math.max(shown, selectedAt + 1));
  const current = rows.find(({ key }) => key === (focused ?? selected))?.key ?? rows[0]?.key;

  const act = (row: TimelineRow, isByKey: boolean): void => {
    if (row.run === null) onFold(row.key, !row.isUnfolded);
    else onSelect(row.run, isByKey);
  };
  const focusRow = (row: TimelineRow | undefined): void => {
    if (row === undefined) return;
    setFocused(row.key);
    tree.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(row.key)}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, at: number): void => {
    const row = rows[at];
    if (row === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const parent = rows.slice(0, at).findLast(({ depth }) => depth < row.depth);
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focusRow(rows[at + 1]),
      ArrowUp: () => focusRow(rows[at - 1]),
      Home: () => focusRow(rows[0]),
      End: () => focusRow(rows.at(-1)),
      ArrowRight: () =>
        row.canUnfold && !row.isUnfolded
          ? onFold(row.key, true)
          : row.isUnfolded
            ? focusRow(rows[at + 1])
            : undefined,
      ArrowLeft: () => (row.isUnfolded ? onFold(row.key, false) : focusRow(parent)),
      Enter: () => act(row, true),
      ' ': () => act(row, true),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };

  return (
    <div className="timeline">
      <Axis timeline={timeline} />
      <div role="tree" aria-label="Timeline of the node runs" ref={tree}>
        {rows.map((row, at) => (
          <div
            key={row.key}
            data-key={row.key}
            className={`timeline-row${row.key === selected ? ' timeline-selected' : ''}`}
            role="treeitem"
            aria-level={row.depth + 1}
            aria-label={`${nameOf(row)}, ${describeRow(row, criticalPath)}`}
            aria-current={row.key === selected}
            aria-expanded={row.canUnfold ? row.isUnfolded : undefined}
            tabIndex={row.key === current ? 0 : -1}
            onKeyDown={(event) => onKeyDown(event, at)}
            onFocus={() => setFocused(row.key)}
            onClick={({ detail }) => act(row, detail === 0)}
          >
            <div className="timeline-name" style={{ paddingInlineStart: `${row.depth * 14}px` }}>
              <Fold row={row} onFold={onFold} />
              <span className={`timeline-dot timeline-${stateOf(row)}`} />
              <span className="timeline-text">{nameOf(row)}</span>
            </div>
            <div className="timeline-track" aria-hidden="true">
              {row.bar !== null && (
                <RowBar
                  bar={row.bar}
                  row={row}
                  timeline={timeline}
                  isCritical={row.run !== null && criticalPath.has(runKey(row.run))}
                />
              )}
              {row.bar === null && (
                <span className="timeline-note">
                  {row.run?.status === 'skipped' ? 'skipped' : 'disabled'}
                </span>
              )}
            </div>
          </div>
        ))}
      </div>
      <Legend />
      {timeline.rows.length > rows.length && (
        <Box padding={{ top: 's' }}>
          <Button onClick={() => setShown(rows.length + ROWS)}>
            Show {Math.min(ROWS, timeline.rows.length - rows.length)} of {timeline.rows.length - rows.length}{' '}
            more
          </Button>
        </Box>
      )}
    </div>
  );
};

const Fold = ({ row, onFold }: { readonly row: TimelineRow } & Pick<TimelineProps, 'onFold'>): ReactNode =>
  row.canUnfold ? (
    <span
      className="timeline-fold"
      aria-hidden="true"
      onClick={(event) => {
        event.stopPropagation();
        onFold(row.key, !row.isUnfolded);
      }}
    >
      {row.isUnfolded ? '▾' : '▸'}
    </span>
  ) : (
    <span className="timeline-fold" />
  );

const nameOf = ({ run, item }: TimelineRow): string => {
  if (run !== null) return run.iteration === 0 ? run.nodeId : `${run.nodeId} · iteration ${run.iteration}`;
  return `Item ${item?.number ?? 0}`;
};

/** What the look of a row says, for screen readers. */
const describeRow = (row: TimelineRow, criticalPath: ReadonlySet<string>): string => {
  const { bar, run } = row;
  const queued =
    bar?.queuedSince === null || bar === null ? null : formatDuration(bar.from - bar.queuedSince);
  return [
    stateOf(row),
    ...(bar === null ? [] : [`${bar.isWait ? 'waited' : 'took'} ${formatDuration(bar.to - bar.from)}`]),
    ...(queued === null ? [] : [`started ${queued} after it could`]),
    ...(run !== null && run.attempts > 1 ? [`${run.attempts} attempts`] : []),
    ...(run !== null && criticalPath.has(runKey(run)) ? ['on the critical path'] : []),
  ].join(', ');
};
