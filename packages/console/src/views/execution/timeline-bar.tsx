import type { ReactNode } from 'react';
import { formatDuration } from '../../parts/duration.ts';
import type { NodeRun } from './node-runs.ts';
import type { Bar, Timeline, TimelineRow } from './timeline-rows.ts';
import './timeline.css';

/** What the looks of bars mean. */
export const Legend = (): ReactNode => (
  <div className="timeline-legend" aria-hidden="true">
    {LEGEND.map(([look, text]) => (
      <span key={text}>
        <span className="timeline-sample">
          <span className={look} />
        </span>
        {text}
      </span>
    ))}
  </div>
);

const LEGEND = [
  ['timeline-bar timeline-work timeline-succeeded', 'worked'],
  ['timeline-bar timeline-wait timeline-succeeded', 'waited (‖)'],
  ['timeline-queue', 'could have started'],
  ['timeline-bar timeline-work timeline-succeeded timeline-critical', 'decided when it ended'],
] as const;

const MARKS = [0, 0.25, 0.5, 0.75, 1];

/** The times at the top, since the execution was accepted. */
export const Axis = ({ timeline: { scale, whole } }: { readonly timeline: Timeline }): ReactNode => (
  <div className="timeline-row timeline-axis" aria-hidden="true">
    <div className="timeline-name" />
    <div className="timeline-track">
      {MARKS.map((x) => (
        <span
          key={x}
          className="timeline-mark"
          style={{ insetInlineStart: `${x * 100}%`, translate: `${x * -100}% 0` }}
        >
          {formatDuration(Math.max(0, scale.toTime(x) - whole.from))}
        </span>
      ))}
    </div>
  </div>
);

interface RowBarProps {
  readonly timeline: Timeline;
  readonly bar: Bar;
  readonly row: TimelineRow;
  readonly isCritical: boolean;
}

/** When a row waited for its turn, worked or waited. */
export const RowBar = ({ bar, row, timeline: { scale }, isCritical }: RowBarProps): ReactNode => {
  const [x, end] = [scale.toX(bar.from), scale.toX(bar.to)];
  const queued = bar.queuedSince === null ? x : scale.toX(bar.queuedSince);
  const folds = scale.folds.filter(({ from, to }) => bar.from < to && bar.to > from);
  // Beside the bar, on the side with more room.
  const isRight = end < 0.7;
  const text = textOf(bar, row);
  return (
    <>
      {queued < x && (
        <span
          className="timeline-queue"
          style={{ insetInlineStart: `${queued * 100}%`, inlineSize: `${(x - queued) * 100}%` }}
        />
      )}
      {partsOf(bar, row).map(({ from, to, looks }) => (
        <span
          key={`${looks} ${from}`}
          className={`timeline-bar ${looks}${isCritical ? ' timeline-critical' : ''}`}
          style={{
            insetInlineStart: `${scale.toX(from) * 100}%`,
            inlineSize: `max(3px, ${(scale.toX(to) - scale.toX(from)) * 100}%)`,
          }}
        />
      ))}
      {folds.map((fold) => (
        <span
          key={fold.x}
          className="timeline-folded"
          style={{ insetInlineStart: `${fold.x * 100}%`, inlineSize: `${fold.width * 100}%` }}
        >
          ‖
        </span>
      ))}
      <span
        className="timeline-note"
        style={
          isRight
            ? { insetInlineStart: `calc(${end * 100}% + 4px)` }
            : { insetInlineEnd: `calc(${(1 - x) * 100}% + 4px)` }
        }
      >
        {text}
      </span>
    </>
  );
};

/** What a bar is made of: itself, or its attempts and the waits between them. */
const partsOf = (bar: Bar, row: TimelineRow) => {
  const look = bar.isContainer ? 'container' : bar.isWait ? 'wait' : 'work';
  if (bar.segments.length === 0) return [{ ...bar, looks: `timeline-${look} timeline-${stateOf(row)}` }];
  return bar.segments.map(({ kind, hasFailed, from, to }) => {
    const state = hasFailed ? 'failed' : kind === 'wait' ? 'waiting' : stateOf(row);
    return { from, to, looks: `timeline-${kind === 'wait' ? 'wait' : 'work'} timeline-${state}` };
  });
};

const textOf = (bar: Bar, { run }: TimelineRow): string => {
  const took = formatDuration(bar.to - bar.from);
  return [
    bar.isWait ? `‖ ${took}` : took,
    ...(run !== null && run.attempts > 1 ? [`${run.attempts} attempts`] : []),
  ].join(' · ');
};

/** The status of a node run, or of the runs of a body together. */
export const stateOf = ({ run, item }: TimelineRow): NodeRun['status'] => {
  if (run !== null) return run.status;
  return item?.hasFailed === true ? 'failed' : item?.isOpen === true ? 'running' : 'succeeded';
};
