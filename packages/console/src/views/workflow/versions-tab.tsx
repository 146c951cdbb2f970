import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useApiPages, useChange } from '../../api/use-api.ts';
import { useAddressStates } from '../../parts/address-state.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useIsStacked } from '../../parts/narrow.ts';
import { readOnly } from '../../parts/page-settings.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { type Columns, Rows } from '../../parts/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { VersionDifference } from './version-difference.tsx';

export interface VersionsTabProps {
  readonly workflowId: string;
  /** The current version; null if the workflow was removed. */
  readonly current: number | null;
  /** Called once a version is current again. */
  readonly onRolledBack: (answer: RolledBack) => void;
}

export type RolledBack = Answer<'POST /api/admin/workflows/{workflowId}/rollback'>;

type Version = Answer<'GET /api/admin/workflows/{workflowId}/versions'>['versions'][number];

/** What a narrow page has below the version. */
const DETAILS: Columns<Version> = [
  { header: 'Stored', minWidth: 190, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  {
    header: 'Message',
    cell: ({ message }) => <span className="any-length">{message ?? '–'}</span>,
  },
  {
    header: 'Author',
    cell: ({ author }) => <span className="any-length">{author ?? 'Not recorded'}</span>,
  },
];

/** The versions, newest first, what changed between two, and the way back to one. */
export const VersionsTab = ({ workflowId, current, onRolledBack }: VersionsTabProps): ReactNode => {
  const [{ from, to }, setCompared] = useAddressStates(['from', 'to']);
  const [asked, setAsked] = useState<number | null>(null);
  const isNarrow = useIsStacked();
  const pages = useApiPages('GET /api/admin/workflows/{workflowId}/versions', {
    params: { workflowId },
    query: { limit: 25 },
  });
  const rollback = useChange('POST /api/admin/workflows/{workflowId}/rollback');
  const versions = (pages.data ?? []).flatMap((page) => page.versions);
  const rollBack = () => {
    if (asked === null) return;
    const headers = current === null ? {} : { 'if-match': `"${current}"` };
    rollback.mutate(
      { params: { workflowId }, body: { version: asked }, headers },
      { onSuccess: onRolledBack, onSettled: () => setAsked(null) },
    );
  };
  return (
    <SpaceBetween size="l">
      {pages.error !== null && <ProblemAlert error={pages.error} onRetry={pages.refetch} />}
      {rollback.error !== null && <ProblemAlert error={rollback.error} />}
      <Rows
        label="Versions"
        variant="embedded"
        items={versions}
        trackBy="version"
        pages={pages}
        empty="There are no versions."
        columns={[
          {
            header: 'Version',
            isRowHeader: true,
            minWidth: 90,
            cell: ({ version, updatedAt, message }) => (
              <>
                {version}
                {version === current && ' (current)'}
                {isNarrow && (
                  <Box variant="small" display="block">
                    <span className="any-length">
                      <Time at={updatedAt} /> {message}
                    </span>
                  </Box>
                )}
              </>
            ),
          },
          ...(isNarrow ? [] : DETAILS),
          {
            header: 'Actions',
            minWidth: 210,
            cell: ({ version }) => (
              <SpaceBetween direction="horizontal" size="xs">
                {version > 1 && (
                  <Button
                    variant="inline-link"
                    ariaLabel={`Show what version ${version} changed`}
                    onClick={() => setCompared({ from: String(version - 1), to: String(version) })}
                  >
                    Changes
                  </Button>
                )}
                {version !== current && current !== null && (
                  <Button
                    variant="inline-link"
                    ariaLabel={`Compare version ${version} with the current one`}
                    onClick={() => setCompared({ from: String(version), to: String(current) })}
                  >
                    Compare
                  </Button>
                )}
                {version !== current && (
                  <Button
                    variant="inline-link"
                    ariaLabel={`Roll back to version ${version}`}
                    {...readOnly}
                    onClick={() => setAsked(version)}
                  >
                    Roll back
                  </Button>
                )}
              </SpaceBetween>
            ),
          },
        ]}
      />
      {/^\d+$/.test(from) && /^\d+$/.test(to) && (
        <VersionDifference
          key={`${from} ${to}`}
          workflowId={workflowId}
          from={from}
          to={to}
          onClose={() => setCompared({ from: '', to: '' })}
        />
      )}
      {asked !== null && (
        <Confirm
          title={`Roll back to version ${asked}?`}
          action="Roll back"
          isBusy={rollback.isPending}
          onConfirm={rollBack}
          onCancel={() => setAsked(null)}
        >
          Version {asked} is checked and stored as a new version, which is used from the next execution on.
          Running executions keep theirs.
        </Confirm>
      )}
    </SpaceBetween>
  );
};
