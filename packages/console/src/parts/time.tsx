import type { ReactNode } from 'react';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export const formatTime = (at: string | number): string => local.format(new Date(at));

interface TimeProps {
  /** ISO 8601, or milliseconds since the epoch. */
  readonly at: string | number;
}

/** An instant in the zone of the reader, with UTC on hover. */
export const Time = ({ at }: TimeProps): ReactNode => {
  const date = new Date(at);
  const utc = date.toISOString();
  return (
    <time dateTime={utc} title={utc.replace('T', ' ').replace('Z', ' UTC')}>
      {formatTime(at)}
    </time>
  );
};
