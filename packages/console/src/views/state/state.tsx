import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import type { ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import { useAddressStates } from '../../parts/address-state.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { CursorButtons, useCursorPages } from '../../parts/cursor-pages.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { TextField } from '../../parts/form-fields.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { readOnlyReason } from '../../parts/page-settings.ts';
import { Rows } from '../../parts/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { PAGE_SIZE } from '../../parts/use-live-list.ts';
import { useQuestion } from '../../parts/use-question.tsx';
import { WorkflowField } from '../../parts/workflow-field.tsx';
import { ChangeEntry, preview } from './change-entry.tsx';
import { type Entry, entryPath, type Scope } from './entry-form.ts';
import { Written } from './written.tsx';

/** The entries of a workflow or of a store that workflows share, by key, a page at a time. */
const State = (): ReactNode => {
  const [{ prefix, ...scope }, setFilters] = useAddressStates(['workflowId', 'store', 'prefix']);
  const pages = useCursorPages();
  const { question, ask, close, finish, forget, outcome } = useQuestion<'create'>();
  const isOn = scope.workflowId !== '' || scope.store !== '';
  const query = useApi(
    'GET /api/admin/state',
    { query: { ...scope, prefix, cursor: pages.cursor, limit: PAGE_SIZE } },
    { isOn },
  );
  const change = (values: Readonly<Record<string, string>>) => {
    forget();
    setFilters({ ...values, cursor: '' });
  };
  const whyNot = readOnlyReason ?? (isOn ? null : 'Choose a workflow or a store first.');
  return (
    <Page
      title="State"
      description="What workflows remember from one execution to the next."
      actions={
        <Button disabled={whyNot !== null} disabledReason={whyNot ?? ''} onClick={() => ask('create')}>
          Create an entry
        </Button>
      }
    >
      {outcome}
      <FilterBar>
        <WorkflowField
          value={scope.workflowId}
          placeholder="Choose a workflow"
          onChange={(workflowId) => change({ workflowId, ...(workflowId !== '' && { store: '' }) })}
        />
        <TextField
          label="Or a store that workflows share"
          type="search"
          value={scope.store}
          placeholder="The name of a store"
          onChange={(store) => change({ store: store.trim(), ...(store !== '' && { workflowId: '' }) })}
        />
        <TextField
          label="Keys that begin with"
          type="search"
          value={prefix}
          placeholder="All keys"
          onChange={(typed) => change({ prefix: typed })}
        />
      </FilterBar>
      {isOn ? (
        <Loaded query={query}>
          {({ entries, nextCursor }) => (
            <>
              <EntryTable
                scope={scope}
                entries={entries}
                empty={
                  nextCursor !== null ? (
                    <Button onClick={() => pages.toNext(nextCursor)}>Search further</Button>
                  ) : prefix !== '' ? (
                    'No key begins with this. Change the text to see more.'
                  ) : (
                    <>
                      There are no entries. Nodes of the type <IdLink of="node-types" id="state" /> write
                      them.
                    </>
                  )
                }
              />
              <Box float="right">
                <CursorButtons pages={pages} next={nextCursor} labels={['Previous', 'Next']} />
              </Box>
            </>
          )}
        </Loaded>
      ) : (
        <Box textAlign="center" padding="xl" variant="p">
          Choose the workflow whose entries you look for, or name a store.
        </Box>
      )}
      {question === 'create' && (
        <ChangeEntry
          scope={scope}
          entry={null}
          onClose={close}
          onDone={({ key }) =>
            finish(
              <>
                The entry <AppLink to={entryPath(scope, key)}>{key}</AppLink> is created.
              </>,
            )
          }
        />
      )}
    </Page>
  );
};

interface EntryTableProps {
  readonly scope: Scope;
  readonly entries: readonly Entry[];
  readonly empty: ReactNode;
}

const EntryTable = ({ scope, entries, empty }: EntryTableProps): ReactNode => (
  <Rows<Entry>
    label="Entries"
    counted="page"
    enableKeyboardNavigation={true}
    items={entries}
    trackBy="key"
    empty={empty}
    columns={[
      {
        id: 'key',
        header: 'Key',
        isRowHeader: true,
        minWidth: 160,
        cell: ({ key }) => (
          <span className="any-length">
            <AppLink to={entryPath(scope, key)}>{key}</AppLink>
          </span>
        ),
      },
      {
        id: 'value',
        header: 'Value',
        minWidth: 200,
        cell: ({ value, omittedBytes, claim }) =>
          omittedBytes !== null ? (
            <Box color="text-body-secondary">{`${omittedBytes.toLocaleString()} bytes`}</Box>
          ) : claim === null ? (
            <div className="variable-value any-text">{preview(value)}</div>
          ) : (
            <Box color="text-body-secondary">
              {claim.confirmBy === null ? 'Claimed' : 'Claimed, not yet marked as seen'}
            </Box>
          ),
      },
      { id: 'version', header: 'Version', minWidth: 90, cell: ({ version }) => version },
      { id: 'written', header: 'Written', minWidth: 190, cell: (entry) => <Written entry={entry} /> },
      {
        id: 'expires',
        header: 'Expires',
        minWidth: 150,
        cell: ({ expiresAt }) => (expiresAt === null ? 'Never' : <Time at={expiresAt} />),
      },
    ]}
  />
);

export default State;
