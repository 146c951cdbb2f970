import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import './hour-bars.css';
import type { Hour } from './outcomes.ts';

interface HourBarsProps {
  readonly label: string;
  readonly hours: readonly Hour[];
  readonly outcome: 'succeeded' | 'failed' | 'cancelled';
}

const HEIGHT = 56;
const STEP = 12;

const time = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });

/** A bar for each hour, with the total in words beside it; hovering one shows its count. */
export const HourBars = ({ label, hours, outcome }: HourBarsProps): ReactNode => {
  const total = hours.reduce((sum, hour) => sum + hour[outcome], 0);
  const most = Math.max(1, ...hours.map((hour) => hour[outcome]));
  const peak = hours.find((hour) => hour[outcome] === most);
  const [first] = hours;
  const last = hours.at(-1);
  const text =
    peak === undefined
      ? `${label}: none in any hour`
      : `${label}: ${total.toLocaleString()} in ${hours.length} hours, at most ${most.toLocaleString()} in one, ${time.format(peak.from)}`;
  return (
    <div>
      <Box variant="awsui-key-label">{label}</Box>
      <Box variant="h2" tagOverride="div">
        {total.toLocaleString()}{' '}
        {total > 0 && (
          <Box variant="small" display="inline" margin={{ left: 'xs' }}>
            at most {most.toLocaleString()} an hour
          </Box>
        )}
      </Box>
      <svg
        className="hour-bars"
        data-outcome={outcome}
        role="img"
        aria-label={text}
        viewBox={`0 0 ${hours.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {hours.map((hour, index) => {
          const count = hour[outcome];
          const height = count === 0 ? 1 : Math.max(3, (count / most) * HEIGHT);
          return (
            <rect
              key={hour.from}
              x={index * STEP}
              y={HEIGHT - height}
              width={STEP - 3}
              height={height}
              data-empty={count === 0 || undefined}
            >
              <title>{`${time.format(hour.from)}: ${count.toLocaleString()}`}</title>
            </rect>
          );
        })}
      </svg>
      {first !== undefined && last !== undefined && (
        <div className="hour-bars-scale" aria-hidden>
          <Box variant="small">{time.format(first.from)}</Box>
          <Box variant="small">{time.format(last.from)}</Box>
        </div>
      )}
    </div>
  );
};
