import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import LiveRegion from '@cloudscape-design/components/live-region';
import type { ReactNode } from 'react';
import { LATEST_SIZE } from './use-live-list.ts';

const describeCount = (count: number): string =>
  count >= LATEST_SIZE ? `more than ${LATEST_SIZE - 1} new` : `${count} new`;

interface NewRowsProps {
  /** How many rows have come since the list was shown. */
  readonly count: number;
  readonly onShow: () => void;
}

/** Shows the rows that have come, when asked to; nothing while there are none. */
export const NewRows = ({ count, onShow }: NewRowsProps): ReactNode =>
  count > 0 && (
    <Button iconName="refresh" onClick={onShow}>
      Show {describeCount(count)}
    </Button>
  );

interface NewRowsNoticeProps {
  readonly count: number;
  readonly isBehind: boolean;
}

/** Announces the number of new rows to screen readers, and shows a warning if the rows may be out of date. */
export const NewRowsNotice = ({ count, isBehind }: NewRowsNoticeProps): ReactNode => (
  <>
    <LiveRegion hidden={true}>{count > 0 && `There are ${describeCount(count)} in the list`}</LiveRegion>
    {isBehind && (
      <Alert type="info">So many are new that some states may be out of date. Show the new ones.</Alert>
    )}
  </>
);
