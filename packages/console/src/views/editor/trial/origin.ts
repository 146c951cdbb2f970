import type { NodeData } from './trial-data.ts';

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time with its day, in the zone of the reader. @param at - ISO 8601 */
export const formatTime = (at: string): string => dayAndTime.format(new Date(at));

/** Where the data of a node comes from. */
export const describeOrigin = ({ from, id, at }: Pick<NodeData, 'from' | 'id' | 'at'>): string => {
  const timeOfDay = at === null ? '' : time.format(new Date(at));
  switch (from) {
    case 'execution':
      return `From execution ${id}`;
    case 'request':
      return `From request ${id}`;
    case 'example':
      return 'Example';
    case 'typed':
      return `Typed at ${timeOfDay}`;
    case 'trial':
      return `Trial of ${timeOfDay}`;
    case 'evaluation':
      return 'Run as you type';
    case 'passedOn':
      return 'Its input, passed on without a run';
  }
};
