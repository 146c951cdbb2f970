import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import { IdLink } from '../../parts/app-link.tsx';
import { Time } from '../../parts/time.tsx';
import type { Entry } from './entry-form.ts';

/** When an entry was written, and by whom. */
export const Written = ({ entry: { writtenAt, writtenBy } }: { readonly entry: Entry }): ReactNode => (
  <>
    <Time at={writtenAt} />
    {writtenBy.executionId !== null && (
      <Box variant="small" display="block" color="text-body-secondary">
        <span className="any-length">
          by execution <IdLink of="executions" id={writtenBy.executionId} fontSize="inherit" />
        </span>
      </Box>
    )}
    {writtenBy.caller !== null && (
      <Box variant="small" display="block" color="text-body-secondary">
        <span className="any-length">by {writtenBy.caller}</span>
      </Box>
    )}
  </>
);
